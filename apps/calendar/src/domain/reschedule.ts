import type { RecurrenceRule } from '@groupware/recurrence';
import { type Appointment, type Attendee, CONFIRM, PARTICIPANT } from './appointment';
import { withAttendeeRest } from './attendee-rest';
import { attendeeKey, hasSameAttendees } from './attendee-list';
import { parseStoredRule } from './series';

type Times = Pick<Appointment, 'startMs' | 'endMs' | 'rangeEndMs' | 'rule' | 'rdates' | 'fullTime' | 'timeZone'>;

/** True when times or recurrence differ. */
export const isRescheduled = (before: Times, after: Times): boolean =>
  before.startMs !== after.startMs ||
  before.endMs !== after.endMs ||
  before.rule !== after.rule ||
  before.fullTime !== after.fullTime ||
  before.timeZone !== after.timeZone ||
  String(before.rdates ?? '') !== String(after.rdates ?? '');

/** True for a change that raises SEQUENCE: of times, of what attendees decide by, or of who they are (RFC 5546, section 2.1.4). */
export const raisesSequence = (before: Appointment, after: Appointment): boolean =>
  isRescheduled(before, after) ||
  String(before.exdates ?? '') !== String(after.exdates ?? '') ||
  before.title !== after.title ||
  before.location !== after.location ||
  before.shownAs !== after.shownAs ||
  !hasSameAttendees(before.attendees, after.attendees);

/** True unless all occurrences of a rule, wherever it ends, are such of an earlier one. */
export function hasOtherOccurrences(before: string | null, after: string | null): boolean {
  if (before === after || after === null) return false;
  if (before === null) return true;
  const [old, next] = [parseStoredRule(before), parseStoredRule(after)];
  const pattern = (rule: RecurrenceRule): string =>
    JSON.stringify({ ...rule, interval: 1, count: undefined, until: undefined });
  return pattern(old) !== pattern(next) || next.interval % old.interval !== 0;
}

/**
 * True when people have to answer again: it begins earlier, ends later, or there are occurrences that were not there.
 * Shortening an appointment needs no confirmation.
 */
export const requiresReconfirmation = (before: Times, after: Times): boolean =>
  after.startMs < before.startMs ||
  after.endMs > before.endMs ||
  after.rangeEndMs > before.rangeEndMs ||
  hasOtherOccurrences(before.rule, after.rule);

/** Reply of a resource that is booked for another time; undefined keeps the earlier one. */
export type BookingReply = (resourceId: number) => number | undefined;

/** Resets the participation of all but the owner; new attendees keep their initial one. */
export function resetParticipation(
  attendees: readonly Attendee[],
  owner: number,
  before: Appointment,
  booking: BookingReply = () => undefined,
): Attendee[] {
  const known = new Set(before.attendees.map(attendeeKey));
  return attendees.map((attendee) => {
    if (attendee.type === PARTICIPANT.resource && known.has(attendeeKey(attendee)))
      return { ...attendee, confirm: booking(attendee.entity!) ?? attendee.confirm };
    const answers = attendee.type === PARTICIPANT.user || attendee.type === PARTICIPANT.external;
    if (!answers || attendee.hidden || attendee.entity === owner || !known.has(attendeeKey(attendee))) return attendee;
    return withAttendeeRest({ ...attendee, confirm: CONFIRM.none }, { partStat: undefined });
  });
}
