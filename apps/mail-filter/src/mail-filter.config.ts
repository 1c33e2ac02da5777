import { Secret, Setting } from '@groupware/service-kit';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

/** Settings of the service of mail filters. */
export class MailFilterSettings {
  @Setting({
    env: 'MAIL_FILTER_MASTER_PASSWORD',
    doc: 'Password at servers of rules for com.example.mail.filter.passwordSource=global',
    type: 'secret',
  })
  @IsOptional()
  masterPassword?: Secret;

  @Setting({
    env: 'MAIL_FILTER_MASTER_SERVERS',
    doc: 'Hosts of mailboxes, a comma list, to which that password may be sent; others never see it, as administrators of contexts name the servers of their users',
  })
  masterServers: string[] = [];

  @Setting({
    env: 'MAIL_FILTER_MASTER_LOGIN',
    doc: 'Who logs in with that password on behalf of users; empty: users themselves, all with the same password',
  })
  masterLogin = '';

  @Setting({ env: 'MAIL_FILTER_LOCK_MS', doc: 'So long the rules of a user stay locked when a process dies, ms' })
  @IsInt()
  @Min(1_000)
  @Max(600_000)
  lockMs = 60_000;

  @Setting({
    env: 'MAIL_FILTER_IDLE_MS',
    doc: 'How long an unused connection to a server of rules is kept, ms; 0: not at all',
  })
  @IsInt()
  @Min(0)
  @Max(600_000)
  idleMs = 15_000;
}
