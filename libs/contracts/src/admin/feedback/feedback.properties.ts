import { property } from '../../kit';

const PREFIX = 'com.example.userfeedback';

/** The group of a context. */
export const CONTEXT_GROUP = property<string>({
  key: 'com.example.context.group',
  default: '',
  scopes: ['context', 'server'],
  doc: 'Group of a context, at most 32 characters; empty: the one of its provisioning, at first `default`.',
});

/** Which context groups there are and where their feedback is kept. */
export const FEEDBACK_DATABASES = property<string>({
  key: `${PREFIX}.globalDatabases`,
  default: 'default',
  doc: 'Comma list of context groups with a global database: group, or group=name of a shard. Several groups may share one; without a name the default shard is meant.',
});

/** How long feedback can be traced to a user who is gone. */
export const FEEDBACK_RETENTION_DAYS = property<number>({
  key: `${PREFIX}.retentionDays`,
  default: 90,
  min: 0,
  max: 36_500,
  doc: 'Days after the deletion of a user until context, user and login name vanish from his feedback.',
});

/** Prefix of attachments. */
export const FEEDBACK_EXPORT_PREFIX = property<string>({
  key: `${PREFIX}.mail.exportPrefix`,
  default: 'feedback',
  doc: 'Begin of the file name of reports that are sent by mail.',
});

/** Name of the sender of reports. */
export const FEEDBACK_SENDER_NAME = property<string>({
  key: `${PREFIX}.mail.senderName`,
  default: '',
  doc: 'Name of the sender of reports.',
});

/** Address of the sender of reports. */
export const FEEDBACK_SENDER_ADDRESS = property<string>({
  key: `${PREFIX}.mail.senderAddress`,
  default: '',
  doc: 'Mail address of the sender of reports; without one nothing is sent.',
});

/** Largest attachment. */
export const FEEDBACK_MAIL_MAX_BYTES = property<number>({
  key: `${PREFIX}.mail.maxBytes`,
  default: 26_214_400,
  min: 1,
  doc: 'Largest report that is sent by mail, bytes after compression.',
});

/** Most recipients. */
export const FEEDBACK_MAX_RECIPIENTS = property<number>({
  key: `${PREFIX}.mail.maxRecipients`,
  default: 100,
  min: 1,
  max: 10_000,
  doc: 'Most recipients of one report.',
});

/** SMTP server of reports. */
export const FEEDBACK_SMTP_HOST = property<string>({
  key: `${PREFIX}.smtp.hostname`,
  default: '',
  doc: 'SMTP server for reports. Private addresses must be allowed by GROUPWARE_OUTBOUND_ALLOW.',
});

/** Port of the SMTP server. */
export const FEEDBACK_SMTP_PORT = property<number>({
  key: `${PREFIX}.smtp.port`,
  default: 587,
  min: 1,
  max: 65_535,
  doc: 'Port of the SMTP server: 465 speaks TLS from the first byte, every other one is upgraded by STARTTLS.',
});

/** Longest time of one mail. */
export const FEEDBACK_SMTP_TIMEOUT = property<number>({
  key: `${PREFIX}.smtp.timeout`,
  default: 50_000,
  min: 100,
  max: 600_000,
  doc: 'Longest time in which the SMTP server takes one report, ms.',
});

/** Longest time to connect. */
export const FEEDBACK_SMTP_CONNECTION_TIMEOUT = property<number>({
  key: `${PREFIX}.smtp.connectionTimeout`,
  default: 10_000,
  min: 100,
  max: 120_000,
  doc: 'Longest time to connect and log in to the SMTP server, ms.',
});

/** Login at the SMTP server. */
export const FEEDBACK_SMTP_USERNAME = property<string>({
  key: `${PREFIX}.smtp.username`,
  default: '',
  doc: 'Login at the SMTP server; empty: none.',
});

/** Password at the SMTP server. */
export const FEEDBACK_SMTP_PASSWORD = property<string>({
  key: `${PREFIX}.smtp.password`,
  default: '',
  doc: 'Password at the SMTP server.',
});

/** Private key for signatures. */
export const FEEDBACK_SIGN_KEY_FILE = property<string>({
  key: `${PREFIX}.pgp.signKeyFile`,
  default: '',
  doc: 'File with an ASCII-armoured private PGP key: all reports are signed with it.',
});

/** Password of the private key. */
export const FEEDBACK_SIGN_KEY_PASSWORD = property<string>({
  key: `${PREFIX}.pgp.signKeyPassword`,
  default: '',
  doc: 'Password of the private PGP key; empty: it has none.',
});
