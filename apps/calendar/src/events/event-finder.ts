import { Injectable } from '@nestjs/common';
import { CalendarErrors, CatalogueError, findFeedFolder, type UserPrincipal } from '@groupware/contracts';
import { EXTERNAL } from '@groupware/folders';
import type { Reader } from '@groupware/persistence';
import { type Appointment, findAttendee, isException, isSeries } from '../domain/appointment';
import { findSeenOccurrence } from '../appointments/appointment-target';
import { namesOccurrence } from '../domain/appointment-reference';
import { listHiddenExceptions } from '../domain/exception';
import { resolveOccurrence } from '../domain/occurrence';
import type { OccurrenceName } from '../domain/series';
import {
  type AccessedFolder,
  findReadableFolder,
  findEventFolder,
  FolderAccess,
  isInvitedTo,
  isSeenIn,
  parseEventFolder,
  requireFolderOf,
  requireMayRead,
  visibilityOf,
} from '../folders/folder-access';
import { FeedEventRepository } from '../feeds/feed-event.repository';
import { AppointmentRepository, listFolders } from '../persistence/appointment.repository';
import type { SeenEvent } from '../persistence/event.repository';
import type { ShownEvent } from './event-expansion';
import { parseRecurrenceId } from './event-time';

/** Names an event in a folder, or one of its occurrences. */
export interface EventReference {
  readonly folder: string;
  readonly id: string;
  readonly recurrenceId?: string;
}

const findEventId = (id: string): number | undefined => (/^\d{1,9}$/.test(id) ? Number(id) : undefined);

/** The number of an event; CAL-4040 for an id that no event has. */
export function parseEventId(id: string): number {
  const number = findEventId(id);
  if (number === undefined) throw CalendarErrors.eventNotFound(id);
  return number;
}

/** The occurrence that a reference names. */
export const toOccurrenceName = (recurrenceId: string | undefined): OccurrenceName =>
  recurrenceId ? { original: parseRecurrenceId(recurrenceId) } : {};

/** Series with their exceptions. */
interface Family {
  readonly byId: ReadonlyMap<number, Appointment>;
  readonly exceptions: ReadonlyMap<number, readonly Appointment[]>;
}

/** An event where a user sees it, with what its family says about it. */
export function toSeenEvent(
  appointment: Appointment,
  folder: Pick<AccessedFolder, 'id' | 'calendarUser'>,
  anonymous: boolean,
  { byId, exceptions }: Family,
): SeenEvent {
  const master = isException(appointment) ? byId.get(appointment.seriesId!) : undefined;
  const ofOthers = isSeries(appointment) && appointment.folderId !== folder.id;
  const hidden = ofOthers ? listHiddenExceptions(exceptions.get(appointment.id) ?? [], folder.calendarUser) : [];
  return {
    ...appointment,
    shownFolder: folder.id,
    calendarUser: folder.calendarUser,
    anonymous,
    clock: master ? { fullTime: master.fullTime, floating: master.floating, timeZone: master.timeZone } : null,
    hiddenChanges: hidden.map(({ recurrenceLocalMs }) => recurrenceLocalMs!),
  };
}

/** Finds events by their ids. */
@Injectable()
export class EventFinder {
  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly feeds: FeedEventRepository,
  ) {}

  /** CAL-4040, CAL-4041, CAL-4042 and CAL-4030 for what is not there or not readable; the errors of folders. */
  async findEvent(db: Reader, user: UserPrincipal, reference: EventReference): Promise<ShownEvent> {
    const name = toOccurrenceName(reference.recurrenceId);
    const feed = findFeedFolder(reference.folder);
    if (feed !== undefined) {
      const folder = await this.access.requireFeed(db, user, feed);
      const id = parseEventId(reference.id);
      return showEvent(await this.loadFeedFamiliesById(db, [feed], [id]), id, folder, user, name);
    }
    const [folderId, known] = [parseEventFolder(reference.folder), findEventId(reference.id)];
    const [found, family] = await Promise.all([
      this.access.findFolder(db, user, folderId),
      this.loadFamilies(db, known === undefined ? [] : [known]),
    ]);
    const appointment = family.byId.get(known ?? -1);
    const folder = requireFolderOf(appointment, found, folderId, user);
    if (!isInvitedTo(appointment, folder, user)) requireMayRead(folder);
    return showEvent(family, parseEventId(reference.id), folder, user, name);
  }

  /** The same for many; undefined for each that is not there, not readable, or in a folder that is not. */
  async findEvents(
    db: Reader,
    user: UserPrincipal,
    references: readonly EventReference[],
  ): Promise<(ShownEvent | undefined)[]> {
    const wanted = references.map((reference) => ({ reference, ids: findIds(reference) }));
    const named = wanted.flatMap(({ ids }) => ids ?? []);
    const found = await this.access.listFolders(
      db,
      user,
      named.map(({ folder }) => folder),
    );
    const folders = new Map(found.map((folder) => [folder.id, folder]));
    const families = await this.loadFamilies(db, [...new Set(named.flatMap(({ id, isFeed }) => (isFeed ? [] : [id])))]);
    const ofFeeds = await this.loadNamedFeeds(db, named);
    return wanted.map(({ reference, ids }) => {
      const folder = ids && folders.get(ids.folder);
      if (folder && (folder.kind === EXTERNAL) !== ids.isFeed) return undefined;
      const family = ids?.isFeed ? ofFeeds : families;
      // Thousands of them may be gone: an exception for each would hold the event loop.
      if (!folder || !family.byId.has(ids.id)) return undefined;
      return attempt(() => showEvent(family, ids.id, folder, user, toOccurrenceName(reference.recurrenceId)));
    });
  }

  /** An event where the user sees it best, with its details if anywhere; CAL-4040 when he does not see it. */
  async resolveEvent(db: Reader, user: UserPrincipal, id: number): Promise<ShownEvent> {
    const family = await this.loadFamilies(db, [id]);
    const appointment = family.byId.get(id);
    const folders = await this.access.findFolders(db, user, appointment ? listFolders(appointment) : []);
    if (!appointment) throw CalendarErrors.eventNotFound(id);
    const readable = findReadableFolder(appointment, folders, user);
    if (readable) return { event: toSeenEvent(appointment, readable, false, family) };
    const folder = [...folders.values()].find((each) => visibilityOf(appointment, each, user) === 'anonymous');
    if (!folder) throw CalendarErrors.eventNotFound(id);
    return { event: toSeenEvent(appointment, folder, true, family) };
  }

  private loadNamedFeeds(db: Reader, named: readonly NamedEvent[]): Promise<Family> {
    const ofFeeds = named.filter(({ isFeed }) => isFeed);
    return this.loadFeedFamiliesById(
      db,
      [...new Set(ofFeeds.map(({ folder }) => folder))],
      [...new Set(ofFeeds.map(({ id }) => id))],
    );
  }

  private async loadFeedFamiliesById(db: Reader, folders: readonly number[], ids: readonly number[]): Promise<Family> {
    if (ids.length === 0) return { byId: new Map(), exceptions: new Map() };
    return this.loadFeedFamilies(db, folders, await this.feeds.listByIds(db, folders, ids), true);
  }

  /** Events of calendars of the web with the series they belong to and, where asked for, the exceptions of those. */
  async loadFeedFamilies(
    db: Reader,
    folders: readonly number[],
    found: readonly Appointment[],
    withExceptions = false,
  ): Promise<Family> {
    const known = new Set(found.map(({ id }) => id));
    const masters = found.flatMap(({ seriesId }) => (seriesId !== null && !known.has(seriesId) ? [seriesId] : []));
    const series = withExceptions ? found.filter((each) => isSeries(each) && each.changes?.length) : [];
    const [more, exceptions] = await Promise.all([
      masters.length > 0 ? this.feeds.listByIds(db, folders, [...new Set(masters)]) : [],
      series.length > 0
        ? this.feeds.listExceptions(
            db,
            folders,
            series.map(({ id }) => id),
          )
        : [],
    ]);
    return toFamily([...more, ...found], exceptions);
  }

  /** Events with the series they belong to and the exceptions of those. */
  private async loadFamilies(db: Reader, ids: readonly number[]): Promise<Family> {
    const found = await this.appointments.listByIds(db, ids);
    const masters = found.flatMap(({ id, seriesId }) => (seriesId !== null && seriesId !== id ? [seriesId] : []));
    const series = found.filter((each) => isSeries(each) && each.changes?.length).map(({ id }) => id);
    const [more, exceptions] = await Promise.all([
      masters.length > 0 ? this.appointments.listByIds(db, [...new Set(masters)]) : [],
      series.length > 0 ? this.appointments.listExceptionsOfMany(db, series) : [],
    ]);
    return toFamily([...more, ...found], exceptions);
  }
}

function toFamily(events: readonly Appointment[], exceptions: readonly Appointment[]): Family {
  const bySeries = new Map<number, Appointment[]>();
  for (const each of exceptions) {
    const known = bySeries.get(each.seriesId!);
    if (known) known.push(each);
    else bySeries.set(each.seriesId!, [each]);
  }
  return { byId: new Map(events.map((each) => [each.id, each])), exceptions: bySeries };
}

/** An event in a folder, of this product or of a calendar of the web. */
interface NamedEvent {
  readonly folder: number;
  readonly id: number;
  readonly isFeed: boolean;
}

function findIds({ folder, id }: EventReference): NamedEvent | undefined {
  const feed = findFeedFolder(folder);
  const [inFolder, number] = [feed ?? findEventFolder(folder), findEventId(id)];
  if (inFolder === undefined || number === undefined) return undefined;
  return { folder: inFolder, id: number, isFeed: feed !== undefined };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}

/** An event or occurrence in a folder. */
function showEvent(
  family: Family,
  id: number,
  folder: AccessedFolder,
  user: UserPrincipal,
  name: OccurrenceName,
): ShownEvent {
  const showWhole = (each: Appointment): ShownEvent => ({
    event: toSeenEvent(each, folder, visibilityOf(each, folder, user) === 'anonymous', family),
  });
  const found = family.byId.get(id);
  const isUnseenSeries = found && namesOccurrence(name) && isSeries(found) && !isSeenIn(found, folder);
  const alone = isUnseenSeries && findSeenOccurrence(found, family.exceptions.get(id) ?? [], folder, name);
  // An attendee of a single occurrence names it as the others do.
  if (alone) return showWhole(requireSeen(alone, alone.id, folder, user));
  const appointment = requireSeen(found, id, folder, user);
  if (!namesOccurrence(name)) return showWhole(appointment);
  // Exceptions are their own occurrence; single events have none.
  if (isException(appointment)) return showWhole(appointment);
  if (!isSeries(appointment)) throw CalendarErrors.occurrenceNotFound(id, describe(name));
  const shown = findShown(appointment, family.exceptions.get(id) ?? [], name);
  if (!shown) throw CalendarErrors.occurrenceNotFound(id, describe(name));
  if (shown.appointment.id !== id) return showWhole(requireSeen(shown.appointment, shown.appointment.id, folder, user));
  return { ...showWhole(appointment), occurrence: shown.occurrence };
}

const describe = ({ original }: OccurrenceName): string => new Date(original!.ms).toISOString();

function findShown(series: Appointment, exceptions: readonly Appointment[], name: OccurrenceName) {
  return attempt(() => resolveOccurrence(series, exceptions, name));
}

/** Refuses what does not exist or is private (CAL-4040), is in another folder (CAL-4041), or may not be read (CAL-4030). */
function requireSeen(
  appointment: Appointment | undefined,
  id: number,
  folder: AccessedFolder,
  user: UserPrincipal,
): Appointment {
  if (!appointment) throw CalendarErrors.eventNotFound(id);
  const hidden = findAttendee(appointment, folder.calendarUser)?.hidden;
  if (!isSeenIn(appointment, folder))
    throw hidden ? CalendarErrors.eventNotFound(id) : CalendarErrors.eventNotInFolder(id, folder.id);
  if (visibilityOf(appointment, folder, user) === 'none')
    throw appointment.classification > 0
      ? CalendarErrors.eventNotFound(id)
      : CalendarErrors.noReadPermission(folder.id);
  return appointment;
}
