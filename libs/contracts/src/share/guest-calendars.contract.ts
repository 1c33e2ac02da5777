import { allowCallers, ANY_TIME, defineModule, Field, internal, value } from '../kit';

/** A folder of calendars or tasks that a guest opens by a link. */
export class GuestCalendarQuery {
  @Field.int({ doc: 'Folder', min: 1 }) folder!: number;
  @Field.int({ doc: 'The guest', min: 1 }) guest!: number;
  @Field.int({ doc: 'What ends before is left out, ms UTC', optional: true, ...ANY_TIME }) from?: number;
  @Field.int({ doc: 'What begins after is left out, ms UTC', optional: true, ...ANY_TIME }) until?: number;
}

/** Bounds of what is exported, ms UTC; absent: none. */
export type ExportedTime = Pick<GuestCalendarQuery, 'from' | 'until'>;

/** An iCalendar file, which goes once it was sent. */
export interface CalendarFile {
  /** Reference in the file store. */
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes?: number;
}

const write = (what: string) =>
  internal({
    access: allowCallers('identity has authenticated the guest, whose rights on the folder decide what is in the file'),
    calledBy: ['identity'],
    doc: `${what} that a guest may read, as an iCalendar file; null for a folder that the guest does not see or read; needs no user in the principal`,
    query: GuestCalendarQuery,
    reply: value<CalendarFile | null>('the file'),
    deadlineMs: 60_000,
    repeatable: false,
  });

/** Calendars of guests as files. */
export const guestCalendars = defineModule(
  'guest-calendars',
  { writeCalendar: write('The appointments of a calendar') },
  { service: 'calendar' },
);

/** Folders of tasks of guests as files. */
export const guestTasks = defineModule(
  'guest-tasks',
  { writeTasks: write('The tasks of a folder') },
  { service: 'tasks' },
);
