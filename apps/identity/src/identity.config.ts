import { Secret, Setting } from '@groupware/service-kit';
import { IsInt, Max, Min, Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';

const KEY_BYTES = 32;

const keysOf = (secret: Secret): Buffer[] =>
  secret
    .reveal()
    .split(',')
    .map((text) => Buffer.from(text.trim(), 'base64'));

@ValidatorConstraint({ name: 'secretKeys' })
class SecretKeys implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return value instanceof Secret && keysOf(value).every((key) => key.length === KEY_BYTES);
  }
  defaultMessage(): string {
    return 'must be 32 bytes in base64; several keys, newest first, are separated by commas';
  }
}

/** Settings of the identity service. */
export class IdentityConfig {
  @Setting({ env: 'REDIS_URL', doc: 'Redis for sessions and rate limits', type: 'secret' })
  redisUrl = new Secret('redis://127.0.0.1:6379');

  @Setting({
    env: 'GROUPWARE_SECRET_KEY',
    doc: 'Key that seals secrets at rest: 32 bytes in base64; older keys may follow after commas',
    type: 'secret',
  })
  @Validate(SecretKeys)
  secretKey = new Secret('');

  @Setting({ env: 'FILESTORE_URL', doc: 'File store: file:///folder; default: files in DATA_DIR' })
  fileStoreUrl = '';

  @Setting({ env: 'IDENTITY_HASH_MEMORY_KIB', doc: 'Memory of one argon2id password hash, KiB' })
  @IsInt()
  @Min(64)
  @Max(1_048_576)
  hashMemoryKib = 19_456;

  @Setting({ env: 'IDENTITY_HASH_PASSES', doc: 'Passes of one argon2id password hash' })
  @IsInt()
  @Min(1)
  @Max(100)
  hashPasses = 2;

  @Setting({ env: 'IDENTITY_HASH_CONCURRENCY', doc: 'Password hashes under way at the same time' })
  @IsInt()
  @Min(1)
  @Max(64)
  hashConcurrency = 2;

  @Setting({ env: 'IDENTITY_HASH_MAX_WAITING', doc: 'Password hashes that may wait; more logins get HTTP 429' })
  @IsInt()
  @Min(0)
  hashMaxWaiting = 500;

  /** Keys for sealed values, newest first. */
  secretKeys(): Buffer[] {
    return keysOf(this.secretKey);
  }
}
