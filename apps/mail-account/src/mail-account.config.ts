import { Secret, Setting } from '@groupware/service-kit';

/** Settings of the mail account service. */
export class MailAccountConfig {
  @Setting({
    env: 'MAIL_ACCOUNT_GLOBAL_PASSWORD',
    doc: 'Password at primary mail accounts where com.example.mail.passwordSource is global',
    type: 'secret',
  })
  globalPassword = new Secret('');
}
