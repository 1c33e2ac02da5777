import { filesEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';
import { ContextRepository } from '../persistence/context.repository';

const changed = filesEvents['space.changed'];

/** Notes the space that the documents of a context use; what was set aside for them counts no longer. */
@Consumes(changed)
export class FilesChangedConsumer implements Consumer<typeof changed> {
  constructor(
    private readonly contexts: ContextRepository,
    private readonly capacity: CapacityRepository,
  ) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof changed>>, tx: Transaction): Promise<void> {
    await this.contexts.recordUsage(tx, 'files', payload.usedBytes, payload.revision);
    if (payload.reservation !== undefined) await this.capacity.releaseSpace(tx, payload.reservation);
  }
}
