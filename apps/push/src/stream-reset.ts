import { POSITIONS_CHANGED } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { NoticeRepository } from './persistence/notice.repository';

/** After a failure it is tried again so soon, ms. */
const EVERY_MS = 10_000;
const log = Logger.for('push');

/**
 * Begins new epochs for the streams of users when JetStream lost events or came back from a backup, so that clients load
 * again what they show: events that no service can send again may be missing.
 */
@Injectable()
export class StreamReset {
  private stopListening: (() => void) | undefined;
  private readonly rounds = new Periodic(
    () => this.compare(this.events.generation.id),
    (error) => log.error({ error: String(error) }, 'streams do not know yet that events were lost'),
  );

  constructor(
    private readonly events: EventBus,
    private readonly database: ModuleDatabase,
    private readonly notices: NoticeRepository,
    private readonly clock: Clock,
  ) {}

  /** Begins to listen, and makes up for what happened while no process was there. */
  start(): void {
    this.stopListening = this.events.onGeneration(() => this.rounds.requestRound());
    this.rounds.start(EVERY_MS);
    this.rounds.requestRound();
  }

  /** Ends after the work under way. */
  stop(): Promise<void> {
    this.stopListening?.();
    return this.rounds.stop();
  }

  /** Compares with what each shard knows; the first process to notice does the work. */
  async compare(generation: string): Promise<void> {
    let count = 0;
    for (const shard of await this.database.shardNames())
      count += await this.database.onShard(
        shard,
        'a broker that lost its stream lost it for all contexts',
        async (db) => {
          const isKnown = await this.notices.noteGeneration(db, generation);
          return isKnown ? 0 : this.notices.startOver(db, this.clock.now());
        },
      );
    if (count === 0) return;
    log.warn({ streams: count }, 'events may have been lost: clients load anew what they show');
    this.events.broadcast(POSITIONS_CHANGED, {});
  }
}
