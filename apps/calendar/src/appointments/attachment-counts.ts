import { Injectable } from '@nestjs/common';
import { calendarEvents, type AttachedFiles } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { toAppointmentChange } from '../domain/appointment-change';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** Writes how many files an appointment carries. */
@Injectable()
export class AttachmentCounts {
  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly clock: Clock,
  ) {}

  /** Takes over a state unless a newer one is there; false when there is no such appointment. */
  async updateCount(tx: Transaction, files: Omit<AttachedFiles, 'module' | 'usedBytes'>): Promise<boolean> {
    const before = await this.appointments.lockById(tx, files.object);
    if (!before) return false;
    const { stamp } = await this.appointments.nextStamp(tx, this.clock.now(), 0);
    const changed = await tx.run(
      `update appointment set attachments = $3, newest_attachment = $4, attachment_revision = $5, modified_by = $6,
         last_modified = $7
       where context_id = $1 and id = $2 and attachment_revision < $5`,
      files.object,
      files.count,
      files.newest,
      files.revision,
      files.userId === 0 ? before.modifiedBy : files.userId,
      stamp,
    );
    if (changed > 0) await tx.publish(calendarEvents['appointment.changed'], toAppointmentChange(before));
    return true;
  }
}
