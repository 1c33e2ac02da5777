import { Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { Secret } from './secret';

const KEY_BYTES = 32;

/** The keys in a setting such as `GROUPWARE_SECRET_KEY`: base64, newest first, separated by commas. */
export const secretKeysOf = (secret: Secret): Buffer[] =>
  secret
    .reveal()
    .split(',')
    .map((text) => Buffer.from(text.trim(), 'base64'));

@ValidatorConstraint({ name: 'secretKeys' })
class SecretKeys implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return value instanceof Secret && secretKeysOf(value).every((key) => key.length === KEY_BYTES);
  }
  defaultMessage(): string {
    return 'must be 32 bytes in base64; several keys, newest first, are separated by commas';
  }
}

/** The setting holds keys of 32 bytes; see {@link secretKeysOf}. */
export const IsSecretKeys = (): PropertyDecorator => Validate(SecretKeys);
