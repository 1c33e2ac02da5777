import { type AttachableObjects, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { StoredFiles } from '@groupware/stored-files';
import type { Type } from '@nestjs/common';
import { AttachmentRemover } from '../attachments/attachment-remover';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** Makes the consumer that deletes the files of deleted objects of one kind. */
export function createObjectDeletedConsumer({ id, deleted }: AttachableObjects): Type {
  @Consumes(deleted)
  class ObjectDeletedConsumer implements Consumer<typeof deleted> {
    constructor(
      private readonly detachment: AttachmentRemover,
      private readonly attachments: AttachmentRepository,
      private readonly files: StoredFiles,
    ) {}

    async handle(message: EventMessage<{ id: number }>, tx: Transaction): Promise<void> {
      const object = { module: id, attached: message.payload.id };
      this.attachments.deleteCopyNote(tx, object);
      const { released } = await this.detachment.removeAttachments(tx, object, 0);
      const tenant = { contextId: message.contextId };
      // The sweep completes what is interrupted here.
      tx.afterCommit(() => void this.files.abandonContents(tenant, released));
    }
  }
  return ObjectDeletedConsumer;
}
