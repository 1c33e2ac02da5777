import { Inject, Injectable } from '@nestjs/common';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { AttachmentsConfig } from '../configuration/attachments.config';
import { StoredFileRepository } from '../persistence/stored-file.repository';
import { StoredFiles } from './stored-files';

/** Contents settled at once. */
const BATCH = 200;
/** Lifetime of tombstones; clients offline for longer reload everything. */
const TOMBSTONE_LIFE_MS = 90 * 24 * 3_600_000;

const log = Logger.for('attachments');

/** Removes leftovers of interrupted processes: unclaimed uploads, intents without attachment, dying contents. */
@Injectable()
export class FileSweep {
  private readonly rounds = new Periodic(
    () => this.sweep(),
    (error) => log.warn({ cause: String(error) }, 'the sweep failed'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
    private readonly files: StoredFiles,
    private readonly clock: Clock,
    private readonly config: AttachmentsConfig,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** Sweeps at intervals, the first time after one interval. */
  start(): void {
    if (this.config.sweepIntervalMs > 0) this.rounds.start(this.config.sweepIntervalMs);
  }

  /** Stops the sweeps and waits for the current one. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }

  /**
   * Sweeps the store and all contexts; only leftovers beyond the configured age are removed, which protects running
   * transactions. Safe with concurrent sweeps.
   * @returns files removed from the store
   */
  async sweep(): Promise<number> {
    const before = this.clock.now() - this.config.sweepAgeMs;
    let removed = await this.store.sweep(this.config.incomingAgeMs);
    const found = await this.database.acrossShards('files of all contexts end by themselves', (db) =>
      db.rows(
        `select distinct context_id from stored_file where state <> 'kept' and touched < $1
         union select distinct context_id from tombstone where deleted < $2`,
        before,
        this.clock.now() - TOMBSTONE_LIFE_MS,
      ),
    );
    for (const [contextId] of found.flat())
      removed += await this.settleContext({ contextId: contextId as number }, before);
    return removed;
  }

  private async settleContext(tenant: { contextId: number }, before: number): Promise<number> {
    await this.database.transact(tenant, (tx) =>
      tx.run('delete from tombstone where context_id = $1 and deleted < $2', this.clock.now() - TOMBSTONE_LIFE_MS),
    );
    for (let removed = 0; ;) {
      const references = await this.database.read(tenant, (db) => this.contents.listUnsettled(db, before, BATCH));
      if (references.length === 0) return removed;
      const released = await this.database.transact(tenant, (tx) =>
        this.contents.abandonIntents(tx, references, before - 1),
      );
      // Contents kept meanwhile stay; an empty batch ends the sweep.
      if (released.length === 0) return removed;
      await this.files.purgeContents(tenant, released);
      removed += released.length;
    }
  }
}
