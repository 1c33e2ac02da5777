import {
  calendarReaders,
  patternsOf,
  TOPICS,
  type AppointmentChange,
  type CalendarNews,
  type EventMessage,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Outlet } from './outlet';
import { ListenerRepository } from './persistence/listener.repository';
import { PushConfig } from './push.config';

/** Users who only read calendars, and those of them that changed: `{"3,7": [5]}` means that user 5 reads 3 and 7. */
export type Readers = ReadonlyMap<string, readonly number[]>;

/** Tells users about their calendars. */
@Injectable()
export class CalendarTeller {
  constructor(
    private readonly outlet: Outlet,
    private readonly database: ModuleDatabase,
    private readonly listeners: ListenerRepository,
    private readonly caller: Caller,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  /** Who listens and may read one of the folders, besides those who take part. Asked before the transaction. */
  async readers(
    { contextId, occurredAt }: Pick<EventMessage<object>, 'contextId' | 'occurredAt'>,
    folders: readonly number[],
    participants: readonly number[],
  ): Promise<Readers> {
    const found = new Map<string, number[]>();
    if (this.isOld(occurredAt) || folders.length === 0) return found;
    const listening = await this.database.read({ contextId }, (db) =>
      this.listeners.of(db, patternsOf(TOPICS.calendarUpdates), this.clock.now()),
    );
    const users = listening.filter((user) => !participants.includes(user));
    if (users.length === 0) return found;
    const byFolder = await this.caller.call(calendarReaders.of, {
      principal: { kind: 'internal', service: 'push', contextId },
      query: { folders: [...folders], users },
    });
    for (const user of users) {
      const seen = folders.filter((folder) => byFolder[folder]?.includes(user)).join();
      if (seen) found.set(seen, [...(found.get(seen) ?? []), user]);
    }
    return found;
  }

  /**
   * An appointment changed: everybody who takes part, or did, is told. Who only reads the calendar learns that something
   * changed there, and no more: the appointment may be private.
   */
  async appointment(
    tx: Transaction,
    { payload, occurredAt }: EventMessage<AppointmentChange>,
    change: CalendarNews['change'],
    readers: Readers,
  ): Promise<void> {
    if (this.isOld(occurredAt)) return;
    const data: CalendarNews = {
      folders: payload.folders.map(String),
      id: String(payload.id),
      change,
      ...(payload.by === undefined ? {} : { by: payload.by }),
    };
    await this.tell(tx, payload.users, data, readers);
  }

  /** Many appointments of a folder changed. */
  async folder(
    tx: Transaction,
    occurredAt: number,
    folderId: number,
    users: readonly number[],
    readers: Readers,
  ): Promise<void> {
    if (this.isOld(occurredAt)) return;
    const data: CalendarNews = { folders: [String(folderId)], change: 'folder' };
    await this.tell(tx, users, data, readers);
  }

  private async tell(tx: Transaction, users: readonly number[], own: CalendarNews, readers: Readers): Promise<void> {
    if (readers.size > 0) await this.outlet.lock(tx, [...users, ...[...readers.values()].flat()]);
    await this.outlet.tell(tx, { users, topic: TOPICS.calendarUpdates, data: own });
    for (const [folders, users] of readers) {
      const data: CalendarNews = { folders: folders.split(','), change: 'folder' };
      await this.outlet.tell(tx, { users, topic: TOPICS.calendarUpdates, data });
    }
  }

  /** After an outage, or when the module is new: nobody keeps notices of then. */
  isOld(occurredAt: number): boolean {
    return occurredAt < this.clock.now() - this.config.retentionMs;
  }
}
