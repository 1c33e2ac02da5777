import {
  EventData,
  type EventAttachmentData,
  type EventField,
  fieldsOf,
  RequestErrors,
  toEventFolderId,
  toFeedFolderId,
} from '@groupware/contracts';
import type { ContactFacts } from '@groupware/directory';
import type { CalendarTime } from '@groupware/icalendar';
import type { Occurrence } from '@groupware/recurrence';
import {
  type Appointment,
  type Attendee,
  calendarOf,
  findAttendee,
  isException,
  isSeries,
  SHOWN_AS,
} from '../domain/appointment';
import { changedFor } from '../domain/alarm-change';
import { ANONYMOUS_TITLE } from '../domain/appointment-wire';
import { isModeratorSide } from '../domain/organizer';
import { toInstant } from '../icalendar/from-event';
import { getIcalendarExtra } from '../domain/icalendar-extra';
import { listCategories, toAppointmentTime } from '../icalendar/to-event';
import type { SeenEvent } from '../persistence/event.repository';
import { listEventAlarms } from './event-alarms';
import { colorOf } from './event-color';
import { listFlags } from './event-flags';
import { isScheduled, type KnownPeople, toAttendee, toCalendarUser, toOrganizer } from './event-people';
import { getEventRest } from '../domain/appointment-rest';
import { DEFAULT_STATUS, relatedToOf, toConferences, toExtendedProperties, toLinks } from './event-rest';
import { formatRecurrenceId, toDateTime } from './event-time';
import type { EventView } from './event-view';

/** Facts about events from other services. */
export interface EventSurroundings {
  readonly people: KnownPeople;
  /** Set when details of attendees are wanted. */
  readonly contacts?: ReadonlyMap<number, ContactFacts>;
  /** Files by event, where they are wanted. */
  readonly files?: ReadonlyMap<number, readonly EventAttachmentData[]>;
}

const FIELDS: readonly EventField[] = fieldsOf(EventData).map(({ property }) => property as EventField);
const BY_NAME = new Map<string, EventField>(
  FIELDS.flatMap((field) => [
    [field, field],
    // The names of the enumeration of the original product: `START_DATE`.
    [field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(), field],
    [field.toUpperCase(), field],
  ]),
);

/** The fields of a list of names, all of them without one; an unknown name is SVL-0010. */
export function parseEventFields(names: readonly string[] | undefined): readonly EventField[] {
  if (names === undefined) return FIELDS;
  return [...new Set(names.map((name) => requireEventField('fields', name)))];
}

/** The field with a name; an unknown one is SVL-0010. */
export function requireEventField(parameter: string, name: string): EventField {
  const field = BY_NAME.get(name);
  if (!field) throw RequestErrors.badParameter(parameter, name);
  return field;
}

/** The fields that others see of a confidential event. */
const ANONYMOUS: ReadonlySet<EventField> = new Set<EventField>([
  ...([
    'id',
    'folder',
    'seriesId',
    'recurrenceId',
    'startDate',
    'endDate',
    'summary',
    'transp',
    'class',
    'status',
  ] as const),
  ...(['created', 'createdBy', 'modifiedBy', 'timestamp', 'lastModified', 'calendarUser', 'sequence'] as const),
  ...(['rrule', 'recurrenceDates', 'changeExceptionDates', 'deleteExceptionDates', 'flags'] as const),
]);
/** The fields that an occurrence does not have of its series. */
const OF_SERIES: ReadonlySet<EventField> = new Set<EventField>([
  ...(['rrule', 'recurrenceDates', 'changeExceptionDates', 'deleteExceptionDates'] as const),
]);

const CLASS = ['PUBLIC', 'CONFIDENTIAL', 'PRIVATE'] as const;

/** An event as clients see it: the fields asked for, as far as they have values. */
export function toEvent(
  appointment: Appointment,
  view: EventView,
  fields: readonly EventField[],
  known: EventSurroundings,
): EventData {
  const event: Record<string, unknown> = {};
  for (const field of fields) {
    if (view.anonymous && !ANONYMOUS.has(field)) continue;
    if (view.occurrence && OF_SERIES.has(field)) continue;
    const value = WRITERS[field](appointment, view, known);
    if (value !== undefined && value !== null) event[field] = value;
  }
  return event;
}

type Writer = (appointment: Appointment, view: EventView, known: EventSurroundings) => unknown;

const WRITERS: Readonly<Record<EventField, Writer>> = {
  folder: ({ isExternal }, { folderId }) => (isExternal ? toFeedFolderId(folderId) : toEventFolderId(folderId)),
  id: ({ id }) => String(id),
  uid: ({ uid }) => uid,
  seriesId: ({ seriesId }) => seriesId && String(seriesId),
  recurrenceId: (appointment, { occurrence, clock }) => {
    if (occurrence) return formatRecurrenceId(appointment, occurrence.localMs);
    if (!isException(appointment)) return undefined;
    return formatRecurrenceId(clock ?? appointment, appointment.recurrenceLocalMs!);
  },
  filename: (appointment) => getEventRest(appointment).filename,
  created: ({ created }) => created,
  createdBy: ({ createdBy }, _view, { people }) => toCalendarUser(createdBy, people),
  timestamp: ({ lastModified }) => lastModified,
  lastModified: (appointment, { calendarUser }) => {
    const changed = changedFor(appointment, calendarUser);
    // Data of a file as long as nothing was changed.
    return (appointment.created === changed ? getIcalendarExtra(appointment).lastModifiedMs : undefined) ?? changed;
  },
  modifiedBy: ({ modifiedBy }, _view, { people }) => toCalendarUser(modifiedBy, people),
  calendarUser: ({ isPublic, owner }, _view, { people }) => (isPublic ? undefined : toCalendarUser(owner, people)),
  summary: ({ title }, { anonymous }) => (anonymous ? ANONYMOUS_TITLE : title),
  location: ({ location }) => location,
  description: ({ note }) => note,
  categories: (appointment) => {
    const names = listCategories(appointment);
    return names.length > 0 ? names : undefined;
  },
  class: ({ classification }) => CLASS[classification],
  color: (appointment) => colorOf(appointment.color, getIcalendarExtra(appointment).color),
  startDate: (appointment, { occurrence }) =>
    toDateTime(toAppointmentTime(appointment, occurrence?.startMs ?? appointment.startMs)),
  endDate: (appointment, { occurrence }) => toDateTime(toEnd(appointment, occurrence?.endMs ?? appointment.endMs)),
  transp: ({ shownAs }) => (shownAs === SHOWN_AS.free ? 'TRANSPARENT' : 'OPAQUE'),
  status: (appointment) => getIcalendarExtra(appointment).status ?? DEFAULT_STATUS,
  rrule: ({ rule }) => rule,
  recurrenceDates: (appointment) => toRecurrenceIds(appointment, appointment.rdates),
  changeExceptionDates: (appointment, { hiddenChanges = [] }) =>
    toRecurrenceIds(
      appointment,
      appointment.changes?.filter((local) => !hiddenChanges.includes(local)),
    ),
  deleteExceptionDates: (appointment, { hiddenChanges = [] }) =>
    toRecurrenceIds(appointment, [...(appointment.exdates ?? []), ...hiddenChanges]),
  sequence: ({ sequence }) => sequence,
  organizer: (appointment, _view, { people }) =>
    isScheduled(appointment) ? toOrganizer(appointment, people) : undefined,
  attendees: (appointment, view, known) =>
    isScheduled(appointment)
      ? appointment.attendees.map((attendee) =>
          toAttendee(attendee, known.people, {
            folder: folderOf(appointment, attendee, view),
            contacts: known.contacts,
          }),
        )
      : undefined,
  alarms: (appointment, { calendarUser }, { people }) => {
    const attendee = findAttendee(appointment, calendarUser);
    const alarms = attendee ? listEventAlarms(appointment, attendee) : [];
    if (alarms.length === 0) return undefined;
    // A mail goes to the user, whatever a client said.
    return alarms.map((alarm) =>
      alarm.action === 'EMAIL' ? { ...alarm, attendees: [toCalendarUser(calendarUser, people)] } : alarm,
    );
  },
  attachments: (appointment, _view, { files }) => {
    const all = [...(files?.get(appointment.id) ?? []), ...toLinks(getIcalendarExtra(appointment))];
    return all.length > 0 ? all : undefined;
  },
  conferences: (appointment, { calendarUser }) =>
    toConferences(getIcalendarExtra(appointment), isModeratorSide(appointment, calendarUser)),
  extendedProperties: (appointment) => toExtendedProperties(getIcalendarExtra(appointment)),
  geo: (appointment) => {
    const { geo } = getIcalendarExtra(appointment);
    return geo && { lat: geo.latitude, long: geo.longitude };
  },
  attendeePrivileges: (appointment) => getEventRest(appointment).attendeePrivileges,
  url: (appointment) => getIcalendarExtra(appointment).url,
  relatedTo: (appointment) => relatedToOf(getIcalendarExtra(appointment)),
  flags: listFlags,
};

/** The end in its own zone, as long as it has one. */
function toEnd(appointment: Appointment, endMs: number): CalendarTime {
  const { end } = getIcalendarExtra(appointment);
  if (!end || end.kind === 'date' || end.kind === 'floating' || toInstant(end) !== appointment.endMs)
    return toAppointmentTime(appointment, endMs);
  return toAppointmentTime({ fullTime: false, floating: false, timeZone: end.timeZone ?? 'UTC' }, endMs);
}

function toRecurrenceIds(appointment: Appointment, list: readonly number[] | null | undefined): string[] | undefined {
  if (!isSeries(appointment) || !list?.length) return undefined;
  return [...new Set(list)].sort((a, b) => a - b).map((local) => formatRecurrenceId(appointment, local));
}

/** Only the folder of the calendar user himself is told. */
function folderOf(appointment: Appointment, attendee: Attendee, view: EventView): string | undefined {
  if (attendee.entity !== view.calendarUser || attendee.hidden || appointment.isPublic) return undefined;
  return toEventFolderId(calendarOf(appointment, attendee));
}

/** How an event is shown where a user sees it. */
export const toView = (
  { shownFolder, calendarUser, anonymous, clock, hiddenChanges }: SeenEvent,
  userId: number,
  occurrence?: Occurrence,
): EventView => ({
  folderId: shownFolder,
  calendarUser,
  userId,
  anonymous,
  occurrence,
  clock: clock ?? undefined,
  hiddenChanges: hiddenChanges ?? undefined,
});
