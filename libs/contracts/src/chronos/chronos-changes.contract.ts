import { APPOINTMENT_RIGHTS } from '../calendar/appointment.access';
import { CalendarErrors } from '../calendar/calendar.errors';
import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import { AttachmentErrors } from '../attachments/attachment.errors';
import { MAX_ATTACHMENT_UPLOAD } from '../attachments/attachment.properties';
import { action, defineModule, json, jsonOneOrList, many, one, page, requireRights, upload } from '../kit';
import { ofEvent } from './chronos.contract';
import {
  EventChangeQuery,
  EventDeletionQuery,
  EventMoveQuery,
  EventUpdateQuery,
  EventWriteQuery,
} from './chronos.queries';
import {
  AttendeeAndAlarmsBody,
  CalendarItemResult,
  CalendarResult,
  EventData,
  EventDeletionBody,
  EventOrganizerBody,
  EventUpdateBody,
} from './event.model';

/** Errors of what an event may contain. */
const ofContent = [
  CalendarErrors.providerReadOnly,
  CalendarErrors.noWritePermission,
  CalendarErrors.badCalendarUser,
  CalendarErrors.badRule,
  CalendarErrors.badGeo,
  CalendarErrors.badAlarm,
  CalendarErrors.badData,
  CalendarErrors.badCharacter,
  CalendarErrors.endBeforeStart,
  CalendarErrors.mixedTimes,
  CalendarErrors.unsupportedRule,
  CalendarErrors.valueTooLong,
];

const changing = {
  appScopes: ['write_calendar'],
  auth: 'session',
  capability: 'calendar',
} as const;

/** Changes of events. */
export const chronosChanges = defineModule(
  'chronos',
  {
    new: action({
      ...changing,
      access: requireRights(APPOINTMENT_RIGHTS.create),
      http: 'PUT',
      doc: 'Creates an event or a series, or answers the conflicts that stand against it',
      query: EventWriteQuery,
      body: json(EventData),
      reply: one(CalendarResult),
      errors: [
        CalendarErrors.badTimeZone,
        ...ofContent,
        FolderErrors.notFound,
        FolderErrors.notVisible,
        CalendarErrors.fieldMissing,
        CalendarErrors.uidTaken,
        CalendarErrors.privateNotAllowed,
        CalendarErrors.tooManyAlarms,
        CalendarErrors.unsupportedFolder,
        CalendarErrors.tooMany,
        RequestErrors.badParameter,
      ],
    }),
    update: action({
      ...changing,
      access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.write),
      http: 'PUT',
      doc: 'Changes an event, a series, an occurrence, or an occurrence and all that follow',
      query: EventUpdateQuery,
      body: json(EventUpdateBody),
      reply: one(CalendarResult),
      errors: [
        CalendarErrors.badTimeZone,
        ...ofEvent.filter((each) => each !== CalendarErrors.noReadPermission),
        ...ofContent,
        CalendarErrors.attendeeChange,
        CalendarErrors.changeForbidden,
        CalendarErrors.notOrganizer,
        CalendarErrors.occurrenceNotInSeries,
        CalendarErrors.badSplit,
        CalendarErrors.classOfException,
        CalendarErrors.concurrentChange,
      ],
    }),
    newWithFiles: action({
      ...changing,
      access: requireRights(APPOINTMENT_RIGHTS.create),
      http: 'POST',
      action: 'new',
      doc: 'The same with files: json_0 with the event, whose attachments with the uri `cid:file_0` take the part of that name',
      query: EventWriteQuery,
      body: upload<Record<string, string>>(undefined, { limit: MAX_ATTACHMENT_UPLOAD }),
      reply: page<CalendarResult>('the outcome'),
      repeatable: false,
      deadlineMs: 120_000,
      errors: [
        CalendarErrors.badTimeZone,
        RequestErrors.missingParameter,
        RequestErrors.brokenJson,
        RequestErrors.badBodyData,
        CalendarErrors.badData,
        AttachmentErrors.invalid,
      ],
    }),
    updateWithFiles: action({
      ...changing,
      access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.write),
      http: 'POST',
      action: 'update',
      doc: 'The same with files: json_0 with the change. Files come after it: where they are refused, the change stays',
      query: EventUpdateQuery,
      body: upload<Record<string, string>>(undefined, { limit: MAX_ATTACHMENT_UPLOAD }),
      reply: page<CalendarResult>('the outcome'),
      repeatable: false,
      deadlineMs: 120_000,
      errors: [
        CalendarErrors.badTimeZone,
        RequestErrors.missingParameter,
        CalendarErrors.badData,
        CalendarErrors.concurrentChange,
      ],
    }),
    changeOrganizer: action({
      ...changing,
      access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.write),
      http: 'PUT',
      doc: 'Makes another internal user the organizer, where that is switched on',
      query: EventUpdateQuery,
      body: json(EventOrganizerBody),
      reply: one(CalendarResult),
      errors: [
        FolderErrors.notFound,
        CalendarErrors.eventNotFound,
        CalendarErrors.badTimeZone,
        CalendarErrors.changeForbidden,
        CalendarErrors.badCalendarUser,
        CalendarErrors.concurrentChange,
      ],
    }),
    updateAttendee: action({
      ...changing,
      access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.reply),
      http: 'PUT',
      doc: 'Answers an invitation, sets the own alarms, or both; for one occurrence it becomes an event of its own',
      query: EventChangeQuery,
      body: json(AttendeeAndAlarmsBody),
      reply: one(CalendarResult),
      errors: [
        CalendarErrors.badTimeZone,
        ...ofEvent.filter((each) => each !== CalendarErrors.noReadPermission),
        CalendarErrors.attendeeChange,
        CalendarErrors.attendeeNotFound,
        CalendarErrors.badAlarm,
        CalendarErrors.concurrentChange,
      ],
    }),
    move: action({
      ...changing,
      access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.write),
      http: 'PUT',
      doc: 'Moves an event to another calendar',
      query: EventMoveQuery,
      reply: one(CalendarResult),
      errors: [
        CalendarErrors.badTimeZone,
        FolderErrors.notFound,
        FolderErrors.notVisible,
        CalendarErrors.eventNotInFolder,
        CalendarErrors.noWritePermission,
        CalendarErrors.seriesMoves,
        CalendarErrors.occurrenceMoves,
        CalendarErrors.changeForbidden,
        CalendarErrors.classifiedMoves,
        CalendarErrors.concurrentChange,
      ],
    }),
    delete: action({
      ...changing,
      access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.remove),
      http: 'PUT',
      doc: 'Deletes events, series, occurrences, or an occurrence and all that follow: an outcome or an error for each',
      query: EventDeletionQuery,
      body: jsonOneOrList(EventDeletionBody),
      reply: many(CalendarItemResult),
      errors: [CalendarErrors.badTimeZone, RequestErrors.badParameter],
    }),
  },
  { service: 'calendar' },
);
