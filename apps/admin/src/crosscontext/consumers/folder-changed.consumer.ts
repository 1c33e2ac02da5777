import { folderChangeEvents, type EventMessage, type FolderChange } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { FolderShares, type SharedFolder } from '../folder-shares';

/** Follows the permissions of folders, of every module that has some. */
@ConsumesBatches(...folderChangeEvents())
export class FolderChangedConsumer implements BatchConsumer<SharedFolder[]> {
  constructor(private readonly shares: FolderShares) {}

  async prepare(messages: readonly EventMessage[]): Promise<SharedFolder[]> {
    const { contextId } = messages[0]!;
    const ids = new Set(messages.map(({ payload }) => (payload as FolderChange).folderId));
    return Promise.all([...ids].map((id) => this.shares.readShares({ contextId }, id)));
  }

  async handleBatch(_messages: readonly EventMessage[], tx: Transaction, folders: SharedFolder[]): Promise<void> {
    for (const folder of folders) await this.shares.writeShares(tx, folder);
  }
}
