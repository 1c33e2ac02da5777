import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { FEEDBACK_RETENTION_DAYS } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic, Properties } from '@groupware/service-kit';
import { FeedbackRepository } from './persistence/feedback.repository';

const log = Logger.for('admin.feedback');
const DAY_MS = 86_400_000;
const PERIOD_MS = 3_600_000;
const BATCH = 5_000;

/** Cuts the link from feedback to users who are gone. Several replicas may do so at once. */
@Injectable()
export class FeedbackAnonymizer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds = new Periodic(
    () => this.anonymizeDue(),
    (error) => log.error({ error }, 'feedback keeps its users for now'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: FeedbackRepository,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start(PERIOD_MS);
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** Notes that a user (or without one: a context) is gone. Repeatable. With a retention of 0 days he is forgotten at once. */
  async scheduleAnonymization(contextId: number, userId: number | null): Promise<void> {
    const days = this.properties.serverValue(FEEDBACK_RETENTION_DAYS);
    const at = this.clock.now() + days * DAY_MS;
    await this.database.acrossShards('a user who is deleted has given feedback anywhere', (db) =>
      this.rows.scheduleAnonymization(db, contextId, userId, at),
    );
    if (days === 0) await this.anonymizeDue();
  }

  /** Forgets whose time has come, in batches of one transaction each. */
  async anonymizeDue(): Promise<void> {
    for (const shard of await this.database.shardNames()) {
      let gone: number;
      do
        gone = await this.database.onShard(shard, 'feedback of all contexts ends by itself', (db) =>
          this.rows.anonymize(db, this.clock.now(), BATCH),
        );
      while (gone === BATCH);
    }
  }
}
