import { identityEvents, type EventMessage } from '@groupware/contracts';
import { FolderWriter } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AppointmentRepository } from '../persistence/appointment.repository';

const deleting = identityEvents['context.deleting'];

/** Nothing of a context that goes stays. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly folders: FolderWriter,
  ) {}

  async handle(_message: EventMessage, tx: Transaction): Promise<void> {
    await this.appointments.removeContext(tx);
    await this.folders.deleteByContext(tx);
  }
}
