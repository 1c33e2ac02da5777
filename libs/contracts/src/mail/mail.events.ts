import { event, eventCatalog } from '../kit';
import type { AddedParticipants, AddedPerson } from '../objects/added-participants';

/** A mail that a user sent. */
export interface SentMail {
  readonly userId: number;
  /** To, Cc and Bcc, each address once. */
  readonly recipients: readonly AddedPerson[];
}

/** Request of a user to tell users and groups about a folder of a mailbox. */
export interface MailFolderShared {
  /** The folder, as the user names it. */
  readonly folderId: string;
  /** User who shares it. */
  readonly userId: number;
  readonly title: string;
  readonly entities: readonly number[];
  /** Text for those who are told. */
  readonly message?: string;
}

/** Events of the mailboxes of users. */
export const mailboxEvents = eventCatalog('mail', {
  sent: event<SentMail>('A mail of a user was handed over to its server'),
  read: event<AddedParticipants>('A user who collects addresses read a mail for the first time'),
  'folder.shared': event<MailFolderShared>('Users and groups are to be told about a folder of a mailbox'),
});
