import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { ManagedFileRepository } from './managed-file.repository';

/** Files removed at once. */
const BATCH = 200;

/** Removes managed files whose time is over. */
@Injectable()
export class ExpiredFiles {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly files: ManagedFileRepository,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** The bytes first: a file without row would stay for ever. Safe with concurrent sweeps. */
  async removeExpired(now: number): Promise<void> {
    for (const shard of await this.database.shardNames())
      for (;;) {
        const ended = await this.database.onShard(shard, 'files of all contexts end by themselves', (db) =>
          this.files.listExpired(db, now, BATCH),
        );
        for (const reference of ended) await this.store.remove(reference);
        if (ended.length > 0)
          await this.database.onShard(shard, 'files of all contexts end by themselves', (db) =>
            this.files.deleteExpired(db, ended, now),
          );
        if (ended.length < BATCH) break;
      }
  }

  /** Removes the bytes of files without rows. Never fails: files that stay are told by the store's inventory. */
  async removeBytes(references: readonly string[]): Promise<void> {
    await Promise.allSettled(references.map((reference) => this.store.remove(reference)));
  }
}
