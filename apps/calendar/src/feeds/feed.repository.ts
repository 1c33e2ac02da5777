import { Injectable } from '@nestjs/common';
import { toStorableJson } from '@groupware/folders';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import type { DefaultAlarms } from '../events/default-alarms';

/** Why a calendar of the web could not be read: a row of the error catalogue. */
export interface FeedFailure {
  readonly key: string;
  readonly params: readonly string[];
}

/** Alarms of the events of a calendar for which its user set none. */
export interface StoredDefaultAlarms extends DefaultAlarms {
  /** When he set them, ms UTC: earlier times are over. */
  readonly sinceMs: number;
}

/** Source of a calendar elsewhere: the web, or the contacts of the user. */
export type CalendarProvider = 'ical' | 'birthdays';

/** A calendar elsewhere that a user has. Times are ms UTC. */
export interface Feed {
  readonly folderId: number;
  readonly userId: number;
  readonly provider: CalendarProvider;
  /** Sealed. */
  readonly address: string;
  readonly refreshMinutes: number | null;
  readonly publishedMinutes: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
  /** null: it is gone, and not read again; birthdays without alarms are read with their folder. */
  readonly dueAt: number | null;
  readonly claimedUntil: number;
  readonly refreshedAt: number | null;
  readonly failures: number;
  readonly error: FeedFailure | null;
  readonly defaultAlarms: StoredDefaultAlarms | null;
}

/** A feed with its context. */
export interface PlacedFeed extends Feed {
  readonly contextId: number;
}

/** The outcome of a look at a calendar. */
export type FeedOutcome = Pick<
  Feed,
  'publishedMinutes' | 'etag' | 'modified' | 'dueAt' | 'refreshedAt' | 'failures' | 'error'
>;

const FEED = `f.folder_id as "folderId", f.user_id as "userId", f.provider, f.address, f.refresh_minutes as "refreshMinutes",
  f.published_minutes as "publishedMinutes", f.etag, f.modified, f.due_at as "dueAt", f.claimed_until as "claimedUntil",
  f.refreshed_at as "refreshedAt", f.failures, f.error, f.default_alarms as "defaultAlarms"`;

/** Calendars of the web that users subscribed to. */
@Injectable()
export class FeedRepository {
  /** How many a user has. After the stamp of folders, which lets one writer count at a time. */
  async countByUser(tx: Transaction, userId: number): Promise<number> {
    const row = await tx.first<{ count: number }>(
      "select count(*)::int as count from feed where context_id = $1 and user_id = $2 and provider = 'ical'",
      userId,
    );
    return row!.count;
  }

  async insert(
    tx: Transaction,
    feed: Pick<Feed, 'folderId' | 'userId' | 'provider' | 'address' | 'refreshMinutes' | 'dueAt'> &
      Partial<Pick<Feed, 'defaultAlarms'>>,
  ): Promise<void> {
    await tx.run(
      `insert into feed (context_id, folder_id, user_id, address, refresh_minutes, due_at, provider, default_alarms)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      feed.folderId,
      feed.userId,
      feed.address,
      feed.refreshMinutes,
      feed.dueAt,
      feed.provider,
      feed.defaultAlarms ? toStorableJson(feed.defaultAlarms) : null,
    );
  }

  /** The folder of the birthdays of a user. */
  async findBirthdays(db: Reader, userId: number): Promise<number | undefined> {
    const row = await db.first<{ folderId: number }>(
      `select f.folder_id as "folderId" from feed f where f.context_id = $1 and f.user_id = $2 and f.provider = 'birthdays'`,
      userId,
    );
    return row?.folderId;
  }

  listByFolders(db: Reader, folders: readonly number[]): Promise<Feed[]> {
    return db.objects<Feed>(
      `select ${FEED} from feed f where f.context_id = $1 and f.folder_id = any($2::int[])`,
      folders,
    );
  }

  /** Writes what a user changed; it is read anew at the next opportunity. */
  async updateSettings(
    tx: Transaction,
    { folderId, address, refreshMinutes, dueAt }: Pick<Feed, 'folderId' | 'address' | 'refreshMinutes' | 'dueAt'>,
  ): Promise<void> {
    await tx.run(
      'update feed set address = $3, refresh_minutes = $4, due_at = $5 where context_id = $1 and folder_id = $2',
      folderId,
      address,
      refreshMinutes,
      dueAt,
    );
  }

  /** Writes the alarms of events for which the user set none. */
  async updateDefaultAlarms(tx: Transaction, folderId: number, alarms: StoredDefaultAlarms | null): Promise<void> {
    await tx.run(
      'update feed set default_alarms = $3 where context_id = $1 and folder_id = $2',
      folderId,
      alarms && toStorableJson(alarms),
    );
  }

  /** Lets a calendar of birthdays be read from time to time, since its user is told of some of them. */
  async followBirthdays(tx: Transaction, folderId: number, now: number): Promise<void> {
    await tx.run(
      `update feed set due_at = $3 where context_id = $1 and folder_id = $2 and provider = 'birthdays' and due_at is null`,
      folderId,
      now,
    );
  }

  /** The calendar of the birthdays of which a user is told. */
  findFollowedBirthdays(db: Reader, userId: number): Promise<Feed | undefined> {
    return db.first<Feed>(
      `select ${FEED} from feed f
       where f.context_id = $1 and f.user_id = $2 and f.provider = 'birthdays' and f.due_at is not null`,
      userId,
    );
  }

  /** Claims feeds of all contexts that are due; no other process reads them until the claim ends. */
  claimDue(db: AdministrationTransaction, now: number, untilMs: number, limit: number): Promise<PlacedFeed[]> {
    return db.objects<PlacedFeed>(
      `with due as (
         select context_id, folder_id from feed where due_at <= $1 and claimed_until <= $1
         order by due_at limit $3 for update skip locked)
       update feed f set claimed_until = $2 from due d
       where f.context_id = d.context_id and f.folder_id = d.folder_id
       returning f.context_id as "contextId", ${FEED}`,
      now,
      untilMs,
      limit,
    );
  }

  /** Claims one feed, due or not; undefined when it is gone or another process reads it. */
  async claim(tx: Transaction, folderId: number, now: number, untilMs: number): Promise<Feed | undefined> {
    const [feed] = await tx.objects<Feed>(
      `update feed f set claimed_until = $4 where f.context_id = $1 and f.folder_id = $2
         and f.claimed_until <= $3 and (f.due_at is not null or f.provider <> 'ical') returning ${FEED}`,
      folderId,
      now,
      untilMs,
    );
    return feed;
  }

  /** Whether a claim still holds; it does until the end of the transaction then. */
  async lockClaim(tx: Transaction, { folderId, claimedUntil }: Feed): Promise<boolean> {
    const row = await tx.first(
      'select folder_id from feed where context_id = $1 and folder_id = $2 and claimed_until = $3 for update',
      folderId,
      claimedUntil,
    );
    return row !== undefined;
  }

  /** Ends a claim with its outcome. Changes of the user meanwhile stay: then it is read again at once. */
  async release(
    tx: Transaction,
    { folderId, claimedUntil, address, dueAt }: Feed,
    outcome: FeedOutcome,
  ): Promise<void> {
    await tx.run(
      `update feed set claimed_until = 0, published_minutes = $4, etag = $5, modified = $6, refreshed_at = $7, failures = $8,
         error = $9, due_at = case when address = $10 and due_at is not distinct from $11 then $12::bigint else due_at end
       where context_id = $1 and folder_id = $2 and claimed_until = $3`,
      folderId,
      claimedUntil,
      outcome.publishedMinutes,
      outcome.etag,
      outcome.modified,
      outcome.refreshedAt,
      outcome.failures,
      outcome.error && JSON.stringify(outcome.error),
      address,
      dueAt,
      outcome.dueAt,
    );
  }
}
