import { Field } from '../kit';

/** Modules whose objects have reminders, as reminders name them. */
export const REMINDER_MODULE = { calendar: 1, tasks: 4 } as const;
/** See {@link REMINDER_MODULE}. */
export type ReminderModule = keyof typeof REMINDER_MODULE;

/** One alarm of one user: for series one of an occurrence. */
export class ReminderData {
  @Field.int({ doc: 'Reminder', max: Number.MAX_SAFE_INTEGER }) id!: number;
  @Field.int({ doc: 'Object to be reminded of' }) target_id!: number;
  @Field.int({ doc: 'Folder in which the user sees the object' }) folder!: number;
  @Field.time({ doc: 'When to remind; after remindAgain the time asked for' }) alarm!: number;
  @Field.int({ doc: '1 appointment, 4 task' }) module!: number;
  @Field.time({ doc: 'Time of the server' }) server_time!: number;
  @Field.int({ doc: 'Who is reminded' }) user_id!: number;
  @Field.timestamp({ doc: 'Last change of the reminder, ms UTC' }) last_modified!: number;
  @Field.int({ doc: 'Number of the occurrence, from 1; 0 unless a series' }) recurrence_position!: number;
}
