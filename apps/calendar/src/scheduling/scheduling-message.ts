import type { CalendarEvent, CalendarReadOptions } from '@groupware/icalendar';
import { resolveTimeZone } from '@groupware/recurrence';
import { pauseAfterTurn } from '@groupware/service-kit';
import type { Appointment } from '../domain/appointment';
import { getIcalendarExtra, type IcalendarExtra, ICALENDAR_EXTRA, type SeriesPart } from '../domain/icalendar-extra';
import { isSameAddress } from './calendar-address';

/** Most events of one message that are looked at. */
const MAX_EVENTS = 100;

/** One event of a scheduling message that came by mail. */
export interface SchedulingMessage {
  readonly event: CalendarEvent;
  /** Lower-case mail address of who sent the mail, as far as it is known. */
  readonly sender?: string;
  /** Messages of people count whom the user does not know. */
  readonly anySender: boolean;
}

/**
 * Outcome of an event: `applied`, or why it changed nothing. `repeated`: it was so already; `stale`: something newer is
 * known; `range`: it speaks of an occurrence and all that follow of a series that is not here, or which no rule can say.
 */
export type SchedulingResult =
  | 'applied'
  | 'repeated'
  | 'stale'
  | 'unsupported'
  | 'range'
  | 'notFromOrganizer'
  | 'internalOrganizer'
  | 'unknownSender'
  | 'notInvited'
  | 'unknownAppointment'
  | 'refused';

/** Methods whose events may lack DTSTART (RFC 5546, sections 3.2.3, 3.2.5, 3.2.6 and 3.2.8). */
const WITHOUT_START: ReadonlySet<string> = new Set(['REPLY', 'CANCEL', 'REFRESH', 'DECLINECOUNTER']);

/** Options for reading the events of a scheduling message. */
export const toReadOptions = (method: string, userZone: string): CalendarReadOptions => ({
  startOptional: WITHOUT_START.has(method),
  defaultTimeZone: resolveTimeZone(userZone) ?? 'UTC',
  maxItems: MAX_EVENTS,
  pause: pauseAfterTurn,
});

/** By what newer messages of an organizer are told from older ones (RFC 5546, section 2.1.4 and 2.1.5). */
export interface Revision {
  readonly sequence: number;
  /** ms UTC; 0 when it is not known. */
  readonly dtstampMs: number;
}

/** The revision of an event of a message. */
export const toRevision = ({ sequence, dtstampMs = 0 }: CalendarEvent): Revision => ({ sequence, dtstampMs });

/** The revision of the message that an appointment stems from: what the user changed himself does not count. */
export function findStoredRevision(appointment: Pick<Appointment, 'sequence' | 'extra'>): Revision {
  const rest = getIcalendarExtra(appointment);
  return { sequence: rest.sequence ?? appointment.sequence, dtstampMs: rest.dtstampMs ?? 0 };
}

/** Below zero when the first is older than the second. */
export const compareRevisions = (first: Revision, second: Revision): number =>
  first.sequence - second.sequence || first.dtstampMs - second.dtstampMs;

/** True when the mail came from the organizer of the event, or from the address that acts for him. */
export const isFromOrganizer = (
  { event: { organizer }, sender }: Pick<SchedulingMessage, 'event' | 'sender'>,
  actingFor: string | undefined,
): boolean =>
  organizer !== undefined &&
  sender !== undefined &&
  (isSameAddress(organizer.uri, sender) || isSameAddress(actingFor, sender));

/**
 * True when a mail may say something about an event of which this is stored: SENT-BY is then the stored one, as any sender may
 * name himself in a message (RFC 6047, section 3). Texts without a sender are the user's own.
 */
export function maySpeakFor(
  message: Pick<SchedulingMessage, 'event' | 'sender'>,
  stored: Appointment | undefined,
): boolean {
  if (message.sender === undefined) return true;
  const { outsideOrganizer, organizer } = stored ? getIcalendarExtra(stored) : {};
  return isFromOrganizer(message, outsideOrganizer?.sentBy?.mail ?? organizer?.sentBy);
}

/**
 * True when an appointment is organized by the organizer of an event: it came by a message, a client stored it as his, or
 * the user imported it and has no other participants.
 */
export function isOrganizedBy(appointment: Appointment, { organizer }: CalendarEvent): boolean {
  if (appointment.organizerId === null && isSameAddress(organizer?.uri, appointment.organizer ?? undefined))
    return true;
  const imported = getIcalendarExtra(appointment).organizer;
  return appointment.attendees.length === 1 && isSameAddress(organizer?.uri, imported?.uri);
}

/** Whence a series comes that was split off another one. */
export const findSeriesPart = (series: Pick<Appointment, 'extra'>): SeriesPart | undefined =>
  getIcalendarExtra(series).partOf;

/** `extra` of an appointment about which its organizer sent a newer message. */
export const withRevision = (
  appointment: Appointment,
  { sequence, dtstampMs }: CalendarEvent,
): Appointment['extra'] => ({
  ...appointment.extra,
  [ICALENDAR_EXTRA]: { ...getIcalendarExtra(appointment), sequence, dtstampMs } satisfies IcalendarExtra,
});
