import { clientNetwork, siteNetwork } from '@groupware/service-kit';
import {
  tooManyRequests,
  type AttemptLimiter,
  type AttemptOutcome,
  type OneTimeTokens,
  type Refusal,
  type SessionStore,
} from '@groupware/sessions';

/** Lifetime of known addresses, ms. */
const KNOWN_MS = 30 * 24 * 3_600_000;

type LimitName = 'address' | 'pair' | 'account' | 'stranger';

/** Limits of failed attempts per window. */
export interface AccountAttemptLimits {
  /** From one address, whatever the account; absent: no limit. */
  readonly perAddress?: () => number;
  /** At one account from one address. */
  readonly perPair: () => number;
  /** At one account from all addresses together that are not known for it. */
  readonly perAccount: () => number;
  /** At one account from each unknown site, once `perAccount` is reached; absent: none. */
  readonly perStranger?: () => number;
  readonly windowMs: () => number;
}

/** Account and client address of an attempt. */
export interface AttemptedAccount {
  /** Identity of the account, not what was typed. */
  readonly account: string;
  readonly address: string;
}

/**
 * Limits attempts at the secrets of accounts. A single guesser hits the limit of his address first. Guesses from many
 * addresses fill the counter of the account; from then on unknown addresses get few attempts each, while addresses
 * known for the account keep all of theirs, so the owner is not locked out.
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
    const own = { address: clientNetwork(address), pair: toPairKey(attempted) };
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

  /** Marks the address as known for the account; best effort while the store is unavailable. */
  async rememberAddress(attempted: AttemptedAccount): Promise<void> {
    await this.known.putFacts(toPairKey(attempted), {}).catch(() => undefined);
  }

  private async isKnown(attempted: AttemptedAccount): Promise<boolean> {
    return (await this.known.peekToken(toPairKey(attempted)).catch(() => undefined)) !== undefined;
  }
}

const toPairKey = ({ account, address }: AttemptedAccount): string => `${account}\n${clientNetwork(address)}`;

/** Identity of the account of a user. */
export const toAccountKey = (contextId: number, userId: number): string => `user ${contextId}/${userId}`;

/** Normalizes case, width, composition and spaces. */
export const normalizeSpelling = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
