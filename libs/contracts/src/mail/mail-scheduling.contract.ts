import { MailAccountErrors } from '../mail-account/mail-account.errors';
import { defineModule, Field, internal, value } from '../kit';
import { OWN_MAILBOXES } from './mail.access';
import { ImapErrors, MailErrors } from './mail.errors';

/** A calendar in a mail. */
export class MailCalendarQuery {
  @Field.text({ doc: 'Folder of the mail' }) folder!: string;
  @Field.text({ doc: 'Mail' }) id!: string;
  @Field.text({ doc: 'Part; default: the first one that is a calendar', optional: true }) part?: string;
  @Field.int({ doc: 'Most bytes', min: 1 }) maxBytes!: number;
}

/** A calendar of a mail, and who sent it. */
export interface MailCalendar {
  /** iCalendar text. */
  readonly text: string;
  /** Lower-case address of From; absent where there is none, or several. */
  readonly sender?: string;
}

/** Scheduling messages in mails, for the calendar. */
export const mailScheduling = defineModule(
  'mail-scheduling',
  {
    read: internal({
      access: OWN_MAILBOXES,
      calledBy: ['calendar'],
      doc: 'Reads a calendar of a mail of the user who asks; MSG-0049 when there is none, or a larger one',
      query: MailCalendarQuery,
      reply: value<MailCalendar>('the calendar and its sender'),
      repeatable: true,
      deadlineMs: 60_000,
      errors: [
        MailErrors.loginFailed,
        MailErrors.unreachable,
        MailErrors.notFound,
        MailErrors.attachmentNotFound,
        MailErrors.holdsNoMessages,
        ImapErrors.folderNotFound,
        MailAccountErrors.notFound,
      ],
    }),
  },
  { service: 'mail' },
);
