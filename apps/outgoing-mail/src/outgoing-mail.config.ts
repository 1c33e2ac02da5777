import { Secret, Setting } from '@groupware/service-kit';
import { IsIn, IsInt, Max, Min } from 'class-validator';

const DAY_MS = 86_400_000;

/** Settings of mails of the system. */
export class OutgoingMailConfig {
  @Setting({
    env: 'OUTGOING_MAIL_HOST',
    doc: 'SMTP server for mails of the system: invitations, links, notices. Empty: mails are kept until one is configured. Private addresses must be allowed by GROUPWARE_OUTBOUND_ALLOW, own authorities named by GROUPWARE_OUTBOUND_CA_FILE',
  })
  host = '';

  @Setting({ env: 'OUTGOING_MAIL_PORT', doc: 'Port of the SMTP server' })
  @IsInt()
  @Min(1)
  @Max(65_535)
  port = 587;

  @Setting({
    env: 'OUTGOING_MAIL_PROTECTION',
    doc: 'tls: encrypted from the first byte (port 465); starttls: upgraded before anything secret is said; offered: upgraded when the server offers it, else in clear text, for a server in a network of your own',
  })
  @IsIn(['tls', 'starttls', 'offered'])
  protection: 'tls' | 'starttls' | 'offered' = 'starttls';

  @Setting({ env: 'OUTGOING_MAIL_LOGIN', doc: 'Login name at the SMTP server; empty: it needs none' })
  login = '';

  @Setting({ env: 'OUTGOING_MAIL_PASSWORD', doc: 'Password at the SMTP server', type: 'secret' })
  password = new Secret('');

  @Setting({ env: 'OUTGOING_MAIL_FROM', doc: 'Address that mails come from; nothing is sent without' })
  from = '';

  @Setting({ env: 'OUTGOING_MAIL_FROM_NAME', doc: 'Name that mails come from' })
  fromName = '';

  @Setting({
    env: 'OUTGOING_MAIL_FROM_USERS',
    doc: 'Scheduling messages come from the organizer or attendee for whom they speak, with the address of the system as Sender, as calendar programs expect it (RFC 6047); false: from the system, answers go to the user',
  })
  fromUsers = true;

  @Setting({
    env: 'OUTGOING_MAIL_TIMEOUT_MS',
    doc: 'Longest time to log in to the SMTP server, and to hand one mail over, ms',
  })
  @IsInt()
  @Min(100)
  @Max(600_000)
  timeoutMs = 60_000;

  @Setting({ env: 'OUTGOING_MAIL_CONNECTIONS', doc: 'Connections of one process to the SMTP server' })
  @IsInt()
  @Min(1)
  @Max(50)
  connections = 2;

  @Setting({ env: 'OUTGOING_MAIL_BATCH', doc: 'Most mails over one connection' })
  @IsInt()
  @Min(1)
  @Max(1_000)
  batch = 20;

  @Setting({
    env: 'OUTGOING_MAIL_RETRY_MS',
    doc: 'Pause before a mail is tried again that was refused for now, ms; it doubles each time, up to an hour',
  })
  @IsInt()
  @Min(10)
  retryMs = 60_000;

  @Setting({ env: 'OUTGOING_MAIL_LIFE_MS', doc: 'A mail that could not be sent for so long is given up, ms' })
  @IsInt()
  @Min(1_000)
  lifeMs = 5 * DAY_MS;

  @Setting({
    env: 'OUTGOING_MAIL_PER_MINUTE',
    doc: 'Mails of one context per minute; so many may leave at once, the others follow at this rate',
  })
  @IsInt()
  @Min(1)
  @Max(100_000)
  perMinute = 120;

  @Setting({ env: 'OUTGOING_MAIL_MAX_QUEUED', doc: 'Most mails of one context that wait; more are not accepted' })
  @IsInt()
  @Min(1)
  maxQueued = 10_000;

  @Setting({
    env: 'OUTGOING_MAIL_MAX_FILES_BYTES',
    doc: 'Most bytes of files that one scheduling message carries, before their encoding, which makes them a third larger; files of an event that do not fit are left out, with their ATTACH. 0: no files',
  })
  @IsInt()
  @Min(0)
  maxFilesBytes = 10 * 1024 * 1024;

  @Setting({
    env: 'OUTGOING_MAIL_RETENTION_MS',
    doc: 'The outcome of a mail is kept for so long, without its text, ms',
  })
  @IsInt()
  @Min(1_000)
  retentionMs = 14 * DAY_MS;

  /** Domain of the address of the system, for ids of mails and their parts. */
  get domain(): string {
    return this.from.split('@').at(-1) || 'localhost';
  }

  /** Whether mails can be sent. */
  get isConfigured(): boolean {
    return this.host !== '' && this.from !== '';
  }
}
