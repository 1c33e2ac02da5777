import { APPOINTMENT_RIGHTS } from '../calendar/appointment.access';
import { CalendarErrors } from '../calendar/calendar.errors';
import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import { action, allowCallers, defineModule, Field, jsonList, many, one, requireRights } from '../kit';
import { EventFieldsQuery, EventWriteQuery, PUSH_TOKEN } from './chronos.queries';
import { AlarmData, CalendarResult } from './event.model';

/** Which triggers are asked for. */
export class PendingAlarmsQuery {
  @Field.text({ doc: 'End, inclusive: `20170708T220000Z` or a day, UTC', maxLength: 64 }) rangeEnd!: string;
  @Field.text({ doc: 'Begin; default: everything that is overdue', optional: true, maxLength: 64 }) rangeStart?: string;
  @Field.text({ doc: 'Actions, separated by commas; default DISPLAY,AUDIO', optional: true, maxLength: 256 })
  actions?: string;
}

/** Which alarm, and perhaps of which event. */
export class AlarmQuery extends EventFieldsQuery {
  @Field.id({ doc: 'Folder; default: that of the event whose alarm is the next', optional: true }) folder?: string;
  @Field.id({ doc: 'Event; default: the one whose alarm is the next', optional: true }) id?: string;
  @Field.int({ doc: 'Alarm' }) alarmId!: number;
  @Field.text(PUSH_TOKEN) pushToken?: string;
}

/** An alarm that comes again. */
export class AlarmSnoozeQuery extends AlarmQuery {
  @Field.int({ doc: 'Comes again after so long, ms', min: 1, max: 366 * 86_400_000 }) snoozeTime!: number;
}

/** The event whose alarms are replaced. */
export class EventAlarmsQuery extends EventWriteQuery {
  @Field.id({ doc: 'Event' }) id!: string;
  @Field.text({ doc: 'Original start of an occurrence', optional: true, maxLength: 256 }) recurrenceId?: string;
  @Field.timestamp({ doc: 'Timestamp of the event as the client knows it; default: as it is', optional: true })
  timestamp?: number;
}

/** The next time of an alarm. */
export class AlarmTriggerResult {
  @Field.text({ doc: 'Alarm' }) alarmId!: string;
  @Field.text({ doc: 'DISPLAY, AUDIO or EMAIL' }) action!: string;
  @Field.text({ doc: 'Event, or its series' }) eventId!: string;
  @Field.text({ doc: 'Folder in which the user sees it' }) folder!: string;
  @Field.int({ doc: 'Account of the folder: 0' }) account!: number;
  @Field.text({ doc: 'When it goes off: `20170708T220000Z`' }) time!: string;
  @Field.text({ doc: 'Original start of the occurrence', optional: true }) recurrenceId?: string;
}

const errors = [
  FolderErrors.notFound,
  FolderErrors.notVisible,
  CalendarErrors.eventNotFound,
  CalendarErrors.eventNotInFolder,
  CalendarErrors.alarmNotFound,
  CalendarErrors.badTimeZone,
];
const changing = {
  access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.reply),
  appScopes: ['write_calendar'],
  auth: 'session',
  capability: 'calendar',
  repeatable: false,
  errors,
} as const;
const acknowledging = {
  ...changing,
  doc: 'Acknowledges an alarm: of a series the next occurrence is then pending',
  query: AlarmQuery,
  reply: one(CalendarResult),
} as const;
const snoozing = {
  ...changing,
  doc: 'Acknowledges an alarm and adds one that comes later',
  query: AlarmSnoozeQuery,
  reply: one(CalendarResult),
} as const;

/** Alarms of events. */
export const chronosAlarms = defineModule(
  'chronos/alarm',
  {
    pending: action({
      access: allowCallers('alarms of the user alone'),
      appScopes: ['read_calendar'],
      auth: 'session',
      capability: 'calendar',
      http: 'GET',
      doc: 'Lists the next time of each alarm of the user, overdue ones included, in the order of time',
      query: PendingAlarmsQuery,
      reply: many(AlarmTriggerResult),
      errors: [RequestErrors.badParameter, RequestErrors.missingParameter],
    }),
    ack: action({ ...acknowledging, http: 'GET' }),
    ackByPut: action({ ...acknowledging, http: 'PUT', action: 'ack' }),
    snooze: action({ ...snoozing, http: 'GET' }),
    snoozeByPut: action({ ...snoozing, http: 'PUT', action: 'snooze' }),
    updateAlarms: action({
      ...changing,
      http: 'PUT',
      doc: 'Replaces the alarms of the user; those of one occurrence make an event of it',
      query: EventAlarmsQuery,
      body: jsonList(AlarmData),
      reply: one(CalendarResult),
      errors: [
        FolderErrors.notFound,
        FolderErrors.notVisible,
        CalendarErrors.eventNotFound,
        CalendarErrors.eventNotInFolder,
        CalendarErrors.occurrenceNotFound,
        CalendarErrors.badTimeZone,
        CalendarErrors.badAlarm,
        CalendarErrors.tooManyAlarms,
        CalendarErrors.concurrentChange,
      ],
    }),
  },
  { service: 'calendar' },
);
