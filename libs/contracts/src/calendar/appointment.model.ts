import { Field } from '../kit';
import { CommonObject } from '../objects/common-object.model';

/** An invited participant: `type` 1 user, 2 group, 3 resource, 5 external. */
export class AppointmentParticipant {
  @Field.int({
    doc: 'Id of the user, group or resource; absent for external ones',
    optional: true,
    min: 0,
  })
  id?: number;
  @Field.int({
    doc: '1 user, 2 group, 3 resource, 4 resource group, 5 external, 6 external group',
    values: [1, 2, 3, 4, 5, 6],
  })
  type!: number;
  @Field.text({ doc: 'Mail address; needed for external ones', optional: true, maxLength: 1024 }) mail?: string;
  @Field.text({ doc: 'Name shown', optional: true, maxLength: 1024 }) display_name?: string;
  @Field.int({
    doc: 'Answer of an external participant, as in confirmations; of a resource that has not accepted',
    optional: true,
    readOnly: true,
  })
  confirm?: number;
}

/** A user who takes part, groups resolved. `confirm` 0 none, 1 accepted, 2 declined, 3 tentative. */
export class AppointmentUser {
  @Field.int({ doc: 'User id', min: 0 }) id!: number;
  @Field.text({ doc: 'Name shown', optional: true, readOnly: true }) display_name?: string;
  @Field.int({ doc: '0 none, 1 accepted, 2 declined, 3 tentative', optional: true, min: 0, max: 3 })
  confirm?: number;
  @Field.text({ doc: 'Message beside the answer', optional: true, maxLength: 8192 }) confirmmessage?: string;
}

/** The answer of an external participant. */
export class AppointmentConfirmation {
  @Field.int({ doc: '5 external', optional: true }) type?: number;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 }) mail?: string;
  @Field.text({ doc: 'Name shown', optional: true, maxLength: 1024 }) display_name?: string;
  @Field.int({ doc: '0 none, 1 accepted, 2 declined, 3 tentative', optional: true, min: 0, max: 3 })
  status?: number;
  @Field.text({ doc: 'Message beside the answer', optional: true, maxLength: 8192 }) message?: string;
}

/** An appointment, a series, or one of its exceptions (column table "Calendar"). */
export class AppointmentData extends CommonObject {
  @Field.text({ column: 100, doc: 'Categories, separated by commas', optional: true, maxLength: 1024 })
  categories?: string;
  @Field.boolean({ column: 101, doc: 'Others see only the time', optional: true }) private_flag?: boolean;
  @Field.int({ column: 102, doc: 'Colour, 0 to 10', optional: true }) color_label?: number;
  @Field.int({ column: 104, doc: 'Number of attachments', optional: true, readOnly: true })
  number_of_attachments?: number;
  @Field.timestamp({ column: 105, doc: 'When the newest attachment was made', optional: true, readOnly: true })
  lastModifiedOfNewestAttachmentUTC?: number;
  @Field.text({ column: 200, doc: 'Title', optional: true, maxLength: 255 }) title?: string;
  @Field.time({
    column: 201,
    doc: 'Start: a date (UTC midnight) when full_time, else a time',
    optional: true,
  })
  start_date?: number;
  @Field.time({
    column: 202,
    doc: 'End, exclusive; the day after the last one when full_time',
    optional: true,
  })
  end_date?: number;
  @Field.text({ column: 203, doc: 'Note', optional: true }) note?: string;
  @Field.int({ column: 204, doc: 'Minutes before the start; -1 removes it', optional: true, min: -1 })
  alarm?: number;
  @Field.int({
    column: 206,
    doc: 'Id of the series; equal to id on the series itself',
    optional: true,
    min: 0,
  })
  recurrence_id?: number;
  @Field.int({
    column: 207,
    doc: 'Number of the occurrence, from 1; deleted ones keep theirs',
    optional: true,
    min: 0,
  })
  recurrence_position?: number;
  @Field.date({ column: 208, doc: 'Original day of the occurrence', optional: true })
  recurrence_date_position?: number;
  @Field.int({ column: 209, doc: '0 none, 1 daily, 2 weekly, 3 monthly, 4 yearly', optional: true })
  recurrence_type?: number;
  @Field.listOf('date', { column: 210, doc: 'Original days of changed occurrences', optional: true, readOnly: true })
  change_exceptions?: number[];
  @Field.listOf('date', { column: 211, doc: 'Days of deleted occurrences', optional: true, readOnly: true })
  delete_exceptions?: number[];
  @Field.int({ column: 212, doc: 'Weekdays as bits, Sunday 1 to Saturday 64', optional: true })
  days?: number;
  @Field.int({ column: 213, doc: 'Day of the month, or rank of the weekday (5 last)', optional: true })
  day_in_month?: number;
  @Field.int({ column: 214, doc: 'Month, 0 January', optional: true }) month?: number;
  @Field.int({ column: 215, doc: 'Every so many days, weeks, months', optional: true }) interval?: number;
  @Field.date({ column: 216, doc: 'Last day, inclusive; not together with occurrences', optional: true })
  until?: number;
  @Field.boolean({ column: 217, doc: 'Tell the participants', optional: true, writeOnly: true })
  notification?: boolean;
  @Field.list(() => AppointmentParticipant, { column: 220, doc: 'Who is invited', optional: true })
  participants?: AppointmentParticipant[];
  @Field.list(() => AppointmentUser, { column: 221, doc: 'Users who take part, with their answers', optional: true })
  users?: AppointmentUser[];
  @Field.int({ column: 222, doc: 'Number of occurrences; not together with until', optional: true })
  occurrences?: number;
  @Field.text({ column: 223, doc: 'Globally unique id; written once', optional: true, maxLength: 1024 }) uid?: string;
  @Field.text({ column: 224, doc: 'Mail address of the organizer', optional: true, maxLength: 1024 })
  organizer?: string;
  @Field.int({ column: 225, doc: 'Number of relevant changes', optional: true, readOnly: true }) sequence?: number;
  @Field.list(() => AppointmentConfirmation, {
    column: 226,
    doc: 'Answers of external participants',
    optional: true,
    readOnly: true,
  })
  confirmations?: AppointmentConfirmation[];
  @Field.int({ column: 227, doc: 'User id of the organizer', optional: true, readOnly: true }) organizerId?: number;
  @Field.text({ column: 228, doc: 'Mail address of the owner of the calendar', optional: true, maxLength: 1024 })
  principal?: string;
  @Field.int({ column: 229, doc: 'User id of the owner of the calendar', optional: true, readOnly: true })
  principalId?: number;
  @Field.text({ column: 400, doc: 'Location', optional: true, maxLength: 255 }) location?: string;
  @Field.boolean({ column: 401, doc: 'Whole days', optional: true }) full_time?: boolean;
  @Field.int({ column: 402, doc: '1 reserved, 2 temporary, 3 absent, 4 free', optional: true })
  shown_as?: number;
  @Field.text({ column: 408, doc: 'Zone the series is expanded in', optional: true, maxLength: 128 })
  timezone?: string;
  @Field.date({ column: 410, doc: 'Day of the first occurrence', optional: true, readOnly: true })
  recurrence_start?: number;
  @Field.boolean({ doc: 'Store it in spite of soft conflicts', optional: true, writeOnly: true })
  ignore_conflicts?: boolean;
}

/** Meaning of the column aliases in `columns`. */
export const APPOINTMENT_COLUMN_ALIASES: Readonly<Record<string, readonly number[]>> = {
  all: [1, 20, 207, 206, 2],
  list: [1, 20, 207, 206, 2, 200, 201, 202, 203, 209, 221, 401, 402, 102, 400, 101, 220, 215, 100],
};
