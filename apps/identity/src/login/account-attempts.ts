import { clientNetwork, siteNetwork } from '@groupware/service-kit';
import {
  tooManyRequests,
  type AttemptLimiter,
  type AttemptOutcome,
  type OneTimeTokens,
  type Refusal,
  type SessionStore,
} from '@groupware/sessions';

/** How long an address from which a secret was right counts as known. */
const KNOWN_MS = 30 * 24 * 3_600_000;

type LimitName = 'address' | 'pair' | 'account' | 'stranger';

/** How many attempts may fail in one window. */
export interface AccountAttemptLimits {
  /** From one address, whatever the account; absent: no limit. */
  readonly perAddress?: () => number;
  /** At one account from one address. */
  readonly perPair: () => number;
  /** At one account from all addresses together that are not known for it. */
  readonly perAccount: () => number;
  /** At one account from each site that is not known for it, once `perAccount` is reached; absent: none any more. */
  readonly perStranger?: () => number;
  readonly windowMs: () => number;
}

/** Whose secret is shown, and from where. */
export interface AttemptedAccount {
  /** Identity of the account, not what was typed. */
  readonly account: string;
  readonly address: string;
}

/**
 * Limits of attempts at the secrets of accounts. Whoever guesses meets the limit of his own address first. What is guessed
 * from many addresses fills the count of the account; from then on addresses that are not known for it get few attempts
 * each, and the owner has the same few wherever he is, and all of them where he was before.
 */
export class AccountAttempts {
  private readonly limiter: AttemptLimiter<LimitName>;
  private readonly known: OneTimeTokens<object>;

  constructor(store: SessionStore, name: string, limits: AccountAttemptLimits) {
    const { perAddress, perPair, perAccount, perStranger, windowMs } = limits;
    this.limiter = store.attemptLimiter<LimitName>({
      name,
      limits: {
        address: { points: perAddress ?? Number.MAX_SAFE_INTEGER, windowMs },
        pair: { points: perPair, windowMs },
        account: { points: perAccount, windowMs, gauge: perStranger !== undefined },
        stranger: { points: perStranger ?? Number.MAX_SAFE_INTEGER, windowMs, whileFull: 'account' },
      },
    });
    this.known = store.oneTimeTokens({ kind: `known-address-${name}`, lifetimeMs: KNOWN_MS });
  }

  /**
   * Checks a secret unless too many attempts failed.
   * @param check compares the secret; see {@link AttemptLimiter.attempt}
   * @param refuse makes the error of a refusal; default SVL-0019 with Retry-After
   */
  async attempt<T>(
    attempted: AttemptedAccount,
    check: () => Promise<T | undefined>,
    refuse: (refusal: Refusal<LimitName>) => Error = tooManyRequests,
  ): Promise<AttemptOutcome<T>> {
    const { account, address } = attempted;
    const own = { address: clientNetwork(address), pair: pairOf(attempted) };
    const strange = { account, stranger: `${account}\n${siteNetwork(address)}` };
    let isStranger = false;
    try {
      return await this.limiter.attempt({ ...own, ...strange }, check, (refusal) => {
        isStranger = refusal.limit === 'account' || refusal.limit === 'stranger';
        return refuse(refusal);
      });
    } catch (error) {
      if (!isStranger || !(await this.isKnown(attempted))) throw error;
    }
    return this.limiter.attempt(own, check, refuse);
  }

  /** Notes that the account is used from the address. Does without while the store is away. */
  async remember(attempted: AttemptedAccount): Promise<void> {
    await this.known.put(pairOf(attempted), {}).catch(() => undefined);
  }

  private async isKnown(attempted: AttemptedAccount): Promise<boolean> {
    return (await this.known.peek(pairOf(attempted)).catch(() => undefined)) !== undefined;
  }
}

const pairOf = ({ account, address }: AttemptedAccount): string => `${account}\n${clientNetwork(address)}`;

/** Identity of the account of a user. */
export const accountOf = (contextId: number, userId: number): string => `user ${contextId}/${userId}`;

/** The same text for all spellings that people take for one: case, width, composition and spaces. */
export const plainSpelling = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
