import type { AppointmentData } from '@groupware/contracts';
import { type Attendee, PARTICIPANT } from './appointment';

/** The attendees with the answer, message and alarm that a body gives for one user. */
export function setOwnParticipation(
  attendees: readonly Attendee[],
  userId: number,
  body: Pick<AppointmentData, 'users' | 'alarm'>,
): Attendee[] {
  const answer = body.users?.find(({ id }) => id === userId);
  return attendees.map((attendee) => {
    if (attendee.type !== PARTICIPANT.user || attendee.entity !== userId) return attendee;
    return {
      ...attendee,
      confirm: answer?.confirm ?? attendee.confirm,
      message: answer?.confirmmessage === undefined ? attendee.message : answer.confirmmessage || null,
      alarm: body.alarm === undefined ? attendee.alarm : body.alarm === null || body.alarm < 0 ? null : body.alarm,
    };
  });
}
