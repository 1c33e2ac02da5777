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
  readonly server?: {
    readonly host: string;
    readonly port: number;
    readonly protection: 'tls' | 'starttls' | 'offered';
    readonly allowPlain: boolean;
  };
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
      calledBy: ['mail'],
      doc: 'Mailboxes of the user with their servers and sealed credentials, the primary one first',
      query: MailboxAccessQuery,
      reply: value<readonly MailboxAccess[]>('mailboxes'),
      repeatable: true,
    }),
  },
  { service: 'mail-account' },
);
