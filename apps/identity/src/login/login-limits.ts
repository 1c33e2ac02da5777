import { Injectable } from '@nestjs/common';
import {
  LOGIN_ATTEMPTS_FROM_STRANGERS,
  LOGIN_ATTEMPTS_PER_ADDRESS,
  LOGIN_ATTEMPTS_PER_NAME,
  LOGIN_ATTEMPTS_WINDOW,
  LoginErrors,
  RequestErrors,
  type Property,
} from '@groupware/contracts';
import { SessionStore, type OneTimeTokens, type RateLimiter } from '@groupware/sessions';
import { Cascade } from './cascade';

/** How long an address that logged in with a name counts as known. */
const KNOWN_MS = 30 * 24 * 3_600_000;

/**
 * Limits of failed logins: per address, per name and address, and per name over all addresses. The last one does not hold
 * for addresses that the owner of the name used before, so guessing from elsewhere does not lock the owner out.
 */
@Injectable()
export class LoginLimits {
  private readonly pairs: RateLimiter;
  private readonly names: RateLimiter;
  private readonly addresses: RateLimiter;
  private readonly known: OneTimeTokens<object>;

  constructor(store: SessionStore, cascade: Cascade) {
    const windowMs = () => cascade.value(LOGIN_ATTEMPTS_WINDOW);
    const limiter = (name: string, points: Property<number>) =>
      store.rateLimiter({ name, points: () => cascade.value(points), windowMs });
    this.pairs = limiter('login-pair', LOGIN_ATTEMPTS_PER_NAME);
    this.names = limiter('login-name', LOGIN_ATTEMPTS_FROM_STRANGERS);
    this.addresses = limiter('login-address', LOGIN_ATTEMPTS_PER_ADDRESS);
    this.known = store.oneTimeTokens({ kind: 'known-address', lifetimeMs: KNOWN_MS });
  }

  /** Refuses an attempt when too many failed before. @throws SVL-0019 for the address, LGI-0028 for the name */
  async check(login: string, address: string): Promise<void> {
    const [addressWait, pairWait, nameWait] = await Promise.all([
      this.addresses.waitSeconds(address),
      this.pairs.waitSeconds(pair(login, address)),
      this.names.waitSeconds(login),
    ]);
    if (addressWait > 0)
      throw RequestErrors.tooManyRequests(addressWait).with({ headers: { 'Retry-After': String(addressWait) } });
    if (pairWait > 0) throw LoginErrors.tooManyAttempts(login);
    if (nameWait > 0 && !(await this.known.peek(pair(login, address)))) throw LoginErrors.tooManyAttempts(login);
  }

  /** Counts a failed attempt. */
  async failed(login: string, address: string): Promise<void> {
    await Promise.all([this.addresses.count(address), this.pairs.count(pair(login, address)), this.names.count(login)]);
  }

  /** Forgets the failures of a name from this address after a success, and remembers the address. */
  async succeeded(login: string, address: string): Promise<void> {
    await Promise.all([this.pairs.reset(pair(login, address)), this.known.put(pair(login, address), {})]);
  }
}

const pair = (login: string, address: string): string => `${login}\n${address}`;
