import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { CalendarConfig } from './calendar.config';
import { DAY_MS } from './domain/local-days';
import { TombstoneRepository } from './persistence/tombstone.repository';

const log = Logger.for('calendar.tombstones');
const BATCH = 5_000;
const MINUTE_MS = 60_000;

/** Forgets deletions that are older than the configured number of days. Several replicas may do so at once. */
@Injectable()
export class TombstoneCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: ModuleDatabase,
    private readonly tombstones: TombstoneRepository,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running = this.clean().catch((error: unknown) => log.error({ error }, 'old deletions stay for now'));
    }, this.config.cleaningMinutes * MINUTE_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Forgets what is too old, in batches of one transaction each. */
  async clean(): Promise<void> {
    const before = this.clock.now() - this.config.tombstoneDays * DAY_MS;
    for (const shard of await this.database.shardNames()) {
      let gone: number;
      do gone = await this.database.onShard(shard, (db) => this.tombstones.forget(db, before, BATCH));
      while (gone === BATCH);
    }
  }
}
