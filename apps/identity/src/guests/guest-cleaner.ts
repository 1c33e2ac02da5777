import { SHARE_CLEANER_INTERVAL, SHARE_GUEST_EXPIRY } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Cascade } from '../configuration/cascade';
import { parseTimeSpan } from '../domain/time-span';
import { GuestRepository } from '../persistence/guest.repository';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Time for which former guests are kept, ms; 0: not at all. */
export const guestExpiryMs = (cascade: Pick<Cascade, 'value'>): number =>
  parseTimeSpan(cascade.value(SHARE_GUEST_EXPIRY), DAY_MS) ?? 14 * DAY_MS;

/** Deletes guests with whom nothing has been shared for long. Several replicas may do so at once. */
@Injectable()
export class GuestCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds: Periodic;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly guests: GuestRepository,
    private readonly cascade: Cascade,
    private readonly clock: Clock,
  ) {
    const log = Logger.for('identity.guests');
    this.rounds = new Periodic(
      () => this.deleteFormer(),
      (error) => log.error({ error }, 'former guests stay for now'),
    );
  }

  onApplicationBootstrap(): void {
    const everyMs = parseTimeSpan(this.cascade.value(SHARE_CLEANER_INTERVAL), HOUR_MS) ?? DAY_MS;
    if (everyMs > 0) this.rounds.start(Math.min(everyMs, MAX_INTERVAL_MS));
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** Deletes those who have been former guests for longer than these are kept. */
  async deleteFormer(): Promise<void> {
    const before = this.clock.now() - guestExpiryMs(this.cascade);
    for (const shard of await this.database.shardNames())
      await this.database.onShard(shard, 'former guests of all contexts end by themselves', (db) =>
        this.guests.deleteFormer(db, before),
      );
  }
}

/** Longest time that a timer counts, ms. */
const MAX_INTERVAL_MS = 2_147_483_647;
