import type { EventMessage, EventType, FileCopyRequest } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import type { Type } from '@nestjs/common';
import { AttachmentCopies } from '../attachments/attachment-copies';
import { OwnerNotices } from '../attachments/owner-notices';

/** Makes the consumer that gives new objects of one kind the files of others, where the call that asks for the same did not. */
export function createCopyRequestedConsumer(module: number, copyRequested: EventType<FileCopyRequest>): Type {
  @Consumes(copyRequested)
  class CopyRequestedConsumer implements Consumer<typeof copyRequested> {
    constructor(
      private readonly copies: AttachmentCopies,
      private readonly notices: OwnerNotices,
    ) {}

    async handle({ contextId, payload }: EventMessage<FileCopyRequest>, tx: Transaction): Promise<void> {
      const state = await this.copies.writeCopies(tx, module, payload);
      if (state) tx.awaitAfterCommit(async () => void (await this.notices.notifyOwner({ contextId }, state)));
    }
  }
  return CopyRequestedConsumer;
}
