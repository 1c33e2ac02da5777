import { Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { Secret } from './secret';
import { Setting } from './setting';

const KEY_BYTES = 32;

/** The keys in a setting: base64, newest first, separated by commas. */
const parseSecretKeys = (secret: Secret): Buffer[] =>
  secret
    .reveal()
    .split(',')
    .map((text) => Buffer.from(text.trim(), 'base64'));

@ValidatorConstraint({ name: 'secretKeys' })
class SecretKeys implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return value instanceof Secret && parseSecretKeys(value).every((key) => key.length === KEY_BYTES);
  }
  defaultMessage(): string {
    return 'must be 32 bytes in base64; several keys, newest first, are separated by commas';
  }
}

/** The keys of the installation. */
export class SecretKeySettings {
  @Setting({
    env: 'GROUPWARE_SECRET_KEY',
    doc: 'Key that seals secrets at rest: 32 bytes in base64; older keys may follow after commas',
    type: 'secret',
  })
  @Validate(SecretKeys)
  secretKey = new Secret('');

  /** Keys for sealed values, newest first. */
  secretKeys(): Buffer[] {
    return parseSecretKeys(this.secretKey);
  }
}
