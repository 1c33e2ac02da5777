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

  async updateCount(tx: Transaction, files: FilesOfObject): Promise<number> {
    const before = await this.appointments.lockById(tx, files.object);
    if (!before) return 0;
    const { stamp } = await this.appointments.nextStamp(tx, this.clock.now(), 0);
    if (!(await this.appointments.updateAttachments(tx, files, stamp))) return before.lastModified;
    await tx.publish(calendarEvents['appointment.changed'], toAppointmentChange(before));
    return stamp;
  }
}
