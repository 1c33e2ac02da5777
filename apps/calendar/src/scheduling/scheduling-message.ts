import type { CalendarEvent } from '@groupware/icalendar';
import type { Appointment } from '../domain/appointment';
import { type IcalendarRest, REST, type SeriesPart } from '../icalendar/icalendar-rest';
import { sameAddress } from './calendar-address';

/** One event of a scheduling message that came by mail. */
export interface SchedulingMessage {
  readonly event: CalendarEvent;
  /** Lower-case mail address of who sent the mail, as far as it is known. */
  readonly sender?: string;
  /** Messages of people count whom the user does not know. */
  readonly anySender: boolean;
}

/**
 * What became of an event: `applied`, or why it changed nothing. `repeated`: it was so already; `stale`: something newer is
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

/** By what newer messages of an organizer are told from older ones (RFC 5546, section 2.1.4 and 2.1.5). */
export interface Revision {
  readonly sequence: number;
  /** ms UTC; 0 when it is not known. */
  readonly dtstampMs: number;
}

/** The revision of an event of a message. */
export const revisionOf = ({ sequence, dtstampMs = 0 }: CalendarEvent): Revision => ({ sequence, dtstampMs });

/** The revision of the message that an appointment stems from: what the user changed himself does not count. */
export function storedRevision(appointment: Pick<Appointment, 'sequence' | 'extra'>): Revision {
  const rest = restOf(appointment);
  return { sequence: rest.sequence ?? appointment.sequence, dtstampMs: rest.dtstampMs ?? 0 };
}

/** Below zero when the first is older than the second. */
export const compareRevisions = (first: Revision, second: Revision): number =>
  first.sequence - second.sequence || first.dtstampMs - second.dtstampMs;

/** True when the mail came from the organizer of the event, or from who says to act for him. */
export const isFromOrganizer = ({ event: { organizer }, sender }: SchedulingMessage): boolean =>
  organizer !== undefined &&
  sender !== undefined &&
  (sameAddress(organizer.uri, sender) || sameAddress(organizer.sentBy, sender));

/**
 * True when an appointment is organized by the organizer of an event: it came by a message, a client stored it as his, or
 * the user imported it and nobody else takes part.
 */
export function isOrganizedBy(appointment: Appointment, { organizer }: CalendarEvent): boolean {
  if (appointment.organizerId === null && sameAddress(organizer?.uri, appointment.organizer ?? undefined)) return true;
  const imported = restOf(appointment).organizer;
  return appointment.attendees.length === 1 && sameAddress(organizer?.uri, imported?.uri);
}

/** What iCalendar said about an appointment beyond its fields. */
export const restOf = ({ extra }: Pick<Appointment, 'extra'>): IcalendarRest => (extra?.[REST] ?? {}) as IcalendarRest;

/** Whence a series comes that was split off another one. */
export const partOf = (series: Pick<Appointment, 'extra'>): SeriesPart | undefined => restOf(series).partOf;

/** `extra` of an appointment about which its organizer sent a newer message. */
export const withRevision = (
  appointment: Appointment,
  { sequence, dtstampMs }: CalendarEvent,
): Appointment['extra'] => ({
  ...appointment.extra,
  [REST]: { ...restOf(appointment), sequence, dtstampMs } satisfies IcalendarRest,
});
