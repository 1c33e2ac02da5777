import { Injectable } from '@nestjs/common';
import { FeedErrors, type UserPrincipal } from '@groupware/contracts';
import { ALL_RIGHTS, parseRights } from '@groupware/folders';
import {
  type CalendarEvent,
  readCalendar,
  readCalendarProperties,
  type CalendarProperties,
} from '@groupware/icalendar';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { AlarmClock, Clock, isTurnOver, Logger, pauseAfterTurn, yieldToEventLoop } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import type { Appointment } from '../domain/appointment';
import { toStorable } from '../icalendar/from-event';
import { ImportEntries, type EntryChanges } from '../icalendar/import-entries';
import type { StoredEvent } from '../domain/icalendar-extra';
import { splitRanges } from '../icalendar/range-split';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { FeedEventRepository } from './feed-event.repository';
import type { FeedFile } from './feed-reader';
import { type Feed, FeedRepository } from './feed.repository';

const log = Logger.for('calendar.feeds');
/** So many bytes are looked at before others have their turn. */
const CHUNK_BYTES = 65_536;
/** The end of the file is looked for in so many bytes. */
const TAIL_BYTES = 4_096;
/** Ids of events that have none yet: above those that there are. */
const FIRST_PLACEHOLDER = 2_000_000_000;

/** Events of a file that are stored in one transaction. */
type Slice = readonly CalendarEvent[];

/** Reads the properties of a calendar; undefined when the file is none. */
export const readFeedProperties = ({ bytes, charset }: FeedFile): Promise<CalendarProperties | undefined> =>
  readCalendarProperties(chunksOf(bytes), {
    charset,
    pause: pauseAfterTurn,
  });

/**
 * Brings the events of a feed up to what its file has. Events are known by their uid and original start: they keep their ids, and
 * the alarms of their user. The file is read as a whole first, so that one which breaks off changes nothing; then it is stored
 * in slices.
 */
@Injectable()
export class FeedImport {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly feeds: FeedRepository,
    private readonly events: FeedEventRepository,
    private readonly appointments: AppointmentRepository,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
    private readonly alarms: AlarmClock,
  ) {}

  /** Stops where the claim of the feed ends: it is gone then, or another process has it. @throws ICAL-PROV-4043, 5001 */
  async importFile(user: UserPrincipal, feed: Feed, file: FeedFile): Promise<void> {
    if (!(await readFeedProperties(file))) throw FeedErrors.noCalendar();
    if (!isWhole(file)) throw FeedErrors.brokenFeed();
    const zone = resolveTimeZone(user.timeZone) ?? 'UTC';
    await this.storeEvents(user, feed, await this.readEvents(file, zone));
  }

  /** Makes events those of a feed, and no others. Stops where its claim ends. */
  async storeEvents(user: UserPrincipal, feed: Feed, events: readonly CalendarEvent[]): Promise<void> {
    const zone = resolveTimeZone(user.timeZone) ?? 'UTC';
    const kept: number[] = [];
    for (const slice of toSlices(events, this.config.importBatch)) {
      const split = await splitRanges(slice, zone);
      const ids = await this.database.transact(user, (tx) => this.storeSlice(tx, user, feed, split));
      if (!ids) return;
      for (const id of ids) kept.push(id);
    }
    let gone: number;
    do gone = await this.database.transact(user, (tx) => this.removeOthers(tx, feed, kept));
    while (gone === this.config.importBatch);
  }

  private async readEvents({ bytes, charset }: FeedFile, zone: string): Promise<CalendarEvent[]> {
    const events: CalendarEvent[] = [];
    let refused = 0;
    const items = readCalendar(streamOf(bytes), {
      defaultTimeZone: zone,
      charset,
      maxItems: this.config.importMaxItems,
      pause: pauseAfterTurn,
    });
    for await (const { event, kind } of items) {
      // Alarms are those of the user; stamps of files that are written for each reader change every time.
      if (event) events.push({ ...toStorable(event), alarms: [], dtstampMs: undefined });
      else if (kind === 'VEVENT') refused += 1;
    }
    if (refused > 0) log.info({ refused, events: events.length }, 'events of a calendar left out');
    return events;
  }

  /** The ids of the events of a slice; undefined when the claim is over. */
  private async storeSlice(
    tx: Transaction,
    user: UserPrincipal,
    feed: Feed,
    slice: readonly StoredEvent[],
  ): Promise<number[] | undefined> {
    if (!(await this.feeds.lockClaim(tx, feed))) return undefined;
    const { folderId } = feed;
    const uids = [...new Set(slice.map(({ uid }) => uid))];
    const known = await this.events.listByUids(tx, folderId, uids);
    const folder = {
      id: folderId,
      type: 1 as const,
      createdBy: user.userId,
      calendarUser: user.userId,
      rights: parseRights(ALL_RIGHTS),
    };
    const entries = new ImportEntries(user, folder, known, 0, FIRST_PLACEHOLDER, () => 0, new Map());
    const taken = new Set<ReturnType<ImportEntries['addEvent']>>();
    for (const event of slice) {
      if (isTurnOver()) await yieldToEventLoop();
      taken.add(entries.addEvent(event));
    }
    await entries.linkExceptions();
    const changes = entries.listChanges(new Set());
    const ids = await this.write(tx, feed, changes);
    return [...taken].flatMap((each) => {
      if ('error' in each || each.entry.deletedBy) return [];
      const { id } = each.entry.after;
      return [ids.get(id) ?? id];
    });
  }

  /** Writes changes, if there are any; answers the ids of new events by their placeholders. */
  private async write(
    tx: Transaction,
    { folderId }: Feed,
    { created, changed, removed }: EntryChanges,
  ): Promise<ReadonlyMap<number, number>> {
    if (created.length + changed.length + removed.length === 0) return new Map();
    const { stamp, id: firstId } = await this.appointments.nextStamp(tx, this.clock.now(), created.length);
    const ids = new Map(created.map(({ id }, index) => [id, firstId + index]));
    const finish = (event: Appointment): Appointment => ({
      ...event,
      id: ids.get(event.id) ?? event.id,
      seriesId: event.seriesId === null ? null : (ids.get(event.seriesId) ?? event.seriesId),
      lastModified: stamp,
    });
    await this.events.store(tx, folderId, [
      ...created.map((event) => ({ ...finish(event), created: stamp })),
      ...changed.map(({ after }) => finish(after)),
    ]);
    await this.remove(tx, folderId, removed, stamp);
    // Some of them may have alarms.
    tx.afterCommit(() => this.alarms.scheduleBy(this.clock.now()));
    return ids;
  }

  /** Removes some of the events that the file no longer has. @returns how many went */
  private async removeOthers(tx: Transaction, feed: Feed, kept: readonly number[]): Promise<number> {
    if (!(await this.feeds.lockClaim(tx, feed))) return 0;
    const gone = await this.events.listOthers(tx, feed.folderId, kept, this.config.importBatch);
    if (gone.length === 0) return 0;
    const { stamp } = await this.appointments.nextStamp(tx, this.clock.now(), 0);
    await this.remove(tx, feed.folderId, gone, stamp);
    return gone.length;
  }

  private async remove(tx: Transaction, folderId: number, gone: readonly Appointment[], stamp: number): Promise<void> {
    this.appointments.insertTombstones(
      tx,
      gone.map((appointment) => ({ folderId, appointment })),
      stamp,
    );
    await this.events.remove(
      tx,
      folderId,
      gone.map(({ id }) => id),
    );
  }
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* chunksOf(bytes);
}

/** Whether a file ends as a calendar does; servers that fail in the middle of an answer do not always say so. */
const isWhole = ({ bytes }: FeedFile): boolean =>
  /END:VCALENDAR/i.test(Buffer.from(bytes.subarray(-TAIL_BYTES)).toString('latin1').replaceAll('\u0000', ''));

/** Events in slices: all of one uid stay together, since a series and its exceptions are stored at once. */
function toSlices(events: readonly CalendarEvent[], size: number): Slice[] {
  const byUid = new Map<string, CalendarEvent[]>();
  for (const event of events) {
    const known = byUid.get(event.uid);
    if (known) known.push(event);
    else byUid.set(event.uid, [event]);
  }
  const slices: CalendarEvent[][] = [];
  for (const family of byUid.values()) {
    const last = slices.at(-1);
    if (last && last.length + family.length <= size) last.push(...family);
    else slices.push([...family]);
  }
  return slices;
}
