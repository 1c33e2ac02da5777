import { attachmentEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';

const changed = attachmentEvents['object.changed'];

/** Notes the space that the attachments of a context use. */
@Consumes(changed)
export class AttachmentsChangedConsumer implements Consumer<typeof changed> {
  constructor(private readonly contexts: ContextRepository) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof changed>>, tx: Transaction): Promise<void> {
    await this.contexts.noteUsage(tx, 'attachments', payload.usedBytes, payload.revision);
  }
}
