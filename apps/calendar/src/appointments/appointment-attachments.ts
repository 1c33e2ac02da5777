import { Injectable } from '@nestjs/common';
import { calendarEvents } from '@groupware/contracts';
import { AttachmentCounts, type FilesOfObject } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { toAppointmentChange } from '../domain/appointment-change';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** Writes how many files an appointment carries. */
@Injectable()
export class AppointmentAttachments extends AttachmentCounts {
  readonly module = 1;

  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  async updateCount(tx: Transaction, files: FilesOfObject): Promise<boolean> {
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
