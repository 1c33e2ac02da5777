import { Injectable } from '@nestjs/common';
import {
  LOGIN_ATTEMPTS_PER_ADDRESS,
  LOGIN_ATTEMPTS_PER_NAME,
  LOGIN_ATTEMPTS_WINDOW,
  LoginErrors,
  RequestErrors,
} from '@groupware/contracts';
import { SessionStore, type RateLimiter } from '@groupware/sessions';
import { Cascade } from './cascade';

/** Limits of failed logins, per login name and per address. */
@Injectable()
export class LoginLimits {
  private readonly names: RateLimiter;
  private readonly addresses: RateLimiter;

  constructor(store: SessionStore, cascade: Cascade) {
    const windowMs = cascade.value(LOGIN_ATTEMPTS_WINDOW);
    this.names = store.rateLimiter({ name: 'login-name', points: cascade.value(LOGIN_ATTEMPTS_PER_NAME), windowMs });
    this.addresses = store.rateLimiter({
      name: 'login-address',
      points: cascade.value(LOGIN_ATTEMPTS_PER_ADDRESS),
      windowMs,
    });
  }

  /** Refuses an attempt when too many failed before. @throws SVL-0019 for the address, LGI-0028 for the name */
  async check(login: string, address: string): Promise<void> {
    const [addressWait, nameWait] = await Promise.all([
      this.addresses.waitSeconds(address),
      this.names.waitSeconds(login),
    ]);
    if (addressWait > 0)
      throw RequestErrors.tooManyRequests(addressWait).with({ headers: { 'Retry-After': String(addressWait) } });
    if (nameWait > 0) throw LoginErrors.tooManyAttempts(login);
  }

  /** Counts a failed attempt. */
  async failed(login: string, address: string): Promise<void> {
    await Promise.all([this.addresses.count(address), this.names.count(login)]);
  }

  /** Forgets the failures of a name after a success. */
  async succeeded(login: string): Promise<void> {
    await this.names.reset(login);
  }
}
