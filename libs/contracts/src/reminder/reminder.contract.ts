import { TimeZoneQuery } from '../calendar/calendar.contract';
import { CalendarErrors } from '../calendar/calendar.errors';
import { action, allowCallers, defineModule, Field, json, jsonOneOrList, many, one, value } from '../kit';
import { ReminderErrors } from './reminder.errors';
import { ReminderData } from './reminder.model';

const OWN = allowCallers('reminders of the user of the session only');

/** Which reminders to answer. */
export class ReminderRangeQuery extends TimeZoneQuery {
  @Field.timestamp({ doc: 'Answer what is due until then, ms UTC; default: now', optional: true }) end?: number;
  @Field.listOf('int', { doc: 'Modules wanted (1 calendar, 4 tasks); default: all', optional: true, maxItems: 100 })
  modules?: number[];
}

/** Names a reminder. */
export class ReminderReference {
  @Field.int({ doc: 'Reminder', max: Number.MAX_SAFE_INTEGER, optional: true }) id?: number;
}

/** Which reminder comes again. */
export class ReminderQuery extends TimeZoneQuery {
  @Field.int({ doc: 'Reminder', max: Number.MAX_SAFE_INTEGER }) id!: number;
}

/** When a reminder comes again. */
export class ReminderTime {
  @Field.time({ doc: 'When to remind again', optional: true }) alarm?: number;
}

/** Reminders of the session's user. */
export const reminder = defineModule(
  'reminder',
  {
    range: action({
      access: OWN,
      appScopes: ['read_reminder'],
      http: 'GET',
      doc: 'Lists reminders of all modules that are due until a point in time and were not deleted, in the order of their alarms. A module that does not answer is left out, with a warning',
      query: ReminderRangeQuery,
      reply: many(ReminderData),
      auth: 'session',
      errors: [CalendarErrors.badTimeZone],
    }),
    delete: action({
      access: OWN,
      appScopes: ['write_reminder'],
      http: 'PUT',
      doc: 'Deletes reminders: they are not shown again; of a series the next occurrence keeps its own. Answers the ids that were not deleted; with a warning where their module does not answer',
      body: jsonOneOrList(ReminderReference),
      reply: value<number[]>('ids of reminders that do not exist'),
      auth: 'session',
      errors: [ReminderErrors.idMissing],
    }),
    remindAgain: action({
      access: OWN,
      appScopes: ['write_reminder'],
      http: 'PUT',
      doc: 'Lets a reminder come again at another time; the object stays as it is',
      query: ReminderQuery,
      body: json(ReminderTime),
      reply: one(ReminderData),
      auth: 'session',
      errors: [ReminderErrors.alarmMissing, ReminderErrors.notFound, CalendarErrors.badTimeZone],
    }),
  },
  { service: 'settings' },
);
