import { Injectable } from '@nestjs/common';
import {
  CALENDAR_FEEDS_ENABLED,
  CalendarErrors,
  CatalogueError,
  errorByKey,
  errorObject,
  FeedErrors,
  MAX_CALENDAR_FEEDS,
  type FolderAccount,
  type OwnedFolderCreation,
  type UserPrincipal,
} from '@groupware/contracts';
import type { PreparedAccount } from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { nameFeed } from './feed-address';
import { describeFeed, FEED_PROVIDER } from './feed-description';
import { FeedDefaultAlarms } from './feed-default-alarms';
import { readFeedProperties } from './feed-import';
import { FeedReader } from './feed-reader';
import { FeedRefresher } from './feed-refresher';
import { parseFeedAlarms, parseFeedSettings } from './feed-settings';
import { type Feed, type FeedFailure, FeedRepository } from './feed.repository';
import { FeedVault } from './feed-vault';

/** Longest name that a calendar gives its folder. */
const MAX_TITLE = 200;

/** Accounts of calendars of the web, each with its folder. */
@Injectable()
export class FeedAccounts {
  constructor(
    private readonly properties: Properties,
    private readonly feeds: FeedRepository,
    private readonly vault: FeedVault,
    private readonly reader: FeedReader,
    private readonly refresher: FeedRefresher,
    private readonly clock: Clock,
    private readonly alarms: FeedDefaultAlarms,
  ) {}

  /**
   * Reads a calendar for a new folder. CAL-5030 for other providers and where users may not subscribe to any, CAL-5075 when it is stored
   * and they have too many; the errors of {@link FeedErrors}.
   */
  async prepareAccount(user: UserPrincipal, { account }: OwnedFolderCreation): Promise<PreparedAccount | undefined> {
    if (!account) return undefined;
    const isEnabled = account.provider === FEED_PROVIDER && (await this.properties.get(CALENDAR_FEEDS_ENABLED, user));
    if (!isEnabled) throw CalendarErrors.providerMissing(account.provider);
    const { uri, login, password, refreshInterval } = parseFeedSettings(account.config ?? {});
    const alarms = parseFeedAlarms(account.config ?? {}, null);
    if (!uri) throw FeedErrors.addressMissing();
    const file = await this.reader.fetchFeed(user, { uri, login, password });
    const found = await readFeedProperties(file);
    if (!found) throw FeedErrors.noCalendar();
    const most = await this.properties.get(MAX_CALENDAR_FEEDS, user);
    const address = this.vault.sealAddress(user.contextId, user.userId, { uri, login, password });
    return {
      title: toTitle(found.name ?? '') || toTitle(nameFeed(file.url)),
      properties: describeFeed(found),
      store: async (tx, folderId) => {
        if (most > 0 && (await this.feeds.countByUser(tx, user.userId)) >= most)
          throw CalendarErrors.tooManyAccounts(FEED_PROVIDER, most);
        const refreshMinutes = refreshInterval ?? null;
        await this.feeds.insert(tx, {
          folderId,
          userId: user.userId,
          provider: FEED_PROVIDER,
          address,
          refreshMinutes,
          dueAt: this.clock.now(),
          defaultAlarms: this.alarms.toStored(alarms),
        });
      },
      fill: (folderId) => this.refresher.refreshNow(user, folderId, file),
    };
  }

  /**
   * Changes login, password and interval; another address is ICAL-PROV-4044. It is read again soon. Alarms of events for which the user
   * set none change with all calendars. CAL-4005, CAL-5074
   */
  async updateAccount(tx: Transaction, folderId: number, config: Readonly<Record<string, unknown>>): Promise<void> {
    const [feed] = await this.feeds.listByFolders(tx, [folderId]);
    if (!feed) return;
    await this.alarms.setDefaultAlarms(tx, feed, parseFeedAlarms(config, feed.defaultAlarms));
    if (feed.provider === FEED_PROVIDER) await this.updateSettings(tx, feed, config);
  }

  private async updateSettings(tx: Transaction, feed: Feed, config: Readonly<Record<string, unknown>>): Promise<void> {
    const { contextId } = tx;
    const { userId, folderId } = feed;
    const known = this.vault.unsealAddress(contextId, userId, feed.address);
    const wanted = parseFeedSettings(config);
    if (wanted.uri !== undefined && wanted.uri !== known?.uri) throw FeedErrors.fixedField('uri');
    if (!known) return;
    const hasNewLogin = wanted.login !== undefined && wanted.login !== known.login;
    const address = {
      uri: known.uri,
      login: wanted.login ?? known.login,
      // The password of one login is not told to another one.
      password: wanted.password ?? (hasNewLogin ? undefined : known.password),
    };
    const isSame = address.login === known.login && address.password === known.password;
    const refreshMinutes = wanted.refreshInterval === undefined ? feed.refreshMinutes : wanted.refreshInterval;
    if (isSame && refreshMinutes === feed.refreshMinutes) return;
    await this.feeds.updateSettings(tx, {
      folderId,
      address: isSame ? feed.address : this.vault.sealAddress(contextId, userId, address),
      refreshMinutes,
      dueAt: this.clock.now(),
    });
  }

  /** The accounts of folders, without passwords. */
  async listAccounts(
    db: Reader,
    folders: readonly number[],
    user: UserPrincipal,
  ): Promise<ReadonlyMap<number, FolderAccount>> {
    const feeds = await this.feeds.listByFolders(db, folders);
    return new Map(feeds.map((feed) => [feed.folderId, this.toAccount(feed, user)]));
  }

  private toAccount(feed: Feed, user: UserPrincipal): FolderAccount {
    const { userId, provider, address, refreshMinutes, error, refreshedAt, defaultAlarms } = feed;
    const { uri, login } =
      (provider === FEED_PROVIDER && this.vault.unsealAddress(user.contextId, userId, address)) || {};
    return {
      provider,
      config: {
        ...(uri !== undefined && { uri }),
        ...(login !== undefined && { login }),
        ...(refreshMinutes !== null && { refreshInterval: refreshMinutes }),
        ...(defaultAlarms && { defaultAlarmDate: defaultAlarms.date, defaultAlarmDateTime: defaultAlarms.dateTime }),
      },
      ...(error && { error: describeFailure(error, user.locale) }),
      ...(refreshedAt !== null && { refreshed: refreshedAt }),
    };
  }
}

/** An error as clients get it; undefined for one of a release that knew others. */
function describeFailure({ key, params }: FeedFailure, locale: string): object | undefined {
  const entry = errorByKey(key);
  return entry && errorObject(new CatalogueError(entry, params), locale);
}

/** A name that folders may have. */
const toTitle = (name: string): string =>
  name
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_TITLE)
    .trim();
