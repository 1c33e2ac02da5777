import {
  calendarEvents,
  calendarReaders,
  patternsOf,
  TOPICS,
  type AppointmentChange,
  type CalendarNews,
  type EventMessage,
  type PayloadOf,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { News } from './domain/news';
import { ListenerRepository } from './persistence/listener.repository';

const CHANGES = new Map<string, CalendarNews['change']>([
  [calendarEvents['appointment.created'].name, 'created'],
  [calendarEvents['appointment.changed'].name, 'changed'],
  [calendarEvents['appointment.deleted'].name, 'deleted'],
]);

/** Event in calendars, and the users whom it concerns. */
interface CalendarEvent {
  readonly folders: readonly number[];
  /** Users who take part, or did, and what they are told. */
  readonly users: readonly number[];
  readonly data: CalendarNews;
  readonly except?: News['except'];
}

/** Users who may read folders of others, by folder. */
export type ReadersByFolder = Readonly<Record<string, ReadonlySet<number>>>;

/** Reads an event of the calendar; undefined for any other event. */
function readEvent({ name, payload }: EventMessage): CalendarEvent | undefined {
  const change = CHANGES.get(name);
  if (change) {
    const { folders, users, id, by, notTold } = payload as AppointmentChange;
    const data = { folders: folders.map(String), id: String(id), change, ...(by === undefined ? {} : { by }) };
    const except = by !== undefined && notTold ? { except: { userId: by, tokenHashes: notTold } } : {};
    return { folders, users, data, ...except };
  }
  if (name !== calendarEvents['import.finished'].name) return undefined;
  const { folderId, userId } = payload as PayloadOf<(typeof calendarEvents)['import.finished']>;
  return { folders: [folderId], users: [userId], data: { folders: [String(folderId)], change: 'folder' } };
}

/**
 * News about calendars. Users who take part in an appointment, or did, are told what changed. A user who only reads the
 * calendar learns that something changed there, and no more: the appointment may be private.
 */
@Injectable()
export class CalendarNewsBuilder {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly listeners: ListenerRepository,
    private readonly caller: Caller,
    private readonly clock: Clock,
  ) {}

  /** Lists listeners who may read folders of events without taking part in them; the events are of one context. */
  async readersOf(messages: readonly EventMessage[]): Promise<ReadersByFolder> {
    const events = messages.map(readEvent).filter((event) => event !== undefined);
    if (events.length === 0) return {};
    const { contextId } = messages[0]!;
    const users = await this.database.read({ contextId }, (db) =>
      this.listeners.of(db, patternsOf(TOPICS.calendarUpdates), this.clock.now()),
    );
    const beside = events.filter((event) => {
      const taking = new Set(event.users);
      return users.some((user) => !taking.has(user));
    });
    // In small contexts most listeners take part, so that no call is needed.
    if (beside.length === 0) return {};
    const folders = [...new Set(beside.flatMap((event) => event.folders))];
    const byFolder = await this.caller.call(calendarReaders.of, {
      principal: { kind: 'internal', service: 'push', contextId },
      query: { folders, users },
    });
    return Object.fromEntries(Object.entries(byFolder).map(([folder, readers]) => [folder, new Set(readers)]));
  }

  /** News of one event; none for events that are not of the calendar. */
  newsOf(message: EventMessage, readers: ReadersByFolder): News[] {
    const event = readEvent(message);
    if (!event) return [];
    const topic = TOPICS.calendarUpdates;
    const except = event.except && { except: event.except };
    const news: News[] = [{ users: event.users, topic, data: event.data, ...except }];
    for (const [folders, users] of readersBeside(event, readers)) {
      const data: CalendarNews = { folders: folders.split(','), change: 'folder' };
      news.push({ users, topic, data, ...except });
    }
    return news;
  }
}

/** Users who do not take part, by the folders of the event that they read: `3,7`. */
function readersBeside({ folders, users }: CalendarEvent, readers: ReadersByFolder): Map<string, number[]> {
  const taking = new Set(users);
  const seen = new Map<number, string>();
  for (const folder of folders)
    for (const user of readers[folder] ?? [])
      if (!taking.has(user)) seen.set(user, seen.has(user) ? `${seen.get(user)},${folder}` : String(folder));
  const grouped = new Map<string, number[]>();
  for (const [user, some] of seen) {
    const group = grouped.get(some);
    if (group) group.push(user);
    else grouped.set(some, [user]);
  }
  return grouped;
}
