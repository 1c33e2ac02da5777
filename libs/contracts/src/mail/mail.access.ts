import { allowCallers } from '../kit';

/** Mailboxes belong to the user who asks: the accounts are looked up for this user, and their servers decide the rest. */
export const OWN_MAILBOXES = allowCallers('mailboxes of the user of the session only; their servers check the rights');
