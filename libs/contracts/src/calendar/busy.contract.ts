import { defineModule, Field, internal, value } from '../kit';
import { CalendarErrors } from './calendar.errors';

/** Somebody or something whose busy time is asked for. */
export class BusyEntity {
  @Field.int({ doc: '1 user, 3 resource', values: [1, 3] }) type!: number;
  @Field.int({ doc: 'Id of the user or resource' }) id!: number;
  @Field.text({ doc: 'Zone in which whole days and floating times are meant', maxLength: 64 }) timeZone!: string;
}

/** Whose busy time, and when. */
export class BusyPeriodsQuery {
  @Field.list(() => BusyEntity, { doc: 'Users and resources' }) entities!: BusyEntity[];
  @Field.timestamp({ doc: 'Begin, ms UTC' }) from!: number;
  @Field.timestamp({ doc: 'End, ms UTC, exclusive' }) until!: number;
  @Field.int({ doc: 'An appointment or series that is left out', optional: true }) except?: number;
}

/** Busy time for other services, straight from the appointments. */
export const calendarBusy = defineModule(
  'calendar-busy',
  {
    periods: internal({
      doc: 'The times of everything the entities attend and have not declined, unmerged, cut to the range. For each entity, in order, a flat list of start (ms after the begin of the range), length (ms) and shown_as (1 reserved, 2 temporary, 3 absent, 4 free). Private appointments of users are left out',
      query: BusyPeriodsQuery,
      reply: value<number[][]>('a list of numbers per entity'),
      repeatable: true,
      errors: [CalendarErrors.tooMany],
    }),
  },
  { service: 'calendar' },
);
