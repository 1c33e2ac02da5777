import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { AppointmentTargets, requireWritable } from '../appointments/appointment-target';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { isSeries } from '../domain/appointment';
import { createOccurrenceChanges, resolveTarget } from '../domain/change-target';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { UidRepository } from '../persistence/uid.repository';
import { findReply, applyExternalReply } from './external-reply';
import { findPosition } from './own-appointments';
import type { SchedulingMessage, SchedulingResult } from './scheduling-message';

/** Takes answers of external participants to appointments that the user may change (REPLY; RFC 5546, section 3.2.3). */
@Injectable()
export class ReplyReceiver {
  constructor(
    private readonly uids: UidRepository,
    private readonly appointments: AppointmentRepository,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
  ) {}

  /** CAL-4031 and others when the user may not change it; QUOTA-0003 for an occurrence that has no room as an exception. */
  async receiveReply(
    tx: Transaction,
    user: UserPrincipal,
    message: SchedulingMessage,
    maxAppointments: number,
  ): Promise<SchedulingResult> {
    const { event } = message;
    const answer = findReply(event, message.sender, message.anySender);
    if (!answer) return 'unknownSender';
    const id = await this.uids.findId(tx, user.userId, event.uid);
    const found = id === undefined ? undefined : await this.appointments.findById(tx, id);
    if (!found) return 'unknownAppointment';
    const target = await this.targets.lockTarget(tx, user, found.id, found.folderId);
    requireWritable(target, user);
    const { appointment, exceptions } = target;
    const ofOccurrence = event.recurrenceId !== undefined && isSeries(appointment);
    const place = ofOccurrence ? findPosition(appointment, event) : undefined;
    if (ofOccurrence && !place) return 'unknownAppointment';
    const subject = resolveTarget(appointment, exceptions, { position: place?.position });
    const attendees = applyExternalReply(subject.before.attendees, answer);
    if (!attendees) return 'repeated';
    const changes = createOccurrenceChanges(subject, { ...subject.before, attendees });
    await this.writer.writeChanges(tx, user.userId, { ...changes, maxAppointments });
    return 'applied';
  }
}
