import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { PARTICIPANT } from '../domain/appointment';
import { Attendance } from '../participants/attendance';

const deleting = identityEvents['user.deleting'];

/** Takes a user who is deleted out of the appointments of others. What lies in his own calendars goes with these. */
@Consumes(deleting)
export class UserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly attendance: Attendance) {}

  async handle(message: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    const { userId } = message.payload;
    await this.attendance.change(tx, { type: PARTICIPANT.user, entity: userId, sinceMs: 0 }, (appointment) =>
      appointment.owner === userId && !appointment.isPublic
        ? undefined
        : appointment.attendees.filter(({ type, entity }) => type !== PARTICIPANT.user || entity !== userId),
    );
  }
}
