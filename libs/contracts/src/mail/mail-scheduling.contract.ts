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

/** Files in a mail that its calendar names. */
export class MailCalendarFilesQuery {
  @Field.text({ doc: 'Folder of the mail' }) folder!: string;
  @Field.text({ doc: 'Mail' }) id!: string;
  @Field.listOf('text', { doc: 'Content-IDs of the parts, without brackets', maxItems: 1000 }) contentIds!: string[];
  @Field.int({ doc: 'Most bytes of all; files that do not fit are left out', min: 0 }) maxBytes!: number;
}

/** A file of a mail, unclaimed in the file store. */
export interface MailCalendarFile {
  readonly contentId: string;
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
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
    keepFiles: internal({
      access: OWN_MAILBOXES,
      calledBy: ['calendar'],
      doc: 'Writes parts of a mail of the user who asks to the file store, for the event of its calendar; those that are not there are left out',
      query: MailCalendarFilesQuery,
      reply: value<MailCalendarFile[]>('the files in the order of the ids; who takes them claims them'),
      repeatable: true,
      deadlineMs: 120_000,
      errors: [
        MailErrors.loginFailed,
        MailErrors.unreachable,
        MailErrors.notFound,
        MailErrors.holdsNoMessages,
        ImapErrors.folderNotFound,
        MailAccountErrors.notFound,
      ],
    }),
  },
  { service: 'mail' },
);
