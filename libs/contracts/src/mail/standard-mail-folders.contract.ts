import { defineModule, internal, value } from '../kit';
import { OWN_MAILBOXES } from './mail.access';
import { MailErrors } from './mail.errors';

/** Roles of the folders that clients look for in a mailbox. */
export const MAIL_FOLDER_ROLES = ['inbox', 'drafts', 'sent', 'spam', 'trash', 'archive'] as const;
/** See {@link MAIL_FOLDER_ROLES}. */
export type MailFolderRole = (typeof MAIL_FOLDER_ROLES)[number];

/** Standard folders of a mailbox. */
export interface StandardMailFolders {
  /** Ids by role; one that is not there yet has the id that it will get. */
  readonly ids: Readonly<Record<MailFolderRole, string>>;
  /** Prefix of the names of the user's folders; mostly nothing. */
  readonly namespace: string;
  /** Separator of the levels of names. */
  readonly separator: string;
}

/** Standard folders of the primary mailbox, for settings of clients and the account they see. */
export const standardMailFolders = defineModule(
  'mail-standard-folders',
  {
    find: internal({
      access: OWN_MAILBOXES,
      calledBy: ['mail-account', 'settings'],
      doc: 'Standard folders of the primary mailbox of the user who asks',
      reply: value<StandardMailFolders | null>('folders; null for users without a mailbox'),
      repeatable: true,
      deadlineMs: 10_000,
      errors: [MailErrors.loginFailed, MailErrors.unreachable],
    }),
  },
  { service: 'mail' },
);
