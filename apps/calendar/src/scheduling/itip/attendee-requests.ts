import type { CalendarEvent } from '@groupware/icalendar';
import { type Appointment, type Attendee, PARTICIPANT } from '../../domain/appointment';
import { isOrganizedHere } from '../../domain/organizer';
import { toImportedContent } from '../../icalendar/from-event';
import { toMailAddress } from '../calendar-address';
import type { SchedulingResult } from '../scheduling-message';

/** Methods by which attendees elsewhere ask something of an organizer here: another time or place, or the event as it is now. */
export type AttendeeMethod = 'COUNTER' | 'REFRESH';

/** True for methods by which attendees ask something of the organizer (RFC 5546, sections 3.2.6 and 3.2.7). */
export const isAttendeeMethod = (method: string): method is AttendeeMethod =>
  method === 'COUNTER' || method === 'REFRESH';

/** The attendee elsewhere who asks: the sender of the mail; of a text that the user gives, the only one that it names. */
export function findRequester(
  { attendees }: Pick<CalendarEvent, 'attendees'>,
  sender: string | undefined,
  current: Pick<Appointment, 'attendees'>,
): Attendee | undefined {
  const named = sender === undefined ? attendees.map(({ uri }) => toMailAddress(uri).toLowerCase()) : [sender];
  const found = current.attendees.filter(
    ({ type, mail, hidden }) =>
      type === PARTICIPANT.external && !hidden && mail !== null && named.includes(mail.toLowerCase()),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** Whether the organizer can do what an attendee asks of him. */
export function checkAttendeeRequest(
  method: AttendeeMethod,
  event: CalendarEvent,
  sender: string | undefined,
  current: Appointment | undefined,
): SchedulingResult | 'notOrganizer' {
  if (!current) return 'unknownAppointment';
  if (!isOrganizedHere(current)) return 'notOrganizer';
  if (!findRequester(event, sender, current)) return 'notInvited';
  return method === 'COUNTER' && event.sequence < current.sequence ? 'stale' : 'applied';
}

/** An appointment as an attendee would have it: time, title, place and description as far as he says something of them. */
export function applyProposal(current: Appointment, event: CalendarEvent, userZone: string): Appointment {
  const { content } = toImportedContent({ ...event, rrule: undefined, rdates: [], exdates: [] }, userZone);
  const { startMs, endMs, timeZone, fullTime, floating, title, location, note } = content;
  const lengthMs = current.rangeEndMs - current.endMs;
  return {
    ...current,
    ...{ startMs, endMs, timeZone, fullTime, floating, rangeEndMs: endMs + lengthMs },
    ...(title !== null && { title }),
    ...(location !== null && { location }),
    ...(note !== null && { note }),
  };
}
