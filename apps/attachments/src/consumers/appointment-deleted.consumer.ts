import { calendarEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { Detachment } from '../detachment';
import { StoredFiles } from '../stored-files';

const deleted = calendarEvents['appointment.deleted'];
const APPOINTMENTS = 1;

/** Removes the files of an appointment that is gone. */
@Consumes(deleted)
export class AppointmentDeletedConsumer implements Consumer<typeof deleted> {
  constructor(
    private readonly detachment: Detachment,
    private readonly files: StoredFiles,
  ) {}

  async handle(message: EventMessage<PayloadOf<typeof deleted>>, tx: Transaction): Promise<void> {
    const object = { module: APPOINTMENTS, attached: message.payload.id };
    const { released } = await this.detachment.remove(tx, object, 0);
    const tenant = { contextId: message.contextId };
    // What the process does not get done any more, the sweep does.
    tx.afterCommit(() => void this.files.giveUp(tenant, released));
  }
}
