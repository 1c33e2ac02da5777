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
import { Cascade } from '../configuration/cascade';

/** Limits password attempts at logins, guest links and password changes. */
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
   * Runs a password check within the limits; undefined for a wrong password, which counts.
   * @param shown names the account in the error; undefined where HTTP has to tell of the limit
   * @throws SVL-0019 for the address, LGI-0028 for the account, SVL-0019 where it is not to be named
   */
  async attempt<T>(
    attempted: AttemptedAccount,
    shown: string | undefined,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { found } = await this.attempts.attempt(attempted, check, (refusal) =>
      refusal.limit === 'address' || shown === undefined
        ? tooManyRequests(refusal)
        : LoginErrors.tooManyAttempts(shown),
    );
    return found;
  }

  /** Marks the address as known for the account. */
  rememberAddress(attempted: AttemptedAccount): Promise<void> {
    return this.attempts.rememberAddress(attempted);
  }
}
