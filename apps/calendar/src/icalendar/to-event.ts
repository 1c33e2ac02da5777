import {
  displayAlarm,
  parseCategories,
  toCalendarTime,
  type CalendarAlarm,
  type CalendarAttendee,
  type CalendarEvent,
  type CalendarTime,
  type RawProperty,
} from '@groupware/icalendar';
import { type Appointment, type Attendee, CLASSIFICATION, PARTICIPANT, SHOWN_AS } from '../domain/appointment';
import { seriesOf, startLocalOf } from '../domain/series';
import { getAttendeeRest } from '../domain/attendee-rest';
import { isInvitedCopy } from '../domain/organizer';
import { BUSY_PROPERTY, COLOR_PROPERTY, toInstant } from './from-event';
import { findIcalendarExtra, getIcalendarExtra, type IcalendarExtra } from '../domain/icalendar-extra';

const MINUTE_MS = 60_000;
const PART_STAT = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE'] as const;
const CU_TYPE: Readonly<Record<number, string>> = { 2: 'GROUP', 3: 'RESOURCE' };

/** An appointment as event of a file, as one user sees it. `master` is needed for exceptions. */
export function toCalendarEvent(appointment: Appointment, calendarUser: number, master?: Appointment): CalendarEvent {
  const rest = getIcalendarExtra(appointment);
  const start = toCalendarTime(appointment, startLocalOf(appointment));
  return {
    uid: appointment.uid,
    sequence: appointment.sequence,
    recurrenceId: recurrenceId(appointment, master, rest),
    summary: appointment.title ?? undefined,
    location: appointment.location ?? undefined,
    description: appointment.note ?? undefined,
    start,
    end: endOf(appointment, rest),
    rrule: appointment.rule ?? undefined,
    rdates: appointment.rdates ?? [],
    rdatePeriods: seriesOf(appointment).rdatePeriods ?? [],
    exdates: appointment.exdates ?? [],
    transparency: appointment.shownAs === SHOWN_AS.free ? 'TRANSPARENT' : 'OPAQUE',
    status: rest.status,
    classification:
      appointment.classification === CLASSIFICATION.private
        ? 'PRIVATE'
        : appointment.classification === CLASSIFICATION.confidential
          ? 'CONFIDENTIAL'
          : 'PUBLIC',
    categories: listCategories(appointment, rest),
    priority: rest.priority,
    color: rest.color,
    url: rest.url,
    geo: rest.geo,
    ...people(appointment, rest),
    alarms: alarms(appointment, calendarUser, rest),
    attachments: rest.attachments ?? [],
    ...stamps(appointment),
    propertyParameters: rest.propertyParameters,
    extraProperties: [...ownProperties(appointment), ...(rest.extraProperties ?? [])],
    extraComponents: rest.extraComponents ?? [],
  };
}

/** Stamps of the file as long as the appointment is unchanged; none where the file had none. */
function stamps(appointment: Appointment): Pick<CalendarEvent, 'createdMs' | 'lastModifiedMs' | 'dtstampMs'> {
  const rest = findIcalendarExtra(appointment);
  const { created: createdMs, lastModified: lastModifiedMs } = appointment;
  // An exception that was made here has the rest of its series: those of files name their occurrences.
  const isOwnException = appointment.recurrenceLocalMs !== null && rest?.recurrenceId === undefined;
  if (!rest || isOwnException) return { createdMs, lastModifiedMs, dtstampMs: lastModifiedMs };
  const untouched = createdMs === lastModifiedMs;
  return {
    createdMs: rest.createdMs,
    lastModifiedMs: untouched ? rest.lastModifiedMs : lastModifiedMs,
    dtstampMs: untouched ? rest.dtstampMs : lastModifiedMs,
  };
}

/** A moment of an appointment in the clock of the appointment. */
export function toAppointmentTime(
  { fullTime, floating, timeZone }: Pick<Appointment, 'fullTime' | 'floating' | 'timeZone'>,
  ms: number,
): CalendarTime {
  return toCalendarTime({ fullTime, floating, timeZone }, startLocalOf({ floating, timeZone, startMs: ms }));
}

function endOf(appointment: Appointment, rest: IcalendarExtra): CalendarTime {
  // The zone of the end is kept as long as the end is.
  if (rest.end && toInstant(rest.end) === appointment.endMs) return rest.end;
  return toAppointmentTime(appointment, appointment.endMs);
}

function recurrenceId(
  appointment: Appointment,
  master: Appointment | undefined,
  rest: IcalendarExtra,
): CalendarTime | undefined {
  const local = appointment.recurrenceLocalMs;
  if (local === null) return undefined;
  // A day names an occurrence of a series with times for some programs only: others would not find it.
  const fits = !master || (rest.recurrenceId?.kind === 'date') === master.fullTime;
  if (rest.recurrenceId && fits) return rest.recurrenceId;
  return toCalendarTime(master ?? appointment, local);
}

/** The names of the categories of an appointment. */
export const listCategories = (
  appointment: Appointment,
  rest: IcalendarExtra = getIcalendarExtra(appointment),
): readonly string[] => {
  if (rest.categories && rest.categories.join(',') === appointment.categories) return rest.categories;
  return parseCategories(appointment.categories);
};

function ownProperties(appointment: Appointment): RawProperty[] {
  const properties: RawProperty[] = [];
  if (appointment.shownAs === SHOWN_AS.temporary) properties.push([BUSY_PROPERTY, {}, 'unknown', 'TENTATIVE']);
  if (appointment.shownAs === SHOWN_AS.absent) properties.push([BUSY_PROPERTY, {}, 'unknown', 'OOF']);
  if (appointment.color) properties.push([COLOR_PROPERTY, {}, 'unknown', String(appointment.color)]);
  return properties;
}

/** Organizer and attendees of what has several; an import adds none. */
function people(appointment: Appointment, rest: IcalendarExtra): Pick<CalendarEvent, 'organizer' | 'attendees'> {
  const invited = appointment.attendees.filter(({ hidden }) => !hidden);
  if (invited.length < 2) return { attendees: [] };
  const { cn, sentBy } = (isInvitedCopy(appointment) && rest.outsideOrganizer) || {};
  return {
    organizer: appointment.organizer
      ? { uri: `mailto:${appointment.organizer}`, cn, sentBy: sentBy && `mailto:${sentBy.mail}` }
      : undefined,
    attendees: invited.flatMap(attendee),
  };
}

function attendee({ type, mail, displayName, confirm, message, extra }: Attendee): CalendarAttendee[] {
  if (!mail) return [];
  const { cuType = CU_TYPE[type], role, rsvp } = getAttendeeRest({ extra });
  return [
    {
      uri: `mailto:${mail}`,
      cn: displayName ?? undefined,
      cuType,
      role,
      partStat: type === PARTICIPANT.user || type === PARTICIPANT.external ? PART_STAT[confirm] : undefined,
      rsvp,
      comment: message ?? undefined,
    },
  ];
}

function alarms(appointment: Appointment, userId: number, rest: IcalendarExtra): CalendarAlarm[] {
  const minutes = appointment.attendees.find(
    ({ type, entity }) => type === PARTICIPANT.user && entity === userId,
  )?.alarm;
  if (minutes === null || minutes === undefined) return [...(rest.alarms ?? [])];
  const offsetMs = minutes === 0 ? 0 : -minutes * MINUTE_MS;
  const own: CalendarAlarm = {
    ...displayAlarm(appointment.title ?? 'Reminder'),
    ...rest.alarm,
    trigger: { kind: 'relative', relatedTo: 'START', offsetMs },
  };
  return [own, ...(rest.alarms ?? [])];
}
