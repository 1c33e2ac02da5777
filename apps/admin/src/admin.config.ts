import { IsSecretKeys, Secret, secretKeysOf, Setting } from '@groupware/service-kit';

/** Settings of the admin service. */
export class AdminConfig {
  @Setting({ env: 'REDIS_URL', doc: 'Redis for sessions and rate limits', type: 'secret' })
  redisUrl = new Secret('redis://127.0.0.1:6379');

  @Setting({
    env: 'GROUPWARE_SECRET_KEY',
    doc: 'Key that seals secrets at rest: 32 bytes in base64; older keys may follow after commas',
    type: 'secret',
  })
  @IsSecretKeys()
  secretKey = new Secret('');

  @Setting({ env: 'BASE_PATH', doc: 'Base paths of the module calls, a comma list such as /ajax,/appsuite/api' })
  basePath = '/';

  /** Base paths of the client API, without slash at their ends. */
  basePaths(): string[] {
    return this.basePath.split(',').map((path) => path.trim().replace(/^\/*/, '/').replace(/\/+$/, ''));
  }

  /** Keys for sealed values, newest first. */
  secretKeys(): Buffer[] {
    return secretKeysOf(this.secretKey);
  }
}
