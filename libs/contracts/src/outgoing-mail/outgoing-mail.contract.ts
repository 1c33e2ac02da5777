import { allowCallers, defineModule, internal, plain, rest, value } from '../kit';
import { OutgoingMailErrors } from './outgoing-mail.errors';
import { OutgoingMails, OutgoingMailState, type MailOutcome } from './outgoing-mail.model';

/** Mails of the system to users, guests and others. */
export const outgoingMail = defineModule('outgoing-mail', {
  send: internal({
    access: allowCallers('services ask for themselves: which user causes which mails they decide'),
    calledBy: ['files', 'folders', 'identity'],
    doc: 'Stores mails; they leave as soon as the mail server takes them. Services with a database publish an event instead',
    query: OutgoingMails,
    reply: value<MailOutcome[]>('the outcomes so far, in the order of the recipients'),
    repeatable: true,
    errors: [OutgoingMailErrors.queueFull],
  }),
  getState: rest({
    http: 'GET',
    path: '/outgoing-mail/v1/state',
    callers: ['service'],
    doc: 'Tells whether a mail server is configured, and how many mails are in which state',
    reply: plain<OutgoingMailState>(OutgoingMailState),
  }),
});
