import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  BIRTHDAYS_ENABLED,
  calendarEvents,
  contactBirthdays,
  localText,
  SYSTEM_FOLDERS,
  type ContactBirthday,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, toUserPrincipal } from '@groupware/directory';
import { EXTERNAL, FolderRepository, FolderWriter, READ_ONLY_RIGHTS } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, describeError, Logger, Properties } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { toServicePrincipal } from '../domain/service-principal';
import { toBirthdayEvents } from './birthday-events';
import { BIRTHDAYS_PROVIDER } from './feed-description';
import { FeedImport } from './feed-import';
import { addJitter, FeedRefresher } from './feed-refresher';
import { type Feed, type FeedOutcome, FeedRepository } from './feed.repository';
import { FeedVault } from './feed-vault';

const log = Logger.for('calendar.feeds');
const CONTACTS = 'contacts';
const MINUTE_MS = 60_000;
/** Raised with every change of the events made of birthdays, so that those which are stored are made anew. */
const EVENTS_VERSION = 2;

/**
 * Calendars of the birthdays of the contacts that users may read. Users who have contacts have one without asking for it. It is
 * compared with the contacts whenever it is looked at, and from time to time where its user is told of birthdays. It is written only
 * where they differ; while they can't be asked it stays as it is.
 */
@Injectable()
export class BirthdayCalendars {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly database: ModuleDatabase,
    private readonly caller: Caller,
    private readonly directory: Directory,
    private readonly properties: Properties,
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly feeds: FeedRepository,
    private readonly vault: FeedVault,
    private readonly importer: FeedImport,
    private readonly refresher: FeedRefresher,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  /** Makes the calendar of a user who is to have one and removes that of one who is not; true when there was something to do. */
  async ensureCalendar(user: UserPrincipal): Promise<boolean> {
    const isWanted = user.capabilities.includes(CONTACTS) && (await this.properties.get(BIRTHDAYS_ENABLED, user));
    const known = await this.database.read(user, (db) => this.feeds.findBirthdays(db, user.userId));
    if ((known !== undefined) === isWanted) return false;
    return this.database.transact(user, (tx) => (isWanted ? this.create(tx, user) : this.remove(tx, user)));
  }

  /** Brings the calendar of a user up to his contacts, where it is among folders. Never fails. */
  async refreshFolders(user: UserPrincipal, folders: readonly number[]): Promise<void> {
    if (folders.length === 0) return;
    const feeds = await this.database.read(user, (db) => this.feeds.listByFolders(db, folders));
    const own = feeds.find(({ provider, userId }) => provider === BIRTHDAYS_PROVIDER && userId === user.userId);
    if (own) await this.refreshOnce(user, own);
  }

  /** The same for a user who is told of birthdays. */
  async refreshFollowed(user: UserPrincipal): Promise<void> {
    const followed = await this.database.read(user, (db) => this.feeds.findFollowedBirthdays(db, user.userId));
    if (followed) await this.refreshOnce(user, followed);
  }

  /** Brings a calendar that was claimed up to the contacts of its user. */
  async refreshClaimed(tenant: Tenant, feed: Feed): Promise<void> {
    const entity = (await this.directory.getEntities(tenant, [feed.userId])).get(feed.userId);
    if (entity?.kind !== 'user') return;
    const user = toUserPrincipal(tenant.contextId, entity);
    if (await this.ensureCalendar(user)) return;
    const dueAt = this.clock.now() + addJitter(this.config.birthdaysMinutes * MINUTE_MS);
    const outcome = { ...feed, dueAt, failures: feed.failures + 1 };
    const birthdays = await this.listBirthdays(user).catch((error: unknown) => {
      log.warn({ error: describeError(error) }, 'birthdays stay as they are');
    });
    if (birthdays) await this.storeClaimed(user, feed, birthdays, outcome);
    else await this.database.transact(user, (tx) => this.feeds.release(tx, feed, outcome));
  }

  /** Never fails. */
  private async refreshOnce(user: UserPrincipal, own: Feed): Promise<void> {
    const key = `${user.contextId}:${user.userId}`;
    let run = this.running.get(key);
    if (!run) {
      run = this.refresh(user, own)
        .catch((error: unknown) => log.warn({ error: describeError(error) }, 'birthdays stay as they are'))
        .finally(() => this.running.delete(key));
      this.running.set(key, run);
    }
    await run;
  }

  private async refresh(user: UserPrincipal, { folderId, etag }: Feed): Promise<void> {
    const birthdays = await this.listBirthdays(user);
    if (describeState(birthdays, user.locale) === etag) return;
    const [now, until] = [this.clock.now(), this.refresher.claimEnd()];
    const feed = await this.database.transact(user, (tx) => this.feeds.claim(tx, folderId, now, until));
    // Another process is at it.
    if (feed) await this.storeClaimed(user, feed, birthdays, { ...feed, failures: feed.failures + 1 });
  }

  private listBirthdays(user: UserPrincipal): Promise<ContactBirthday[]> {
    return this.caller.call(contactBirthdays.list, {
      principal: toServicePrincipal(user),
      query: { limit: this.config.birthdaysMax },
    });
  }

  /** Stores birthdays that differ from those that are known, and ends the claim. @param failure its outcome where that fails */
  private async storeClaimed(
    user: UserPrincipal,
    feed: Feed,
    birthdays: readonly ContactBirthday[],
    failure: FeedOutcome,
  ): Promise<void> {
    let outcome = failure;
    try {
      const etag = describeState(birthdays, user.locale);
      if (etag !== feed.etag) await this.importer.storeEvents(user, feed, toBirthdayEvents(birthdays, user.locale));
      outcome = { ...failure, etag, refreshedAt: this.clock.now(), failures: 0 };
    } finally {
      await this.database.transact(user, (tx) => this.feeds.release(tx, feed, outcome));
    }
  }

  private async create(tx: Transaction, user: UserPrincipal): Promise<boolean> {
    const { userId, contextId, locale } = user;
    // Taken first by all who write folders: another process that is about to make it waits here.
    const stamp = await this.writer.nextStamp(tx, this.clock.now(), 1);
    if ((await this.feeds.findBirthdays(tx, userId)) !== undefined) return false;
    const parent = SYSTEM_FOLDERS.private;
    const folder = await this.writer.insert(
      tx,
      'calendar',
      {
        parent,
        type: 1,
        title: await this.folders.findFreeTitle(tx, parent, userId, localText('folder.birthdays', locale)),
        createdBy: userId,
        modifiedBy: userId,
        isDefault: false,
        kind: EXTERNAL,
        properties: null,
        permissions: [{ entity: userId, group: false, bits: READ_ONLY_RIGHTS }],
      },
      stamp,
    );
    const { id } = folder!;
    await this.feeds.insert(tx, {
      folderId: id,
      userId,
      provider: BIRTHDAYS_PROVIDER,
      address: this.vault.sealAddress(contextId, userId, { uri: '' }),
      refreshMinutes: null,
      dueAt: null,
    });
    await tx.publish(calendarEvents['folder.created'], { folderId: id });
    return true;
  }

  private async remove(tx: Transaction, user: UserPrincipal): Promise<boolean> {
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    const folderId = await this.feeds.findBirthdays(tx, user.userId);
    if (folderId === undefined) return false;
    await tx.publish(calendarEvents['folder.deleted'], { folderId });
    await this.writer.delete(tx, [folderId], stamp);
    return true;
  }
}

/** By what birthdays that were stored are told from others. */
const describeState = (birthdays: readonly ContactBirthday[], locale: string): string =>
  createHash('sha256')
    .update(JSON.stringify([EVENTS_VERSION, locale, birthdays.map(({ id, name, birthday }) => [id, name, birthday])]))
    .digest('base64url');
