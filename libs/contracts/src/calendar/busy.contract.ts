import { APPOINTMENT_RIGHTS } from './appointment.access';
import { requireRights, allowCallers, defineModule, Field, internal, value } from '../kit';
import { CalendarErrors } from './calendar.errors';

/** A user or resource whose busy time is asked for. */
export class BusyEntity {
  @Field.int({ doc: '1 user, 3 resource', values: [1, 3] }) type!: number;
  @Field.int({ doc: 'Id of the user or resource' }) id!: number;
  @Field.text({ doc: 'Zone in which whole days and floating times are meant', maxLength: 64 }) timeZone!: string;
}

/** Entities and period of a question for busy time. */
export class BusyPeriodsQuery {
  @Field.list(() => BusyEntity, { doc: 'Users and resources' }) entities!: BusyEntity[];
  @Field.timestamp({ doc: 'Begin, ms UTC' }) from!: number;
  @Field.timestamp({ doc: 'End, ms UTC, exclusive' }) until!: number;
  @Field.int({ doc: 'An appointment or series that is left out', optional: true }) except?: number;
  @Field.boolean({ doc: 'Tell the appointment of each time, too', optional: true }) identify?: boolean;
  @Field.boolean({
    doc: 'As events are told: whole times, not cut to the range; no free ones; tentative ones, and answers, as temporary',
    optional: true,
  })
  ofEvents?: boolean;
}

/** Most appointments that one question for details may name. */
export const MAX_BUSY_DETAILS = 1000;

/** Appointments of busy times. */
export class BusyDetailsQuery {
  @Field.listOf('int', { doc: 'Ids of appointments', maxItems: MAX_BUSY_DETAILS }) ids!: number[];
}

/** Details of an appointment behind a busy time. */
export interface BusyDetails {
  readonly id: string;
  readonly folder_id: string;
  readonly title?: string;
  readonly location?: string;
  readonly full_time: boolean;
}

/** Busy time for other services, straight from the appointments. */
export const calendarBusy = defineModule(
  'calendar-busy',
  {
    periods: internal({
      access: allowCallers('the freebusy service has asked whose times may be seen'),
      calledBy: ['freebusy'],
      doc: 'The times of everything the entities attend and have not declined, unmerged, cut to the range unless they are asked for as events. For each entity, in order, a flat list of start (ms after the begin of the range), length (ms) and shown_as (1 reserved, 2 temporary, 3 absent, 4 free), with `identify` followed by the id. Private appointments of users are left out',
      query: BusyPeriodsQuery,
      reply: value<number[][]>('a list of numbers per entity'),
      repeatable: true,
      errors: [CalendarErrors.tooMany],
    }),
    details: internal({
      access: requireRights(APPOINTMENT_RIGHTS.read),
      calledBy: ['freebusy'],
      doc: 'What the user may know of appointments that make somebody busy; those he may not read are left out',
      query: BusyDetailsQuery,
      reply: value<BusyDetails[]>('details by appointment'),
      repeatable: true,
    }),
  },
  { service: 'calendar' },
);
