import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { ContactsConfig } from '../contacts.config';
import { TombstoneRepository } from '../persistence/tombstone.repository';

const log = Logger.for('contacts.tombstones');
const BATCH = 5_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Forgets deletions that are older than the configured number of days. Several replicas may do so at once. */
@Injectable()
export class TombstoneCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds = new Periodic(
    () => this.deleteExpired(),
    (error) => log.error({ error }, 'old deletions stay for now'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly tombstones: TombstoneRepository,
    private readonly config: ContactsConfig,
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
      let gone: number;
      do
        gone = await this.database.onShard(shard, 'tombstones of all contexts end by themselves', (db) =>
          this.tombstones.deleteBefore(db, before, BATCH),
        );
      while (gone === BATCH);
    }
  }
}
