import { COMPOSE_IDLE_TIME, endingFolders } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic, Properties } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { ComposeSettings } from './compose-settings';
import { ComposeRepository, type EndingFolder } from './compose.repository';

const log = Logger.for('mail');
/** Files removed at once. */
const BATCH = 200;
const UNITS: Readonly<Record<string, number>> = {
  w: 7 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  '': 1,
};
const WHY = 'mails that nobody goes on writing end by themselves';

/** Reads a time such as `1W` or `1h 30m`; 0 for none, and for what is no time. */
function parseIdleTime(text: string): number {
  const parts = text.trim().toLowerCase().split(/\s+/);
  const times = parts.map((part) => /^(\d{1,12})(ms|[wdhm]?)$/.exec(part));
  if (times.includes(null)) return 0;
  return times.reduce((sum, match) => sum + Number(match![1]) * (UNITS[match![2]!] ?? 1), 0);
}

/** Removes spaces not written in for long, bytes of files that no mail has any more, and folders of files whose links ended. */
@Injectable()
export class ComposeSweep {
  private readonly rounds = new Periodic(
    () => this.sweep(),
    (error) => log.warn({ cause: String(error) }, 'the sweep of composition spaces failed'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ComposeRepository,
    private readonly properties: Properties,
    private readonly settings: ComposeSettings,
    private readonly clock: Clock,
    private readonly caller: Caller,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** Sweeps at intervals, the first time after one interval. */
  start(): void {
    if (this.settings.sweepIntervalMs > 0) this.rounds.start(this.settings.sweepIntervalMs);
  }

  /** Stops the sweeps and waits for the current one. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }

  /** Sweeps all contexts. Safe with concurrent sweeps. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const idleMs = parseIdleTime(this.properties.serverValue(COMPOSE_IDLE_TIME));
    const before = now - this.settings.fileAgeMs;
    for (const shard of await this.database.shardNames()) {
      if (idleMs > 0) await this.database.onShard(shard, WHY, (db) => this.rows.deleteIdle(db, now - idleMs, now));
      for (;;) {
        const removed = await this.database.onShard(shard, WHY, (db) => this.rows.listRemoved(db, before, BATCH));
        // The bytes first: a file without row would stay for ever.
        for (const reference of removed) await this.store.remove(reference);
        if (removed.length > 0)
          await this.database.onShard(shard, WHY, (db) => this.rows.deleteRemoved(db, removed, before));
        if (removed.length < BATCH) break;
      }
      const ended = await this.database.onShard(shard, WHY, (db) => this.rows.listEnded(db, now, BATCH));
      for (const folder of ended) await this.endFolder(folder);
    }
  }

  /** Never fails: the next round tries again. */
  private async endFolder({ contextId, userId, folder }: EndingFolder): Promise<void> {
    const principal = { kind: 'internal', service: 'mail', contextId } as const;
    try {
      await this.caller.call(endingFolders.remove, { principal, query: { id: folder, user: userId } });
      await this.database.transact(principal, (tx) => this.rows.forgetEnd(tx, folder));
    } catch (error) {
      log.warn(
        { context: contextId, folder, cause: String(error) },
        'a folder of files whose link ended stays for now',
      );
    }
  }

  /** Removes the bytes of files without rows. Never fails: files that stay are told by the store's inventory. */
  async removeBytes(references: readonly string[]): Promise<void> {
    await Promise.allSettled(references.map((reference) => this.store.remove(reference)));
  }
}
