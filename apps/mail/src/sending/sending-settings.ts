import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of mails that users send. */
export class SendingSettings {
  @Setting({
    env: 'MAIL_SEND_TIMEOUT_MS',
    doc: 'Longest time in which an SMTP server makes no progress with a mail, ms',
  })
  @IsInt()
  @Min(1_000)
  @Max(600_000)
  timeoutMs = 60_000;

  @Setting({ env: 'MAIL_USER_AGENT', doc: 'Header X-Mailer of mails that users send' })
  userAgent = 'Groupware';
}
