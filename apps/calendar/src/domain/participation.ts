import type { AppointmentAnswer } from '@groupware/contracts';
import { type Appointment, type Attendee, CONFIRM, PARTICIPANT } from './appointment';
import { attendeeKey } from './attendee-list';

/** An appointment before and after an answer, and whose answer it is. */
export interface ParticipationChange {
  readonly before: Appointment;
  readonly after: Appointment;
  readonly attendee: Attendee;
}

/** An answer: without a message the one of before stays. */
type Reply = Pick<AppointmentAnswer, 'confirmation' | 'confirmmessage'>;

/** Attendees with the answer of one of them. */
export function setParticipation(
  attendees: readonly Attendee[],
  attendee: Attendee,
  { confirmation, confirmmessage }: Reply,
): Attendee[] {
  const message = confirmmessage === undefined ? attendee.message : confirmmessage || null;
  const next = { ...attendee, confirm: confirmation, message };
  return attendees.map((each) => (each === attendee ? next : each));
}

/** The appointment with the answer of one of its attendees. */
export const applyReply = (before: Appointment, attendee: Attendee, answer: Reply): ParticipationChange => ({
  before,
  after: { ...before, attendees: setParticipation(before.attendees, attendee, answer) },
  attendee,
});

/** Exceptions of a series with the answer that it gets: those that wait for one, or had the same as the series. */
export const applyReplyToExceptions = (
  exceptions: readonly Appointment[],
  ofSeries: Attendee,
  answer: Reply,
): ParticipationChange[] =>
  exceptions.flatMap((exception) => {
    const own = exception.attendees.find((each) => attendeeKey(each) === attendeeKey(ofSeries));
    const follows = own && (own.confirm === CONFIRM.none || own.confirm === ofSeries.confirm);
    return follows ? [applyReply(exception, own, answer)] : [];
  });

/** Bookings of an attendee who had declined and no longer does: the appointment with that attendee alone; none for externals. */
export function listRebookings({ after, attendee }: ParticipationChange): Appointment[] {
  const next = after.attendees.find((each) => attendeeKey(each) === attendeeKey(attendee));
  if (!next || attendee.confirm !== CONFIRM.declined || next.confirm === CONFIRM.declined) return [];
  return next.type === PARTICIPANT.external ? [] : [{ ...after, attendees: [next] }];
}

/** The same, and of one who had not said yet, or otherwise, that he takes part. */
export function listAnswered(change: ParticipationChange): Appointment[] {
  const { after, attendee } = change;
  const next = after.attendees.find((each) => attendeeKey(each) === attendeeKey(attendee));
  const comes = next?.confirm === CONFIRM.accepted || next?.confirm === CONFIRM.tentative;
  return comes && next.confirm !== attendee.confirm ? [{ ...after, attendees: [next] }] : listRebookings(change);
}
