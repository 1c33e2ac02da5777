import { IsSecretKeys, Secret, secretKeysOf, Setting } from '@groupware/service-kit';

/** Settings of the mail account service. */
export class MailAccountConfig {
  @Setting({
    env: 'GROUPWARE_SECRET_KEY',
    doc: 'Key that seals secrets at rest: 32 bytes in base64; older keys may follow after commas',
    type: 'secret',
  })
  @IsSecretKeys()
  secretKey = new Secret('');

  /** Keys for sealed values, newest first. */
  secretKeys(): Buffer[] {
    return secretKeysOf(this.secretKey);
  }
}
