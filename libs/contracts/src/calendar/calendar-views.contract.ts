import { action, allowCallers, defineModule, Field, json, one, requireRights, rows, value } from '../kit';
import { AppointmentData } from './appointment.model';
import { TimeZoneQuery } from './calendar.contract';
import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import { AppointmentErrors, CalendarErrors, ObjectErrors } from './calendar.errors';
import { inFolder, ofAppointment } from './calendar.refusals';
import { APPOINTMENT_RIGHTS } from './appointment.access';
import { FREE_BUSY_RIGHTS } from '../freebusy/freebusy.access';

/** Days of a calendar. */
export class DaysQuery extends TimeZoneQuery {
  @Field.time({ doc: 'First day: any time of it' }) start!: number;
  @Field.time({ doc: 'Exclusive upper bound' }) end!: number;
}

/** User or resource whose busy times are asked for. */
export class BusyTimesQuery extends TimeZoneQuery {
  @Field.int({ doc: 'Id of the user or resource', min: 0 }) id!: number;
  @Field.int({ doc: '1 user, 3 resource' }) type!: number;
  @Field.time({ doc: "Lower bound, as the user's clock shows it" }) start!: number;
  @Field.time({ doc: 'Exclusive upper bound' }) end!: number;
}

/** Columns of a search. */
export class AppointmentSearchQuery extends TimeZoneQuery {
  @Field.columns({ doc: 'Column numbers of the answer, or all, or list' }) columns!: string[];
}

/** Criteria of a search: one of `pattern` and `startletter`. */
export class AppointmentSearch {
  @Field.text({
    doc: 'Text of the title, whatever its case: * stands for any characters, ? for one; without them the text may be anywhere',
    optional: true,
    maxLength: 1024,
  })
  pattern?: string;
  @Field.text({ doc: 'First characters of the title', optional: true, maxLength: 1024 }) startletter?: string;
  @Field.id({ doc: 'Folder; default: everything the user takes part in', optional: true }) folder?: string;
}

/** The next appointments. */
export class NextAppointmentsQuery extends TimeZoneQuery {
  @Field.columns({ doc: 'Column numbers of the answer, or all, or list' }) columns!: string[];
  @Field.time({ doc: "Lower bound, as the user's clock shows it" }) start!: number;
  @Field.time({ doc: 'Exclusive upper bound' }) end!: number;
  @Field.text({ doc: 'At most so many, or the rows of a half-open range from,to', maxLength: 32 }) limit!: string;
  @Field.text({
    doc: 'Column to sort by; default: start_date',
    optional: true,
    maxLength: 64,
  })
  sort?: string;
  @Field.text({
    doc: 'asc (default) or desc, only together with sort',
    optional: true,
    values: ['asc', 'desc', 'ASC', 'DESC'],
  })
  order?: string;
}

/** A globally unique id. */
export class UidQuery extends TimeZoneQuery {
  @Field.text({ doc: 'Globally unique id', minLength: 1, maxLength: 1024 }) uid!: string;
}

/** The appointment a unique id belongs to. */
export class ResolvedAppointment {
  @Field.id({ doc: 'Id' }) id!: string;
}

/** Series whose exceptions are asked for. */
export class ChangeExceptionsQuery extends TimeZoneQuery {
  @Field.id({ doc: 'Series' }) id!: string;
  @Field.id({ doc: 'Folder of the series, as the user sees it' }) folder!: string;
  @Field.columns({ doc: 'Column numbers of the answer, or all, or list' }) columns!: string[];
}

/** Changes since a timestamp. */
export class AppointmentUpdatesQuery extends TimeZoneQuery {
  @Field.timestamp({ doc: 'Timestamp of the last answer; 0 for everything' }) timestamp!: number;
  @Field.columns({ doc: 'Column numbers of the answer, or all, or list' }) columns!: string[];
  @Field.id({ doc: 'Folder; needed unless deletions are ignored', optional: true }) folder?: string;
  @Field.time({ doc: 'Lower bound of a range; needed without folder', optional: true }) start?: number;
  @Field.time({ doc: 'Exclusive upper bound of a range; needed without folder', optional: true }) end?: number;
  @Field.text({ doc: 'What to leave out: deleted, changed', optional: true, maxLength: 64 }) ignore?: string;
  @Field.boolean({ doc: 'Answer a series once instead of its occurrences', optional: true })
  recurrence_master?: boolean;
  @Field.boolean({ doc: 'In shared folders, answer private appointments as blocks without details', optional: true })
  showPrivate?: boolean;
}

/** An appointment that is no longer in the folder, or no longer in the range asked for. */
export interface DeletedAppointment {
  readonly id: string;
  readonly folder: string;
  readonly folder_id: string;
  readonly recurrence_id?: number;
  readonly recurrence_position?: number;
  readonly recurrence_date_position?: number;
}

const range = [CalendarErrors.tooMany, CalendarErrors.badTimeZone];

/** Further views of calendars. */
export const calendarViews = defineModule('calendar', {
  has: action({
    access: allowCallers('the days of appointments of the user of the session'),
    appScopes: ['read_calendar'],
    http: 'GET',
    doc: 'Tells for each day of a range whether the user has an appointment on it',
    query: DaysQuery,
    reply: value<boolean[]>('one value per day, the first for the day of start'),
    auth: 'session',
    capability: 'calendar',
    errors: [CalendarErrors.badTimeZone],
  }),
  search: action({
    access: requireRights(APPOINTMENT_RIGHTS.read),
    appScopes: ['read_calendar'],
    guests: true,
    http: 'PUT',
    doc: 'Searches appointments by title; series are not expanded',
    query: AppointmentSearchQuery,
    body: json(AppointmentSearch),
    reply: rows(AppointmentData),
    reads: true,
    auth: 'session',
    capability: 'calendar',
    errors: [
      ...range,
      AppointmentErrors.patternTooShort,
      AppointmentErrors.notReadable,
      FolderErrors.notFound,
      FolderErrors.notVisible,
      FolderErrors.badId,
    ],
  }),
  freebusy: action({
    access: requireRights(FREE_BUSY_RIGHTS.see, APPOINTMENT_RIGHTS.read),
    appScopes: ['read_calendar'],
    http: 'GET',
    doc: 'Lists the times at which a user or a resource is busy, series expanded; appointments the caller may not read show their times only. Of a user who hides his times: none, with a warning',
    query: BusyTimesQuery,
    reply: value<AppointmentData[]>('appointments that touch the range, in the order of their start'),
    auth: 'session',
    capability: 'calendar',
    errors: [...range, AppointmentErrors.unsupportedFreeBusyType],
  }),
  newappointments: action({
    access: requireRights(APPOINTMENT_RIGHTS.read),
    appScopes: ['read_calendar'],
    http: 'GET',
    doc: 'Lists the next appointments of the user, series expanded',
    query: NextAppointmentsQuery,
    reply: rows(AppointmentData),
    auth: 'session',
    capability: 'calendar',
    errors: [CalendarErrors.badTimeZone, RequestErrors.missingParameter],
  }),
  resolveuid: action({
    access: allowCallers('finds among appointments of the user of the session'),
    appScopes: ['read_calendar'],
    http: 'GET',
    doc: 'Finds an appointment of the user by its unique id',
    query: UidQuery,
    reply: one(ResolvedAppointment),
    auth: 'session',
    capability: 'calendar',
    errors: [ObjectErrors.notFound, CalendarErrors.badTimeZone],
  }),
  getChangeExceptions: action({
    access: requireRights(APPOINTMENT_RIGHTS.read),
    appScopes: ['read_calendar'],
    http: 'GET',
    doc: 'Lists the changed occurrences of a series',
    query: ChangeExceptionsQuery,
    reply: rows(AppointmentData),
    auth: 'session',
    capability: 'calendar',
    errors: [...ofAppointment, CalendarErrors.badTimeZone],
  }),
  updates: action({
    access: requireRights(APPOINTMENT_RIGHTS.read),
    appScopes: ['read_calendar'],
    guests: true,
    http: 'GET',
    doc: 'Lists what changed since a timestamp: rows of new and changed appointments, then an object for each deleted one',
    query: AppointmentUpdatesQuery,
    reply: value<(unknown[] | DeletedAppointment)[]>('rows of changed appointments and objects of deleted ones'),
    auth: 'session',
    capability: 'calendar',
    errors: [...inFolder, ...range, CalendarErrors.resyncNeeded],
  }),
});
