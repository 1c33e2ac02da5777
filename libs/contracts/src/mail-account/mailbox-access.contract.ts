import { SessionErrors } from '../edge/edge.errors';
import { allowCallers, defineModule, Field, internal, value } from '../kit';
import { OAuthErrors } from '../sso/oauth-client.errors';
import { OidcErrors } from '../sso/oidc.errors';

/** Accounts that are asked for. */
export class MailboxAccessQuery {
  @Field.listOf('int', { doc: 'Account ids; default: all of the user', optional: true, maxItems: 1_000 })
  ids?: number[];
  @Field.int({
    doc: 'User whose mailboxes a service asks for in its own name: they come without passwords; default: the user of the call',
    min: 1,
    optional: true,
  })
  user?: number;
}

/** The server that an access token is for. */
export class MailboxTokenQuery {
  @Field.int({ doc: 'Account' }) id!: number;
  @Field.text({ doc: 'Which of its credentials', values: ['mail', 'transport'] }) side!: 'mail' | 'transport';
  @Field.text({ doc: 'Host of the server that is shown the token', maxLength: 256 }) host!: string;
  @Field.text({
    doc: 'Secret of the answer before, whose token the server refused: another one is got',
    optional: true,
    maxLength: 65_536,
  })
  refused?: string;
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
  /** Logs in with an access token instead, which `findToken` answers. */
  readonly usesToken?: true;
  /** Certificates of the server that the user accepts although they are not trusted: SHA-256 fingerprints. */
  readonly acceptedCertificates: readonly string[];
}

/** A POP3 mailbox, whose mails are collected into the primary one. */
export interface Pop3Source {
  readonly server: MailboxServer;
  /** Minutes between two looks. */
  readonly refreshMinutes: number;
  /** Mails are removed there once they were collected. */
  readonly removesCollected: boolean;
  /** Name of the folder that the mails go to. */
  readonly folder: string;
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
  /** Where mails are collected from, of an account without an IMAP server; it logs in as to one. */
  readonly pop3?: Pop3Source;
  /** SMTP server; absent where there is none, or sending is switched off. */
  readonly transport?: MailboxTransport;
  /** Address that answers go to, where the user chose one. */
  readonly replyTo?: string;
  readonly login: string;
  /** Sealed password, see {@link MAILBOX_SECRET_PURPOSE}; absent where none may be sent to the server. */
  readonly secret?: string;
  /** Logs in with an access token instead, which `findToken` answers. */
  readonly usesToken?: true;
  /** Certificates of the server that the user accepts although they are not trusted: SHA-256 fingerprints. */
  readonly acceptedCertificates: readonly string[];
  /** Full names of standard folders, as far as the user chose them. */
  readonly folders: {
    readonly trash?: string;
    readonly sent?: string;
    readonly drafts?: string;
    readonly spam?: string;
    readonly confirmed_spam?: string;
    readonly archive?: string;
  };
}

/** An access token for a server of a mailbox. */
export interface MailboxToken {
  /** Sealed token, see {@link MAILBOX_SECRET_PURPOSE}. */
  readonly secret: string;
}

/** A mail account that depends on accounts with services elsewhere. */
export interface OAuthMailAccount {
  readonly id: number;
  readonly name: string;
  /** Ids of the accounts elsewhere. */
  readonly oauthAccounts: readonly number[];
}

/** Mailboxes with their credentials, for the service that uses them. */
export const mailboxAccess = defineModule(
  'mailbox-access',
  {
    list: internal({
      access: allowCallers(
        'mailboxes of the user of the call, for the service that opens them for the same user; those of another one come without passwords',
      ),
      calledBy: ['mail', 'mail-filter'],
      doc: 'Mailboxes of the user with their servers and sealed credentials, the primary one first',
      query: MailboxAccessQuery,
      reply: value<readonly MailboxAccess[]>('mailboxes'),
      repeatable: true,
    }),
    listOAuthAccounts: internal({
      access: allowCallers('names of mail accounts of the user of the call'),
      calledBy: ['sso'],
      doc: 'Mail accounts of the user that depend on accounts with services elsewhere',
      reply: value<readonly OAuthMailAccount[]>('mail accounts'),
      repeatable: true,
    }),
    findToken: internal({
      access: allowCallers('tokens of the user of the call, for the service that opens the mailbox for the same user'),
      calledBy: ['mail', 'mail-filter'],
      doc: 'An access token with which an account logs in; nothing where there is none for the server, or no other one than the refused',
      query: MailboxTokenQuery,
      reply: value<MailboxToken | null>('token'),
      repeatable: true,
      deadlineMs: 40_000,
      errors: [
        ...[OAuthErrors.accountNotFound, OAuthErrors.unknownService, OAuthErrors.invalidAccount],
        ...[OAuthErrors.connectFailed, OAuthErrors.invalidResponse],
        ...[SessionErrors.unknown, OidcErrors.noToken, OidcErrors.badToken, OidcErrors.unreachable],
      ],
    }),
  },
  { service: 'mail-account' },
);
