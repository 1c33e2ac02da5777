import { Secret, Setting } from '@groupware/service-kit';
import { Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { createGrant, type GrantedServer } from '../domain/password-grant';
import { parseConfiguredServer } from '../domain/server-address';

@ValidatorConstraint({ name: 'mailServers' })
class MailServers implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return Array.isArray(value) && value.every((text) => parseConfiguredServer(String(text)) !== undefined);
  }
  defaultMessage(): string {
    return 'must be servers such as imaps://host:993,smtp+starttls://host:587';
  }
}

/** Settings of the mail account service. */
export class MailAccountConfig {
  @Setting({
    env: 'MAIL_ACCOUNT_GLOBAL_PASSWORD',
    doc: 'Password at primary mail accounts where com.example.mail.passwordSource is global',
    type: 'secret',
  })
  globalPassword = new Secret('');

  @Setting({
    env: 'MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS',
    doc: "Servers that the global password may be sent to, such as imaps://host:993 or smtp+starttls://host:587, beside those of the server's own com.example.mail.mailServer and com.example.mail.transportServer. Others, which administrators of contexts could name, never get it",
  })
  @Validate(MailServers)
  globalPasswordServers: string[] = [];

  /** The servers of {@link globalPasswordServers}. */
  listGrantedServers(): GrantedServer[] {
    return this.globalPasswordServers.flatMap((text) => {
      const server = parseConfiguredServer(text);
      return server ? [createGrant(server)] : [];
    });
  }
}
