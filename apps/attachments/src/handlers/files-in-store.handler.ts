import { attachmentFiles, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { StoredFileRepository } from '../persistence/stored-file.repository';

/** How many files a store holds, also those that are still to be removed. */
@Handles(attachmentFiles.inStore)
export class FilesInStoreHandler implements Handler<typeof attachmentFiles.inStore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
  ) {}

  async handle({ query }: CallOf<typeof attachmentFiles.inStore>): Promise<number> {
    const counts = await this.database.acrossShards((db) => this.contents.countIn(db, query.storeId));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
