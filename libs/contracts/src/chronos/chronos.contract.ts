import { APPOINTMENT_RIGHTS } from '../calendar/appointment.access';
import { CalendarErrors } from '../calendar/calendar.errors';
import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import { action, defineModule, json, jsonOneOrList, many, one, requireRights, value } from '../kit';
import {
  AllEventsQuery,
  EventFieldsQuery,
  EventFoldersBody,
  EventQuery,
  EventUpdatesQuery,
  FolderEventsQuery,
  ResolveEventQuery,
  UnansweredEventsQuery,
} from './chronos.queries';
import { EventData, EventName, MAX_EVENT_IDS } from './event.model';

/** The events of one folder of several, or why there are none. */
export interface FolderEvents {
  readonly folder: string;
  readonly events?: readonly EventData[];
  readonly timestamp?: number;
  readonly error?: object;
}

/** Changes since a timestamp. */
export interface EventUpdates {
  readonly newAndModified: readonly EventData[];
  /** With id, folder and timestamp at least. */
  readonly deleted: readonly EventData[];
}

/** Errors of operations that take a folder. */
export const inEventFolder = [
  FolderErrors.notFound,
  FolderErrors.notVisible,
  CalendarErrors.accountNotFound,
  CalendarErrors.unsupportedFolder,
  CalendarErrors.noReadPermission,
  RequestErrors.badParameter,
];

/** Errors of operations that take an event. */
export const ofEvent = [
  ...inEventFolder,
  CalendarErrors.eventNotFound,
  CalendarErrors.eventNotInFolder,
  CalendarErrors.occurrenceNotFound,
  CalendarErrors.restrictedByClass,
];

const reading = {
  access: requireRights(APPOINTMENT_RIGHTS.read),
  appScopes: ['read_calendar'],
  auth: 'session',
  capability: 'calendar',
} as const;

/** Events, the newer interface of calendars: the same objects as those of `calendar`. */
export const chronos = defineModule(
  'chronos',
  {
    all: action({
      ...reading,
      guests: true,
      http: 'GET',
      doc: 'Lists the events of a range, of one folder or of everything the user takes part in',
      query: FolderEventsQuery,
      reply: many(EventData),
      errors: [...inEventFolder, CalendarErrors.tooMany, CalendarErrors.badTimeZone, RequestErrors.missingParameter],
    }),
    allByPut: action({
      ...reading,
      guests: true,
      http: 'PUT',
      action: 'all',
      doc: 'Lists the events of a range for several folders: an answer or an error for each, in their order',
      query: AllEventsQuery,
      body: json(EventFoldersBody),
      reply: value<readonly FolderEvents[]>('for each folder `{folder, events, timestamp}` or `{folder, error}`'),
      reads: true,
      errors: [CalendarErrors.badTimeZone, RequestErrors.badParameter],
    }),
    get: action({
      ...reading,
      guests: true,
      http: 'GET',
      doc: 'Reads one event, or one occurrence of a series',
      query: EventQuery,
      reply: one(EventData),
      errors: [...ofEvent, CalendarErrors.badTimeZone],
    }),
    list: action({
      ...reading,
      guests: true,
      http: 'PUT',
      doc: 'Reads events by id, in the order asked for; null for those that are not there',
      query: EventFieldsQuery,
      body: jsonOneOrList(EventName, { maxItems: MAX_EVENT_IDS }),
      reply: value<readonly (EventData | null)[]>('the events'),
      reads: true,
      errors: [CalendarErrors.badTimeZone, RequestErrors.badParameter],
    }),
    resolve: action({
      ...reading,
      http: 'GET',
      doc: 'Finds an event by its id or unique id, in the folder in which the user sees it',
      query: ResolveEventQuery,
      reply: one(EventData),
      errors: [
        CalendarErrors.eventNotFound,
        CalendarErrors.revisionNotFound,
        CalendarErrors.badTimeZone,
        RequestErrors.missingParameter,
      ],
    }),
    needsAction: action({
      ...reading,
      http: 'GET',
      doc: 'Lists events of a range that the user, or the owner of the folder, has not answered; a series stands for its unchanged occurrences',
      query: UnansweredEventsQuery,
      reply: many(EventData),
      errors: [...inEventFolder, CalendarErrors.tooMany, CalendarErrors.badTimeZone],
    }),
    updates: action({
      ...reading,
      guests: true,
      http: 'GET',
      doc: 'Lists what changed in a folder since a timestamp',
      query: EventUpdatesQuery,
      reply: value<EventUpdates>('`{newAndModified, deleted}`'),
      errors: [...inEventFolder, CalendarErrors.badTimeZone],
    }),
  },
  { service: 'calendar' },
);
