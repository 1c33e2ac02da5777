import { AsyncResource } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import {
  CALENDAR_FEED_MINUTES,
  CALENDAR_FEED_RETRY_SECONDS,
  CatalogueError,
  FeedErrors,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, toUserPrincipal } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, describeError, Logger, Properties } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { FEED_PROVIDER, toFeedMinutes } from './feed-description';
import { FeedImport, readFeedProperties } from './feed-import';
import { type FeedFile, FeedGone, FeedReader } from './feed-reader';
import { type Feed, type FeedOutcome, FeedRepository } from './feed.repository';
import { FeedVault } from './feed-vault';

const log = Logger.for('calendar.feeds');
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Reading takes at most the time of its setting; so much is left to store it, ms. */
const STORING_MS = 600_000;
/** Feeds that came at once are not read at once again: each waits for up to so much longer. */
const JITTER = 0.1;

/** A time that is spread, ms. */
export const addJitter = (ms: number, random = Math.random): number => Math.round(ms * (1 + JITTER * random()));

/** After how long a feed that failed so many times is tried again, ms. */
export const backOff = (failures: number, retryMs: number, intervalMs: number): number =>
  Math.min(retryMs * 2 ** Math.min(failures - 1, 30), Math.max(retryMs, intervalMs));

/**
 * Reads calendars of the web anew. One process reads a feed at a time: it claims the row first, until a time after which another one
 * may, should it die. What fails leaves the events as they are, and is kept as the error of the feed.
 */
@Injectable()
export class FeedRefresher {
  /** Not part of the calls that wait for it: it does what its user may, whatever they need. */
  private readonly outside = new AsyncResource('FeedRefresher');
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly database: ModuleDatabase,
    private readonly directory: Directory,
    private readonly properties: Properties,
    private readonly feeds: FeedRepository,
    private readonly vault: FeedVault,
    private readonly reader: FeedReader,
    private readonly importer: FeedImport,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  /** Until when a process that begins now has a feed, ms UTC. */
  claimEnd(): number {
    return this.clock.now() + this.config.feedTimeoutMs + STORING_MS;
  }

  /** Reads the feeds of a user in some folders now, unless another process does. */
  async refreshFolders(user: UserPrincipal, folders: readonly number[]): Promise<void> {
    const feeds = await this.database.read(user, (db) => this.feeds.listByFolders(db, folders));
    const own = feeds.filter(({ userId, provider }) => userId === user.userId && provider === FEED_PROVIDER);
    await Promise.all(own.map(({ folderId }) => this.refreshNow(user, folderId)));
  }

  /** Reads one feed now, as an attempt of its user; a file that was read already is stored. Never fails. */
  refreshNow(tenant: Tenant, folderId: number, file?: FeedFile): Promise<void> {
    const { contextId } = tenant;
    const key = `${contextId}:${folderId}`;
    const known = this.running.get(key);
    if (known) return known;
    const run = this.outside
      .runInAsyncScope(() => this.claimAndRefresh({ contextId }, folderId, file))
      .catch((error: unknown) => log.error({ error: describeError(error) }, 'a calendar of the web stays as it is'))
      .finally(() => this.running.delete(key));
    this.running.set(key, run);
    return run;
  }

  /** Reads a feed that was claimed. @param isBackground it fell due: no attempt of its user */
  async refreshClaimed(
    tenant: Tenant,
    feed: Feed,
    { file, isBackground }: { readonly file?: FeedFile | undefined; readonly isBackground?: boolean } = {},
  ): Promise<void> {
    const entity = (await this.directory.getEntities(tenant, [feed.userId])).get(feed.userId);
    if (entity?.kind !== 'user') return;
    const user = toUserPrincipal(tenant.contextId, entity);
    const outcome = await this.read(user, feed, file, isBackground);
    await this.database.transact(tenant, (tx) => this.feeds.release(tx, feed, outcome));
  }

  private async claimAndRefresh(tenant: Tenant, folderId: number, file: FeedFile | undefined): Promise<void> {
    const [now, until] = [this.clock.now(), this.claimEnd()];
    const feed = await this.database.transact(tenant, (tx) => this.feeds.claim(tx, folderId, now, until));
    if (feed) await this.refreshClaimed(tenant, feed, { file });
  }

  private async read(
    user: UserPrincipal,
    feed: Feed,
    given: FeedFile | undefined,
    isBackground = false,
  ): Promise<FeedOutcome> {
    try {
      const file = given ?? (await this.fetch(user, feed, isBackground));
      if (file) await this.importer.importFile(user, feed, file);
      const found = file && (await readFeedProperties(file));
      const publishedMinutes = found ? (toFeedMinutes(found.refreshMs) ?? null) : feed.publishedMinutes;
      const now = this.clock.now();
      return {
        publishedMinutes,
        ...(file?.validators ?? { etag: feed.etag, modified: feed.modified }),
        dueAt: now + addJitter(await this.getIntervalMs(user, { ...feed, publishedMinutes })),
        refreshedAt: now,
        failures: 0,
        error: null,
      };
    } catch (error) {
      return this.toFailure(user, feed, error);
    }
  }

  private fetch(
    user: UserPrincipal,
    { address, etag, modified }: Feed,
    isBackground: boolean,
  ): Promise<FeedFile | undefined> {
    const config = this.vault.unsealAddress(user.contextId, user.userId, address);
    // As if the password were wrong: the user can set it again.
    if (!config) throw FeedErrors.loginWrong();
    return this.reader.fetchChanges(user, config, { validators: { etag, modified }, isBackground });
  }

  private async toFailure(user: UserPrincipal, feed: Feed, cause: unknown): Promise<FeedOutcome> {
    const error = cause instanceof CatalogueError ? cause : FeedErrors.brokenFeed();
    const { contextId, userId } = user;
    const details = { context: contextId, user: userId, folder: feed.folderId, code: error.code };
    if (cause === error) log.info(details, 'a calendar of the web could not be read');
    else log.error({ ...details, error: describeError(cause) }, 'a calendar of the web could not be stored');
    const failures = feed.failures + 1;
    const [intervalMs, seconds] = await Promise.all([
      this.getIntervalMs(user, feed),
      this.properties.get(CALENDAR_FEED_RETRY_SECONDS, user),
    ]);
    const isGone = error.details.cause instanceof FeedGone;
    const { publishedMinutes, etag, modified, refreshedAt } = feed;
    return {
      publishedMinutes,
      etag,
      modified,
      refreshedAt,
      failures,
      dueAt: isGone ? null : this.clock.now() + addJitter(backOff(failures, seconds * SECOND_MS, intervalMs)),
      error: { key: error.entry.key, params: error.params },
    };
  }

  /** How long a feed is taken for new: as its user, else the calendar itself, else the property says. */
  private async getIntervalMs(
    user: UserPrincipal,
    { refreshMinutes, publishedMinutes }: Pick<Feed, 'refreshMinutes' | 'publishedMinutes'>,
  ): Promise<number> {
    const minutes = refreshMinutes ?? publishedMinutes ?? (await this.properties.get(CALENDAR_FEED_MINUTES, user));
    return Math.max(minutes, this.config.feedMinMinutes) * MINUTE_MS;
  }
}
