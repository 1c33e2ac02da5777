import { ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { Secret } from './secret';

const KEY_BYTES = 32;

/** A key in a setting. */
export const keyOf = (text: string): Buffer => Buffer.from(text, 'base64');

/** Accepts one key in base64, or none. */
@ValidatorConstraint({ name: 'keyOrNone' })
export class KeyOrNone implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return value instanceof Secret && (value.reveal() === '' || keyOf(value.reveal()).length === KEY_BYTES);
  }
  defaultMessage(): string {
    return 'must be 32 bytes in base64';
  }
}

/** Accepts public keys in base64. */
@ValidatorConstraint({ name: 'publicKeys' })
export class PublicKeys implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return Array.isArray(value) && value.every((text) => keyOf(String(text)).length === KEY_BYTES);
  }
  defaultMessage(): string {
    return 'must be keys of 32 bytes in base64, separated by commas';
  }
}
