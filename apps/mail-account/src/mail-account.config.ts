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

  @Setting({
    env: 'MAIL_ACCOUNT_GLOBAL_PASSWORD',
    doc: 'Password at primary mail accounts where com.example.mail.passwordSource is global',
    type: 'secret',
  })
  globalPassword = new Secret('');

  /** Keys for sealed values, newest first. */
  secretKeys(): Buffer[] {
    return secretKeysOf(this.secretKey);
  }
}
