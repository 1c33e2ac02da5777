import { Injectable } from '@nestjs/common';
import { PASSWORD_HINT, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH, PASSWORD_PATTERN } from '@groupware/contracts';
import type { PasswordPolicy } from '../domain/password-policy';
import { Cascade, type ScopedValues } from './cascade';

/** What passwords must look like, by configuration. */
@Injectable()
export class PasswordRules {
  constructor(private readonly cascade: Cascade) {}

  /** The policy for whom the values are effective. */
  policy(scoped: ScopedValues): PasswordPolicy {
    return {
      minLength: this.cascade.value(PASSWORD_MIN_LENGTH, scoped),
      maxLength: this.cascade.value(PASSWORD_MAX_LENGTH, scoped),
      pattern: this.cascade.value(PASSWORD_PATTERN, scoped),
      hint: this.cascade.value(PASSWORD_HINT, scoped),
    };
  }
}
