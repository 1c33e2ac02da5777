import { event, eventCatalog } from '../kit';
import type { AddedParticipants, AddedPerson } from '../objects/added-participants';

/** A mail that a user sent. */
export interface SentMail {
  readonly userId: number;
  /** To, Cc and Bcc, each address once. */
  readonly recipients: readonly AddedPerson[];
}

/** Events of the mailboxes of users. */
export const sentMailEvents = eventCatalog('mail', {
  sent: event<SentMail>('A mail of a user was handed over to its server'),
  read: event<AddedParticipants>('A user who collects addresses read a mail for the first time'),
});
