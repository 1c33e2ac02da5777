import { filesEvents, type DocumentChange, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { DocumentShares, type SharedDocument } from '../document-shares';

/** Follows the rights that documents give by themselves. */
@ConsumesBatches(filesEvents['document.created'], filesEvents['document.changed'], filesEvents['document.deleted'])
export class DocumentChangedConsumer implements BatchConsumer<SharedDocument[]> {
  constructor(private readonly shares: DocumentShares) {}

  async prepare(messages: readonly EventMessage[]): Promise<SharedDocument[]> {
    const { contextId } = messages[0]!;
    const changes = messages.map(({ payload }) => payload as DocumentChange);
    // Most documents are not shared by themselves, and were not.
    const ids = new Set(changes.filter(({ users }) => users.length > 0).map(({ id }) => id));
    return Promise.all([...ids].map((id) => this.shares.readShares({ contextId }, id)));
  }

  async handleBatch(_messages: readonly EventMessage[], tx: Transaction, documents: SharedDocument[]): Promise<void> {
    for (const document of documents) await this.shares.writeShares(tx, document);
  }
}
