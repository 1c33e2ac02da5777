import { event, eventCatalog } from '../kit';

/** A recipient to whom a mail went. */
export interface SentMailRecipient {
  /** Mail address, as it was written. */
  readonly address: string;
  /** Personal part; absent when the mail names none. */
  readonly name?: string;
}

/** A mail that a user sent. */
export interface SentMail {
  readonly userId: number;
  /** To, Cc and Bcc, each address once. */
  readonly recipients: readonly SentMailRecipient[];
}

/** Events of the mailboxes of users. */
export const sentMailEvents = eventCatalog('mail', {
  sent: event<SentMail>('A mail of a user was handed over to its server'),
});
