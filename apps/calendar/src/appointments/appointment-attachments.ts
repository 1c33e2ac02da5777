import { Injectable } from '@nestjs/common';
import { calendarEvents } from '@groupware/contracts';
import { AttachmentCounts, type FilesOfObject } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import type { Appointment } from '../domain/appointment';
import { toAppointmentChange } from '../domain/appointment-change';
import { isOrganizedHere } from '../domain/organizer';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { SchedulingOutbox } from '../scheduling/outgoing/scheduling-outbox';

/** Writes how many files an appointment carries. */
@Injectable()
export class AppointmentAttachments extends AttachmentCounts {
  readonly module = 1;

  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly clock: Clock,
    private readonly outbox: SchedulingOutbox,
  ) {
    super();
  }

  async updateCount(tx: Transaction, files: FilesOfObject): Promise<number> {
    const before = await this.appointments.lockById(tx, files.object);
    if (!before) return 0;
    const { stamp } = await this.appointments.nextStamp(tx, this.clock.now(), 0);
    if (!(await this.appointments.updateAttachments(tx, files, stamp))) return before.lastModified;
    await tx.publish(calendarEvents['appointment.changed'], toAppointmentChange(before));
    if (files.announce) await this.announce(tx, before, files.userId);
    return stamp;
  }

  /** Tells attendees of files that were attached or detached without any other change; an organizer elsewhere hears nothing. */
  private async announce(tx: Transaction, before: Appointment, userId: number): Promise<void> {
    const after = isOrganizedHere(before) ? await this.appointments.findById(tx, before.id) : undefined;
    if (!after) return;
    const actor = { contextId: tx.contextId, userId, email: '' };
    await this.outbox.announceWithFiles(tx, actor, { changed: [{ before, after }] }, after.id, { scope: 'all' });
  }
}
