import { Field } from '../kit';

const name = { optional: true, maxLength: 1024 } as const;
const port = { optional: true, min: 0, max: 65_535 } as const;

/**
 * A mail account (column table "Mail account"). On creation and change only the fields that are given count.
 * Clients send numbers and flags as texts, too.
 */
export class MailAccountData {
  @Field.int({ column: 1001, doc: 'Account id; 0 is the primary account', optional: true }) id?: number;
  @Field.text({ column: 1002, doc: 'Login at the mail server', ...name }) login?: string | null;
  @Field.text({ column: 1003, doc: 'Password at the mail server; null in rows', ...name, writeOnly: true })
  password?: string | null;
  @Field.text({
    column: 1004,
    doc: 'Mail server as imap://host:port, imaps, pop3 or pop3s; wins over the single fields',
    ...name,
  })
  mail_url?: string | null;
  @Field.text({ column: 1005, doc: 'Transport server as smtp://host:port or smtps', ...name })
  transport_url?: string | null;
  @Field.text({ column: 1006, doc: 'Display name, not empty, without slashes', ...name }) name?: string | null;
  @Field.text({ column: 1007, doc: 'Address mail is sent from', ...name }) primary_address?: string | null;
  @Field.text({ column: 1008, doc: 'Name of the spam handler', ...name }) spam_handler?: string | null;
  @Field.text({ column: 1009, doc: 'Name of the trash folder', ...name }) trash?: string | null;
  @Field.text({ column: 1010, doc: 'Name of the folder for sent mail', ...name }) sent?: string | null;
  @Field.text({ column: 1011, doc: 'Name of the folder for drafts', ...name }) drafts?: string | null;
  @Field.text({ column: 1012, doc: 'Name of the spam folder', ...name }) spam?: string | null;
  @Field.text({ column: 1013, doc: 'Name of the folder for confirmed spam', ...name }) confirmed_spam?: string | null;
  @Field.text({ column: 1014, doc: 'Name of the folder for confirmed ham', ...name }) confirmed_ham?: string | null;
  @Field.text({ column: 1015, doc: 'Host of the mail server', ...name }) mail_server?: string | null;
  @Field.int({ column: 1016, doc: 'Port of the mail server', ...port }) mail_port?: number | null;
  @Field.text({ column: 1017, doc: 'imap or pop3', optional: true, maxLength: 32 }) mail_protocol?: string | null;
  @Field.boolean({ column: 1018, doc: 'TLS from the first byte', optional: true }) mail_secure?: boolean | null;
  @Field.text({ column: 1019, doc: 'Host of the transport server', ...name }) transport_server?: string | null;
  @Field.int({ column: 1020, doc: 'Port of the transport server', ...port }) transport_port?: number | null;
  @Field.text({ column: 1021, doc: 'smtp', optional: true, maxLength: 32 }) transport_protocol?: string | null;
  @Field.boolean({ column: 1022, doc: 'TLS from the first byte', optional: true }) transport_secure?: boolean | null;
  @Field.text({ column: 1023, doc: 'Login at the transport server; with transport_auth custom', ...name })
  transport_login?: string | null;
  @Field.text({ column: 1024, doc: 'Password at the transport server; null in rows', ...name, writeOnly: true })
  transport_password?: string | null;
  @Field.boolean({ column: 1025, doc: 'The account takes part in unified mail', optional: true })
  unified_inbox_enabled?: boolean | null;
  @Field.text({ column: 1026, doc: 'Full name of the trash folder', ...name }) trash_fullname?: string | null;
  @Field.text({ column: 1027, doc: 'Full name of the folder for sent mail', ...name }) sent_fullname?: string | null;
  @Field.text({ column: 1028, doc: 'Full name of the folder for drafts', ...name }) drafts_fullname?: string | null;
  @Field.text({ column: 1029, doc: 'Full name of the spam folder', ...name }) spam_fullname?: string | null;
  @Field.text({ column: 1030, doc: 'Full name of the folder for confirmed spam', ...name })
  confirmed_spam_fullname?: string | null;
  @Field.text({ column: 1031, doc: 'Full name of the folder for confirmed ham', ...name })
  confirmed_ham_fullname?: string | null;
  @Field.int({
    column: 1032,
    doc: 'Minutes between two fetches of a POP3 account',
    optional: true,
    min: 0,
  })
  pop3_refresh_rate?: number | null;
  @Field.boolean({ column: 1033, doc: 'Delete mail on the server after the fetch', optional: true })
  pop3_expunge_on_quit?: boolean | null;
  @Field.boolean({
    column: 1034,
    doc: 'Delete mail on the server when it is deleted here',
    optional: true,
  })
  pop3_delete_write_through?: boolean | null;
  @Field.text({ column: 1035, doc: 'Where fetched mail lies', ...name }) pop3_storage?: string | null;
  @Field.text({ column: 1036, doc: 'Folder that stands for the POP3 account', ...name }) pop3_path?: string | null;
  @Field.text({ column: 1037, doc: 'Name of the sender', ...name }) personal?: string | null;
  @Field.text({ column: 1038, doc: 'Address for answers', ...name }) reply_to?: string | null;
  @Field.text({ column: 1039, doc: 'Primary address and aliases, separated by commas', ...name, readOnly: true })
  addresses?: string | null;
  @Field.any({ column: 1040, doc: 'Any data clients keep with the account', optional: true }) meta?: unknown;
  @Field.text({ column: 1041, doc: 'Name of the archive folder', ...name }) archive?: string | null;
  @Field.text({ column: 1042, doc: 'Full name of the archive folder', ...name }) archive_fullname?: string | null;
  @Field.text({
    column: 1043,
    doc: 'Credentials at the transport server: mail (the same), custom or none',
    optional: true,
    values: ['mail', 'custom', 'none'],
  })
  transport_auth?: string | null;
  @Field.boolean({ column: 1044, doc: 'TLS by STARTTLS', optional: true }) mail_starttls?: boolean | null;
  @Field.boolean({ column: 1045, doc: 'TLS by STARTTLS', optional: true }) transport_starttls?: boolean | null;
  @Field.text({ column: 1046, doc: 'Root folder, default<id>', ...name, readOnly: true }) root_folder?: string | null;
  @Field.int({ column: 1047, doc: 'OAuth account for the mail server; -1: none', optional: true, min: -1 })
  mail_oauth?: number | null;
  @Field.int({
    column: 1048,
    doc: 'OAuth account for the transport server; -1: none',
    optional: true,
    min: -1,
  })
  transport_oauth?: number | null;
  @Field.boolean({ column: 1049, doc: 'Access to the mail server is switched off', optional: true, readOnly: true })
  mail_disabled?: boolean | null;
  @Field.boolean({ column: 1050, doc: 'Sending is switched off', optional: true, readOnly: true })
  transport_disabled?: boolean | null;
}

/** The state of one account. */
export class MailAccountStatus {
  @Field.text({
    doc: 'State',
    values: [
      'ok',
      'invalid_credentials',
      'disabled',
      'invalid_ssl',
      'recreation_needed',
      'in_setup',
      'unknown',
      'unsupported',
      'inaccessible',
    ],
  })
  status!: string;
  @Field.text({ doc: 'Explanation in the language of the user', optional: true }) message?: string;
}
