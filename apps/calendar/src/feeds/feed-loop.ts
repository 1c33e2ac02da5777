import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, describeError, Logger, Periodic } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { BirthdayCalendars } from './birthday-calendars';
import { BIRTHDAYS_PROVIDER } from './feed-description';
import { FeedRefresher } from './feed-refresher';
import { FeedRepository, type PlacedFeed } from './feed.repository';

const log = Logger.for('calendar.feeds');
const SECOND_MS = 1_000;

/**
 * Reads calendars of the web that are due, so many at a time. Any number of processes may do so: each feed is claimed by one. A slow
 * server holds one place, not the others.
 */
@Injectable()
export class FeedLoop implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds = new Periodic(
    () => this.refreshDue(),
    (error) => log.error({ error: describeError(error) }, 'calendars of the web stay as they are for now'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly feeds: FeedRepository,
    private readonly refresher: FeedRefresher,
    private readonly birthdays: BirthdayCalendars,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.feedSeconds > 0) this.rounds.start(this.config.feedSeconds * SECOND_MS);
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** Reads everything that is due on all shards. */
  async refreshDue(): Promise<void> {
    for (const shard of await this.database.shardNames())
      await Promise.all(Array.from({ length: this.config.feedParallel }, () => this.refreshSome(shard)));
  }

  /** One after the other, as long as there are some. */
  private async refreshSome(shard: string): Promise<void> {
    for (let feed = await this.claimNext(shard); feed; feed = await this.claimNext(shard)) {
      try {
        const tenant = { contextId: feed.contextId };
        if (feed.provider === BIRTHDAYS_PROVIDER) await this.birthdays.refreshClaimed(tenant, feed);
        else await this.refresher.refreshClaimed(tenant, feed, { isBackground: true });
      } catch (error) {
        // The claim keeps it from being read again at once.
        log.error({ context: feed.contextId, error: describeError(error) }, 'a calendar of the web stays as it is');
      }
    }
  }

  private async claimNext(shard: string): Promise<PlacedFeed | undefined> {
    if (this.rounds.isStopped) return undefined;
    const [now, until] = [this.clock.now(), this.refresher.claimEnd()];
    const [feed] = await this.database.onShard(shard, 'calendars of the web of all contexts fall due', (db) =>
      this.feeds.claimDue(db, now, until, 1),
    );
    return feed;
  }
}
