import { Injectable } from '@nestjs/common';
import {
  LOGIN_ATTEMPTS_FROM_STRANGERS,
  LOGIN_ATTEMPTS_OF_A_STRANGER,
  LOGIN_ATTEMPTS_PER_ADDRESS,
  LOGIN_ATTEMPTS_PER_NAME,
  LOGIN_ATTEMPTS_WINDOW,
  LoginErrors,
} from '@groupware/contracts';
import { SessionStore, tooManyRequests } from '@groupware/sessions';
import { AccountAttempts, type AttemptedAccount } from './account-attempts';
import { Cascade } from './cascade';

/** Limits of attempts at passwords: at the login, at links of guests, and at changes of a password. */
@Injectable()
export class LoginLimits {
  private readonly attempts: AccountAttempts;

  constructor(store: SessionStore, cascade: Cascade) {
    this.attempts = new AccountAttempts(store, 'login', {
      perAddress: () => cascade.value(LOGIN_ATTEMPTS_PER_ADDRESS),
      perPair: () => cascade.value(LOGIN_ATTEMPTS_PER_NAME),
      perAccount: () => cascade.value(LOGIN_ATTEMPTS_FROM_STRANGERS),
      perStranger: () => cascade.value(LOGIN_ATTEMPTS_OF_A_STRANGER),
      windowMs: () => cascade.value(LOGIN_ATTEMPTS_WINDOW),
    });
  }

  /**
   * Answers what the check of a password finds; undefined for a wrong one, which counts.
   * @param shown names the account in the error
   * @throws SVL-0019 for the address, LGI-0028 for the account
   */
  async attempt<T>(
    attempted: AttemptedAccount,
    shown: string,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { found } = await this.attempts.attempt(attempted, check, (refusal) =>
      refusal.limit === 'address' ? tooManyRequests(refusal) : LoginErrors.tooManyAttempts(shown),
    );
    return found;
  }

  /** Notes that the account is used from the address. */
  remember(attempted: AttemptedAccount): Promise<void> {
    return this.attempts.remember(attempted);
  }
}
