import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** Accounts that are asked for. */
export class MailboxAccessQuery {
  @Field.listOf('int', { doc: 'Account ids; default: all of the user', optional: true, maxItems: 1_000 })
  ids?: number[];
}

/** Purpose of the key that seals secrets of mailboxes between services; they open for the user and account alone. */
export const MAILBOX_SECRET_PURPOSE = 'mailbox-access';

/** For whom the secret of a mailbox is sealed. */
export const toMailboxSecretOwner = (user: { contextId: number; userId: number }, id: number): string =>
  `${user.contextId}/${user.userId}/${id}`;

/** A server of a mailbox. */
export interface MailboxServer {
  readonly host: string;
  readonly port: number;
  readonly protection: 'tls' | 'starttls' | 'offered';
  readonly allowPlain: boolean;
}

/** The server that mails of an account leave by. */
export interface MailboxTransport extends MailboxServer {
  /** Absent where it takes mails without login. */
  readonly login?: string;
  /** Sealed password as that of the mailbox; absent where there is no login, or none may be sent to the server. */
  readonly secret?: string;
  /** Certificates of the server that the user accepts although they are not trusted: SHA-256 fingerprints. */
  readonly acceptedCertificates: readonly string[];
}

/** A mailbox of a user: where it is and how to log in. */
export interface MailboxAccess {
  /** Account; 0 is the primary one. */
  readonly id: number;
  readonly name: string;
  readonly primaryAddress: string;
  readonly personal?: string;
  /** Own addresses: the primary one and aliases. */
  readonly addresses: readonly string[];
  /** IMAP server; absent where there is none, or mail is switched off. */
  readonly server?: MailboxServer;
  /** SMTP server; absent where there is none, or sending is switched off. */
  readonly transport?: MailboxTransport;
  /** Address that answers go to, where the user chose one. */
  readonly replyTo?: string;
  readonly login: string;
  /** Sealed password, see {@link MAILBOX_SECRET_PURPOSE}; absent where none may be sent to the server. */
  readonly secret?: string;
  /** Certificates of the server that the user accepts although they are not trusted: SHA-256 fingerprints. */
  readonly acceptedCertificates: readonly string[];
  /** Full names of standard folders, as far as the user chose them. */
  readonly folders: {
    readonly trash?: string;
    readonly sent?: string;
    readonly drafts?: string;
    readonly spam?: string;
    readonly archive?: string;
  };
}

/** Mailboxes with their credentials, for the service that uses them. */
export const mailboxAccess = defineModule(
  'mailbox-access',
  {
    list: internal({
      access: allowCallers('mailboxes of the user of the call, for the service that opens them for the same user'),
      calledBy: ['mail', 'mail-filter'],
      doc: 'Mailboxes of the user with their servers and sealed credentials, the primary one first',
      query: MailboxAccessQuery,
      reply: value<readonly MailboxAccess[]>('mailboxes'),
      repeatable: true,
    }),
  },
  { service: 'mail-account' },
);
