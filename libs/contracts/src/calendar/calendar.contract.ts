import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import { QuotaErrors } from '../quota/quota.errors';
import { action, defineModule, Field, json, jsonOneOrList, one, requireRights, rows, value } from '../kit';
import { AppointmentData } from './appointment.model';
import { AppointmentErrors, CalendarErrors } from './calendar.errors';
import { inFolder, ofAppointment, ofContent } from './calendar.refusals';
import { APPOINTMENT_RIGHTS } from './appointment.access';

/** The zone of a request. */
export class TimeZoneQuery {
  @Field.text({
    doc: 'Zone of the times in request and answer; default: the zone of the user',
    optional: true,
    maxLength: 128,
  })
  timezone?: string;
}

/** A range of one or all calendars. */
export class AppointmentRangeQuery extends TimeZoneQuery {
  @Field.time({ doc: "Inclusive lower bound, as the user's clock shows it" }) start!: number;
  @Field.time({ doc: 'Exclusive upper bound' }) end!: number;
  @Field.columns({ doc: 'Column numbers of the answer, or all, or list' }) columns!: string[];
  @Field.id({
    doc: 'Folder; default: all calendars that the user sees, each appointment once: in his own calendar, in the folder it lies in, or in that of somebody who is invited',
    optional: true,
  })
  folder?: string;
  @Field.boolean({ doc: 'Answer a series once instead of its occurrences', optional: true })
  recurrence_master?: boolean;
  @Field.boolean({ doc: 'In shared folders, answer private appointments as blocks without details', optional: true })
  showPrivate?: boolean;
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
  @Field.text({
    doc: 'contained: appointments that lie in the range; overlap: all that touch it; default: the configured one',
    optional: true,
    values: ['contained', 'overlap'],
  })
  range?: string;
}

/** One appointment, or one occurrence of a series. */
export class AppointmentQuery extends TimeZoneQuery {
  @Field.id({ doc: 'Appointment' }) id!: string;
  @Field.id({ doc: 'Folder of the appointment, as the user sees it' }) folder!: string;
  @Field.int({ doc: 'Number of the occurrence, from 1; 0: none', optional: true, min: 0 }) recurrence_position?: number;
  @Field.date({ doc: 'Original day of the occurrence', optional: true }) recurrence_date_position?: number;
}

/** Columns of a list. */
export class AppointmentListQuery extends TimeZoneQuery {
  @Field.columns({ doc: 'Column numbers of the answer, or all, or list' }) columns!: string[];
  @Field.boolean({ doc: 'Answer series instead of their first occurrence', optional: true })
  recurrence_master?: boolean;
}

/** Names an appointment, or one occurrence of a series. */
export class AppointmentReference {
  @Field.id({ doc: 'Appointment' }) id!: string;
  @Field.id({ doc: 'Folder of the appointment, as the user sees it', optional: true }) folder?: string;
  @Field.id({ doc: 'Other spelling of folder', optional: true }) folder_id?: string;
  @Field.int({ doc: 'Number of the occurrence, from 1', optional: true, min: 0 })
  recurrence_position?: number;
  @Field.int({ doc: 'Other spelling of recurrence_position', optional: true, min: 0 }) pos?: number;
  @Field.date({ doc: 'Original day of the occurrence', optional: true }) recurrence_date_position?: number;
}

/** Which appointment to change. */
export class AppointmentUpdateQuery extends TimeZoneQuery {
  @Field.id({ doc: 'Appointment' }) id!: string;
  @Field.id({ doc: 'Folder of the appointment, as the user sees it' }) folder!: string;
  @Field.timestamp({ doc: 'Timestamp of the appointment as the client knows it' }) timestamp!: number;
}

/** Parameters of a deletion. */
export class AppointmentDeletionQuery extends TimeZoneQuery {
  @Field.timestamp({ doc: 'Appointments changed later stay and are named in the answer' }) timestamp!: number;
}

/** One appointment in the way. */
export class AppointmentConflict extends AppointmentData {
  @Field.boolean({ doc: 'A resource is booked: cannot be ignored', optional: true }) hard_conflict?: boolean;
}

/** The outcome of a change: the id, or what is in the way. */
export class AppointmentCreation {
  @Field.id({ doc: 'Id; absent when nothing was stored', optional: true }) id?: string;
  @Field.list(() => AppointmentConflict, { doc: 'What is in the way', optional: true })
  conflicts?: AppointmentConflict[];
}

/** An appointment that stayed. */
export class RemainingAppointment {
  @Field.id({ doc: 'Appointment' }) id!: string;
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.int({ doc: 'Number of the occurrence', optional: true }) pos?: number;
}

/** Appointments. */
export const calendar = defineModule('calendar', {
  all: action({
    access: requireRights(APPOINTMENT_RIGHTS.read),
    appScopes: ['read_calendar'],
    guests: true,
    http: 'GET',
    doc: 'Lists appointments of a range in the order of their start, series expanded',
    query: AppointmentRangeQuery,
    reply: rows(AppointmentData),
    auth: 'session',
    capability: 'calendar',
    errors: [...inFolder, CalendarErrors.badTimeZone, CalendarErrors.tooMany, RequestErrors.missingParameter],
  }),
  get: action({
    access: requireRights(APPOINTMENT_RIGHTS.read),
    appScopes: ['read_calendar'],
    guests: true,
    http: 'GET',
    doc: 'Reads one appointment or one occurrence',
    query: AppointmentQuery,
    reply: one(AppointmentData),
    auth: 'session',
    capability: 'calendar',
    errors: [
      ...ofAppointment,
      CalendarErrors.badTimeZone,
      AppointmentErrors.occurrenceGone,
      AppointmentErrors.notASeries,
    ],
  }),
  list: action({
    access: requireRights(APPOINTMENT_RIGHTS.read),
    appScopes: ['read_calendar'],
    guests: true,
    http: 'PUT',
    doc: 'Reads appointments by id; rows in the order asked for, missing ones left out',
    query: AppointmentListQuery,
    body: jsonOneOrList(AppointmentReference),
    reply: rows(AppointmentData),
    reads: true,
    auth: 'session',
    capability: 'calendar',
    errors: [CalendarErrors.badTimeZone],
  }),
  new: action({
    access: requireRights(APPOINTMENT_RIGHTS.create),
    appScopes: ['write_calendar'],
    http: 'PUT',
    doc: 'Creates an appointment or a series, or answers the conflicts that stand against it',
    query: TimeZoneQuery,
    body: json(AppointmentData, { tooLong: CalendarErrors.valueTooLong }),
    reply: one(AppointmentCreation),
    auth: 'session',
    capability: 'calendar',
    errors: [
      ...ofContent,
      FolderErrors.notFound,
      FolderErrors.notVisible,
      FolderErrors.badId,
      AppointmentErrors.idGiven,
      AppointmentErrors.notACalendar,
      AppointmentErrors.badDays,
      AppointmentErrors.untilAndOccurrences,
      AppointmentErrors.superfluousRecurrence,
      CalendarErrors.badData,
      AppointmentErrors.startMissing,
      AppointmentErrors.endMissing,
      AppointmentErrors.privateNotHere,
      AppointmentErrors.uidTaken,
      AppointmentErrors.externalWithoutAddress,
      AppointmentErrors.externalTwice,
      CalendarErrors.badTimeZone,
      CalendarErrors.attendeeChange,
      CalendarErrors.providerReadOnly,
      QuotaErrors.exceeded,
    ],
  }),
  update: action({
    access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.write),
    appScopes: ['write_calendar'],
    http: 'PUT',
    doc: 'Changes an appointment, a series, or one occurrence (recurrence_position in the body), which then gets an id of its own',
    query: AppointmentUpdateQuery,
    body: json(AppointmentData, { tooLong: CalendarErrors.valueTooLong }),
    reply: one(AppointmentCreation),
    auth: 'session',
    capability: 'calendar',
    errors: [
      ...ofAppointment,
      ...ofContent,
      CalendarErrors.badTimeZone,
      CalendarErrors.badRule,
      CalendarErrors.classifiedMoves,
      CalendarErrors.classOfException,
      AppointmentErrors.seriesMoves,
      AppointmentErrors.unknownPosition,
      AppointmentErrors.occurrenceGone,
      AppointmentErrors.notASeries,
      AppointmentErrors.occurrenceMoves,
      AppointmentErrors.exceptionTypeChanges,
      AppointmentErrors.exceptionPositionChanges,
      AppointmentErrors.exceptionBecomesSeries,
      AppointmentErrors.lastParticipant,
      AppointmentErrors.ownerStays,
      AppointmentErrors.uidTaken,
      CalendarErrors.notOrganizer,
      CalendarErrors.concurrentChange,
      CalendarErrors.providerReadOnly,
      QuotaErrors.exceeded,
    ],
  }),
  delete: action({
    access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.remove),
    appScopes: ['write_calendar'],
    http: 'PUT',
    doc: 'Deletes appointments, series or occurrences; answers those that were changed after the timestamp and stay',
    query: AppointmentDeletionQuery,
    body: jsonOneOrList(AppointmentReference),
    reply: value<RemainingAppointment[]>('the appointments that stay'),
    auth: 'session',
    capability: 'calendar',
    errors: [
      ...ofAppointment,
      CalendarErrors.noDeletePermission,
      CalendarErrors.providerReadOnly,
      CalendarErrors.badTimeZone,
      AppointmentErrors.unknownPosition,
      AppointmentErrors.occurrenceGone,
      AppointmentErrors.notASeries,
    ],
  }),
});
