import { CalendarErrors } from '../calendar/calendar.errors';
import { action, allowCallers, defineModule, Field, json, many, value } from '../kit';
import { DateTimeData } from './event.model';

/** A time, perhaps recurring, at which a user is available. */
export class AvailableTimeData {
  @Field.int({ doc: 'Id', optional: true, readOnly: true }) id?: number;
  @Field.int({ doc: 'User', optional: true, readOnly: true }) user?: number;
  @Field.text({ doc: 'Globally unique id', optional: true, readOnly: true }) uid?: string;
  @Field.timestamp({ doc: 'Creation, ms UTC', optional: true, readOnly: true }) created?: number;
  @Field.timestamp({ doc: 'Last change, ms UTC', optional: true, readOnly: true }) modified?: number;
  @Field.text({ doc: 'Recurrence rule', optional: true, maxLength: 1024 }) rrule?: string;
  @Field.object(() => DateTimeData, { doc: 'Start', optional: true }) start?: DateTimeData;
  @Field.object(() => DateTimeData, { doc: 'End, exclusive', optional: true }) end?: DateTimeData;
}

/** Times at which a user is available; none clears them. */
export class AvailabilityBody {
  @Field.list(() => AvailableTimeData, { doc: 'Times, all of them', optional: true, maxItems: 200 })
  availableTimes?: AvailableTimeData[];
}

const common = {
  access: allowCallers('times of the user of the session alone'),
  auth: 'session',
  capability: 'calendar',
} as const;

/** When users are available. */
export const chronosAvailability = defineModule(
  'chronos/availability',
  {
    get: action({
      ...common,
      appScopes: ['read_calendar'],
      http: 'GET',
      doc: 'Lists the times at which the user is available, in the order in which they were set',
      reply: many(AvailableTimeData),
    }),
    set: action({
      ...common,
      appScopes: ['write_calendar'],
      http: 'PUT',
      doc: 'Replaces the times at which the user is available; an empty body clears them',
      body: json(AvailabilityBody),
      reply: value<object>('an empty object'),
      repeatable: true,
      errors: [
        CalendarErrors.fieldMissing,
        CalendarErrors.endBeforeStart,
        CalendarErrors.mixedTimes,
        CalendarErrors.badRule,
        CalendarErrors.badData,
      ],
    }),
  },
  { service: 'calendar' },
);
