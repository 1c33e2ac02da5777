import { Inject, Injectable } from '@nestjs/common';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Periodic } from '@groupware/service-kit';
import { FileUses, SweepSettings } from './file-uses';
import { StoredFileRepository } from './stored-file.repository';
import { StoredFiles } from './stored-files';

/** Contents settled at once. */
const BATCH = 200;
/** Removes leftovers of interrupted processes: unclaimed uploads, intents without use, dying contents. */
@Injectable()
export class FileSweep {
  private readonly rounds = new Periodic(
    () => this.sweep(),
    (error) => this.uses.log.warn({ cause: String(error) }, 'the sweep failed'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
    private readonly files: StoredFiles,
    private readonly clock: Clock,
    private readonly config: SweepSettings,
    @Inject(FILES) private readonly store: FileStore,
    private readonly uses: FileUses,
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
   * transactions. Safe with concurrent sweeps. What cannot be removed keeps nothing else.
   * @returns files removed from the store
   * @throws the first failure, after everything was tried
   */
  async sweep(): Promise<number> {
    const before = this.clock.now() - this.config.sweepAgeMs;
    const failures: unknown[] = [];
    const attempt = (work: Promise<number>): Promise<number> =>
      work.catch((error: unknown) => {
        failures.push(error);
        return 0;
      });
    await attempt(this.uses.deleteExpired(this.clock.now()).then(() => 0));
    let removed = await attempt(this.store.sweep(this.config.incomingAgeMs));
    const found = await this.database.acrossShards('files of all contexts end by themselves', (db) =>
      db.rows("select distinct context_id from stored_file where state <> 'kept' and touched < $1", before),
    );
    for (const [contextId] of found.flat())
      removed += await attempt(this.settleContext({ contextId: contextId as number }, before, failures));
    if (failures.length > 0) throw failures[0];
    return removed;
  }

  private async settleContext(tenant: { contextId: number }, before: number, failures: unknown[]): Promise<number> {
    const stay = new Set<string>();
    for (let removed = 0; ;) {
      const unsettled = await this.database.read(tenant, (db) =>
        this.contents.listUnsettled(db, before, BATCH + stay.size),
      );
      const references = unsettled.filter((reference) => !stay.has(reference));
      if (references.length === 0) return removed;
      const released = await this.database.transact(tenant, (tx) =>
        this.contents.abandonIntents(tx, references, before - 1),
      );
      // Contents kept meanwhile stay; an empty batch ends the sweep.
      if (released.length === 0) return removed;
      const failed = await this.files.purgeContents(tenant, released);
      for (const [reference, error] of failed) {
        stay.add(reference);
        failures.push(error);
      }
      removed += released.length - failed.size;
      // A store that is down is asked again in the next round.
      if (failed.size === released.length) return removed;
    }
  }
}
