import { attachmentEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AttachmentCounts } from '../contacts/attachment-counts';

const changed = attachmentEvents['object.changed'];
const CONTACTS = 7;

/** Takes over how many files a contact carries. */
@Consumes(changed)
export class AttachmentsChangedConsumer implements Consumer<typeof changed> {
  constructor(private readonly counts: AttachmentCounts) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof changed>>, tx: Transaction): Promise<void> {
    if (payload.module === CONTACTS) await this.counts.updateCount(tx, payload);
  }
}
