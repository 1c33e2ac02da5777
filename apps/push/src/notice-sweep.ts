import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { NoticeRepository } from './persistence/notice.repository';
import { PushConfig } from './push.config';

const EVERY_MS = 60_000;
const log = Logger.for('push');

/** Removes notices and notes about mails when their time is over. */
@Injectable()
export class NoticeSweep {
  private readonly rounds = new Periodic(
    () => this.sweep(),
    (error) => log.warn({ error: String(error) }, 'old notices stay'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly notices: NoticeRepository,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  /** Begins to sweep now and then. */
  start(): void {
    this.rounds.start(EVERY_MS);
  }

  /** Ends after the round under way. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }

  /** One round on every shard. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const before = { notices: now - this.config.retentionMs, mails: now - this.config.dedupeMs };
    await this.database.acrossShards('notices of all contexts end by themselves', (db) =>
      this.notices.removeOld(db, before),
    );
  }
}
