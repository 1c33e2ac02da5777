import type { AppointmentAnswer } from '@groupware/contracts';
import { type Appointment, type Attendee, CONFIRM, PARTICIPANT } from './appointment';
import { keyOf } from './attendee-list';

/** An appointment before and after an answer, and whose answer it is. */
export interface AnsweredAppointment {
  readonly before: Appointment;
  readonly after: Appointment;
  readonly attendee: Attendee;
}

/** An answer: without a message the one of before stays. */
type Answer = Pick<AppointmentAnswer, 'confirmation' | 'confirmmessage'>;

/** Attendees with the answer of one of them. */
export function attendeesAfter(
  attendees: readonly Attendee[],
  attendee: Attendee,
  { confirmation, confirmmessage }: Answer,
): Attendee[] {
  const message = confirmmessage === undefined ? attendee.message : confirmmessage || null;
  const next = { ...attendee, confirm: confirmation, message };
  return attendees.map((each) => (each === attendee ? next : each));
}

/** The appointment with the answer of one of its attendees. */
export const answered = (before: Appointment, attendee: Attendee, answer: Answer): AnsweredAppointment => ({
  before,
  after: { ...before, attendees: attendeesAfter(before.attendees, attendee, answer) },
  attendee,
});

/** Exceptions of a series with the answer that it gets: those that wait for one, or had the same as the series. */
export const answeredAlong = (
  exceptions: readonly Appointment[],
  ofSeries: Attendee,
  answer: Answer,
): AnsweredAppointment[] =>
  exceptions.flatMap((exception) => {
    const own = exception.attendees.find((each) => keyOf(each) === keyOf(ofSeries));
    const follows = own && (own.confirm === CONFIRM.none || own.confirm === ofSeries.confirm);
    return follows ? [answered(exception, own, answer)] : [];
  });

/** What is about to be booked again by somebody who had declined: the appointment with him alone; nothing for externals. */
export function takingPartAgain({ after, attendee }: AnsweredAppointment): Appointment[] {
  const next = after.attendees.find((each) => keyOf(each) === keyOf(attendee));
  if (!next || attendee.confirm !== CONFIRM.declined || next.confirm === CONFIRM.declined) return [];
  return next.type === PARTICIPANT.external ? [] : [{ ...after, attendees: [next] }];
}
