import { Injectable } from '@nestjs/common';
import { PASSWORD_HINT, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH, PASSWORD_PATTERN } from '@groupware/contracts';
import type { PasswordPolicy } from '../domain/password-policy';
import { Cascade, type ScopedValues } from './cascade';

/** Password policies from the configuration cascade. */
@Injectable()
export class PasswordPolicies {
  constructor(private readonly cascade: Cascade) {}

  /** Resolves the policy from effective values. */
  resolvePolicy(scoped: ScopedValues): PasswordPolicy {
    return {
      minLength: this.cascade.value(PASSWORD_MIN_LENGTH, scoped),
      maxLength: this.cascade.value(PASSWORD_MAX_LENGTH, scoped),
      pattern: this.cascade.value(PASSWORD_PATTERN, scoped),
      hint: this.cascade.value(PASSWORD_HINT, scoped),
    };
  }
}
