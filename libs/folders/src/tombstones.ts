import type { OnApplicationBootstrap, OnApplicationShutdown, Provider, Type } from '@nestjs/common';
import { type AdministrationTransaction, ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';

const BATCH = 5_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Rows of all contexts that end by themselves. */
export interface ExpiringRows {
  /** Deletes those from before a time (ms UTC), at most so many. @returns how many are gone */
  deleteBefore(db: AdministrationTransaction, beforeMs: number, limit: number): Promise<number>;
}

/** Settings of a {@link TombstoneCleaner}. */
export interface TombstoneSettings {
  /** Days for which tombstones are kept. */
  readonly tombstoneDays: number;
  /** Minutes between two runs. */
  readonly cleaningMinutes: number;
}

/** Tables of a module: `counter` has the stamps of contexts, `tombstone` the deleted objects. */
export interface TombstoneTables {
  readonly counter: string;
  readonly tombstone: string;
}

/** Tombstones of deleted objects of a module. */
export class TombstoneRepository implements ExpiringRows {
  constructor(private readonly tables: TombstoneTables) {}

  /**
   * Deletes tombstones of all contexts with a stamp before a time, at most so many, and notes per context up to which
   * stamp deletions are no longer known. Counters are locked first, in order, so that writers and the cleaner wait for
   * each other instead of meeting in a deadlock.
   * @returns how many are gone
   */
  async deleteBefore(db: AdministrationTransaction, beforeMs: number, limit: number): Promise<number> {
    const { counter, tombstone } = this.tables;
    await db.rows(
      `select c.context_id from ${counter} c
       where c.context_id in (select t.context_id from ${tombstone} t where t.last_modified < $1)
       order by c.context_id for update`,
      beforeMs,
    );
    const [row] = await db.rows(
      `with gone as (
         delete from ${tombstone} where ctid = any(array(
           select t.ctid from ${tombstone} t join ${counter} c using (context_id)
           where t.last_modified < $1 order by t.last_modified limit $2))
         returning context_id, last_modified),
       noted as (
         update ${counter} c set forgotten = greatest(c.forgotten, g.newest)
         from (select context_id, max(last_modified) as newest from gone group by context_id) g
         where c.context_id = g.context_id)
       select count(*)::int from gone`,
      beforeMs,
      limit,
    );
    return row![0] as number;
  }
}

/** Forgets deletions that are older than the configured number of days. Several replicas may do so at once. */
export class TombstoneCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds: Periodic;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly clock: Clock,
    private readonly settings: TombstoneSettings,
    private readonly rows: readonly ExpiringRows[],
    log: Logger,
  ) {
    this.rounds = new Periodic(
      () => this.deleteExpired(),
      (error) => log.error({ error }, 'old deletions stay for now'),
    );
  }

  onApplicationBootstrap(): void {
    this.rounds.start(this.settings.cleaningMinutes * MINUTE_MS);
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** Forgets what is too old, in batches of one transaction each. */
  async deleteExpired(): Promise<void> {
    const before = this.clock.now() - this.settings.tombstoneDays * DAY_MS;
    for (const shard of await this.database.shardNames()) {
      for (const rows of this.rows) {
        let gone: number;
        do
          gone = await this.database.onShard(shard, 'tombstones of all contexts end by themselves', (db) =>
            rows.deleteBefore(db, before, BATCH),
          );
        while (gone === BATCH);
      }
    }
  }
}

/** Provides a {@link TombstoneCleaner} of the tombstones of a module and of further rows that end with them. */
export const tombstoneCleaner = (
  tables: TombstoneTables,
  settings: Type<TombstoneSettings>,
  log: Logger,
  further: readonly Type<ExpiringRows>[] = [],
): Provider => ({
  provide: TombstoneCleaner,
  inject: [ModuleDatabase, Clock, settings, ...further],
  useFactory: (database: ModuleDatabase, clock: Clock, values: TombstoneSettings, ...rows: ExpiringRows[]) =>
    new TombstoneCleaner(database, clock, values, [new TombstoneRepository(tables), ...rows], log),
});
