import { attachmentFiles, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { StoredFileRepository } from '../persistence/stored-file.repository';

/** Counts the files in a store, dying ones included. */
@Handles(attachmentFiles.inStore)
export class FilesInStoreHandler implements Handler<typeof attachmentFiles.inStore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
  ) {}

  async handle({ query }: CallOf<typeof attachmentFiles.inStore>): Promise<number> {
    const counts = await this.database.acrossShards('a file store holds files of many contexts', (db) =>
      this.contents.countInStore(db, query.storeId),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
