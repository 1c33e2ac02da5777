import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { NoticeRepository } from './persistence/notice.repository';
import { PushConfig } from './push.config';

const EVERY_MS = 60_000;
const log = Logger.for('push');

/** Removes notices and notes about mails when their time is over. */
@Injectable()
export class NoticeSweep {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly notices: NoticeRepository,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  /** Begins to sweep now and then. */
  start(): void {
    this.timer = setInterval(() => {
      this.sweep().catch((error: unknown) => log.warn({ error: String(error) }, 'old notices stay'));
    }, EVERY_MS).unref();
  }

  /** Ends. */
  stop(): void {
    clearInterval(this.timer);
  }

  /** One round on every shard. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const before = { notices: now - this.config.retentionMs, mails: now - this.config.dedupeMs };
    await this.database.acrossShards((db) => this.notices.removeOld(db, before));
  }
}
