import type { Type } from '@nestjs/common';
import type { CallOf, FileKeeper, GatheredFiles, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FileGatherer } from './file-gatherer';
import { StoredFileRepository } from './stored-file.repository';

/** Handlers for the contract of a module that keeps files: pass them to `defineService({ handlers })`. */
export function storedFileHandlers(contract: FileKeeper): Type[] {
  /** Moves a batch of files of a context to another file store. */
  @Handles(contract.gather)
  class GatherFilesHandler implements Handler<FileKeeper['gather']> {
    constructor(private readonly gatherer: FileGatherer) {}

    handle({ principal, query }: CallOf<FileKeeper['gather']>): Promise<GatheredFiles> {
      return this.gatherer.gatherFiles(principal, query.storeId, query.after);
    }
  }
  /** Counts the files in a store, dying ones included. */
  @Handles(contract.inStore)
  class FilesInStoreHandler implements Handler<FileKeeper['inStore']> {
    constructor(
      private readonly database: ModuleDatabase,
      private readonly contents: StoredFileRepository,
    ) {}

    async handle({ query }: CallOf<FileKeeper['inStore']>): Promise<number> {
      const counts = await this.database.acrossShards('a file store holds files of many contexts', (db) =>
        this.contents.countInStore(db, query.storeId),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    }
  }
  return [GatherFilesHandler, FilesInStoreHandler];
}
