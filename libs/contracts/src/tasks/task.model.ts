import { AppointmentConfirmation, AppointmentUser } from '../calendar/appointment.model';
import { Field } from '../kit';
import { CommonObject } from '../objects/common-object.model';

/** Longest texts of a task in characters, by field. */
export const TASK_TEXT_LIMITS = {
  title: 256,
  note: 65_535,
  categories: 255,
  companies: 255,
  billing_information: 255,
  trip_meter: 255,
  currency: 10,
  uid: 1024,
  organizer: 255,
  principal: 255,
} as const;
/** A character takes two units of UTF-16 at most. */
const MAX_UNITS = 2 * TASK_TEXT_LIMITS.note;
const text = { optional: true, maxLength: MAX_UNITS } as const;

/** A participant: a user, a group or an external person. */
export class TaskParticipant {
  @Field.int({ doc: 'Id of the user or group; absent for external ones', optional: true, min: 0 }) id?: number;
  @Field.int({ doc: '1 user, 2 group, 5 external' }) type!: number;
  @Field.text({ doc: 'Mail address; needed for external ones', optional: true, maxLength: 1024 }) mail?: string;
  @Field.text({ doc: 'Name shown', optional: true, maxLength: 1024 }) display_name?: string;
}

/** A task (column table "Tasks"). A series is one task: its present instance. */
export class TaskData extends CommonObject {
  @Field.text({ column: 100, doc: 'Categories, separated by commas', ...text }) categories?: string;
  @Field.boolean({ column: 101, doc: 'Hidden from others', optional: true }) private_flag?: boolean;
  @Field.int({ column: 102, doc: 'Colour, 0 to 10', optional: true, min: 0, max: 10 }) color_label?: number;
  @Field.int({ column: 104, doc: 'Number of attachments', optional: true, readOnly: true })
  number_of_attachments?: number;
  @Field.timestamp({ column: 105, doc: 'When the newest attachment was made', optional: true, readOnly: true })
  lastModifiedOfNewestAttachmentUTC?: number;
  @Field.text({ column: 200, doc: 'Title', ...text }) title?: string;
  @Field.time({ column: 201, doc: 'Start, never shifted: a day, or the instant of a timed task', optional: true })
  start_date?: number;
  @Field.time({ column: 202, doc: 'Due, never shifted: a day, or the instant of a timed task', optional: true })
  end_date?: number;
  @Field.text({ column: 203, doc: 'Note', ...text }) note?: string;
  @Field.time({ column: 204, doc: 'When the user of the session is reminded; null removes it', optional: true })
  alarm?: number;
  @Field.int({ column: 209, doc: '0 none, 1 daily, 2 weekly, 3 monthly, 4 yearly', optional: true })
  recurrence_type?: number;
  @Field.int({ column: 212, doc: 'Weekdays as bits, Sunday 1 to Saturday 64', optional: true }) days?: number;
  @Field.int({ column: 213, doc: 'Day of the month, or rank of the weekday (5 last)', optional: true })
  day_in_month?: number;
  @Field.int({ column: 214, doc: 'Month, 0 January', optional: true }) month?: number;
  @Field.int({ column: 215, doc: 'Every so many days, weeks, months', optional: true }) interval?: number;
  @Field.date({ column: 216, doc: 'Last day, inclusive; not together with occurrences', optional: true })
  until?: number;
  @Field.boolean({ column: 217, doc: 'Tell the participants', optional: true, writeOnly: true })
  notification?: boolean;
  @Field.list(() => TaskParticipant, {
    column: 220,
    doc: 'Participants as they were named; an empty list or null removes all',
    optional: true,
    maxItems: 5_000,
  })
  participants?: TaskParticipant[];
  @Field.list(() => AppointmentUser, {
    column: 221,
    doc: 'Users who take part, groups resolved, with their answers',
    optional: true,
    readOnly: true,
  })
  users?: AppointmentUser[];
  @Field.int({
    column: 222,
    doc: 'Number of instances to come, this one included; not together with until',
    optional: true,
  })
  occurrences?: number;
  @Field.text({ column: 223, doc: 'Globally unique id; made when absent, never changed', ...text }) uid?: string;
  @Field.text({
    column: 224,
    doc: 'Mail address of the organizer; of a task with participants that of its creator unless another is given',
    ...text,
  })
  organizer?: string;
  @Field.int({
    column: 225,
    doc: 'How often what it asks of its participants was revised',
    optional: true,
    readOnly: true,
  })
  sequence?: number;
  @Field.list(() => AppointmentConfirmation, {
    column: 226,
    doc: 'Answers of external participants',
    optional: true,
    readOnly: true,
  })
  confirmations?: AppointmentConfirmation[];
  @Field.int({
    column: 227,
    doc: 'User id of the organizer; absent where that is no user',
    optional: true,
    readOnly: true,
  })
  organizerId?: number;
  @Field.text({
    column: 228,
    doc: 'Mail address of the owner of the folder where another user made it for participants',
    ...text,
  })
  principal?: string;
  @Field.int({
    column: 229,
    doc: 'User id of the principal; absent where that is no user',
    optional: true,
    readOnly: true,
  })
  principalId?: number;
  @Field.int({ column: 300, doc: '1 not started, 2 in progress, 3 done, 4 waiting, 5 deferred', optional: true })
  status?: number;
  @Field.int({ column: 301, doc: 'Percent, 0 to 100; 0 while not started', optional: true })
  percent_completed?: number;
  @Field.any({ column: 302, doc: 'Costs so far: a number with two decimals; bodies may hold text', optional: true })
  actual_costs?: number | string;
  @Field.any({ column: 303, doc: 'Minutes so far: digits in a text; bodies may hold a number', optional: true })
  actual_duration?: string | number;
  @Field.date({ column: 304, doc: 'Stored and returned; has no effect', optional: true }) after_complete?: number;
  @Field.text({ column: 305, doc: 'Billing information', ...text }) billing_information?: string;
  @Field.any({ column: 307, doc: 'Planned costs, as actual_costs', optional: true }) target_costs?: number | string;
  @Field.any({ column: 308, doc: 'Planned minutes, as actual_duration', optional: true })
  target_duration?: string | number;
  @Field.int({ column: 309, doc: '1 low, 2 medium, 3 high', optional: true }) priority?: number;
  @Field.text({ column: 312, doc: 'Currency of the costs', ...text }) currency?: string;
  @Field.text({ column: 313, doc: 'Distance travelled', ...text }) trip_meter?: string;
  @Field.text({ column: 314, doc: 'Companies', ...text }) companies?: string;
  @Field.date({ column: 315, doc: 'Day of completion, set by clients only', optional: true }) date_completed?: number;
  @Field.time({
    column: 316,
    doc: 'Start on the clock of the request; a day when full_time. Wins over start_date',
    optional: true,
  })
  start_time?: number;
  @Field.time({
    column: 317,
    doc: 'Due on the clock of the request; a day when full_time. Wins over end_date',
    optional: true,
  })
  end_time?: number;
  @Field.boolean({ column: 401, doc: 'Whole days: how start_time and end_time are read', optional: true })
  full_time?: boolean;
}

/** The column sets `all` and `list`. */
export const TASK_COLUMN_ALIASES: Readonly<Record<string, readonly number[]>> = {
  all: [20, 1, 2, 5, 4],
  list: [20, 1, 5, 2, 4, 209, 301, 101, 200, 309, 201, 202, 102],
};
