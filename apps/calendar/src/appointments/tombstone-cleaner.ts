import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { DAY_MS } from '../domain/local-days';
import { CancellationRepository } from '../persistence/cancellation.repository';
import { TombstoneRepository } from '../persistence/tombstone.repository';

const log = Logger.for('calendar.tombstones');
const BATCH = 5_000;
const MINUTE_MS = 60_000;

/** Forgets deletions and cancellations that are older than the configured number of days. Several replicas may do so at once. */
@Injectable()
export class TombstoneCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds = new Periodic(
    () => this.deleteExpired(),
    (error) => log.error({ error }, 'old deletions stay for now'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly tombstones: TombstoneRepository,
    private readonly cancellations: CancellationRepository,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start(this.config.cleaningMinutes * MINUTE_MS);
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** Forgets what is too old, in batches of one transaction each. */
  async deleteExpired(): Promise<void> {
    const before = this.clock.now() - this.config.tombstoneDays * DAY_MS;
    for (const shard of await this.database.shardNames()) {
      for (const notes of [this.tombstones, this.cancellations]) {
        let gone: number;
        do
          gone = await this.database.onShard(shard, 'tombstones of all contexts end by themselves', (db) =>
            notes.deleteBefore(db, before, BATCH),
          );
        while (gone === BATCH);
      }
    }
  }
}
