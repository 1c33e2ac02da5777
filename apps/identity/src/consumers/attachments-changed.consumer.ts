import { attachmentEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { CapacityRepository } from '../persistence/capacity.repository';

const changed = attachmentEvents['object.changed'];

/** Notes the space that the attachments of a context use; what was set aside for them counts no longer. */
@Consumes(changed)
export class AttachmentsChangedConsumer implements Consumer<typeof changed> {
  constructor(
    private readonly contexts: ContextRepository,
    private readonly capacity: CapacityRepository,
  ) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof changed>>, tx: Transaction): Promise<void> {
    await this.contexts.recordUsage(tx, 'attachments', payload.usedBytes, payload.revision);
    if (payload.reservation !== undefined) await this.capacity.releaseSpace(tx, payload.reservation);
  }
}
