import type { Provider, Type } from '@nestjs/common';
import type { CallOf, DueAlarm, EventType, OwnedReminder, ReminderOwner, UserPrincipal } from '@groupware/contracts';
import { type AdministrationTransaction, ModuleDatabase, type Reader, type Transaction } from '@groupware/persistence';
import {
  AlarmClock,
  AlarmLoop,
  type AlarmLoopSettings,
  type AlarmSource,
  Clock,
  Handles,
  type Logger,
} from '@groupware/service-kit';
import {
  type DueReminder,
  type ObjectReminder,
  ObjectReminderRepository,
  type OwnedObjectReminder,
  REMINDER_STATE,
  type ReminderTables,
} from './persistence/object-reminder.repository';
import { coversObject, RANK } from './domain/rights';
import { isHidden, toAccessedFolder } from './object-folders';
import { FolderRightsRepository } from './persistence/folder-rights.repository';

const BATCH = 200;

/** Settings of reminders. */
export interface ReminderSettings extends AlarmLoopSettings {
  /** Most reminders in one answer. */
  readonly reminderMax: number;
}

/** Names a module whose users are reminded of its objects. */
export interface RemindingModule {
  /** Number of the module among reminders. */
  readonly module: number;
  readonly dueEvent: EventType<DueAlarm>;
  readonly tables: ReminderTables;
  readonly log: Logger;
}

/** Sets, changes and tells the reminders of users, of a module with one reminder of a user an object. */
export class ObjectReminders implements AlarmSource {
  constructor(
    private readonly names: RemindingModule,
    private readonly database: ModuleDatabase,
    private readonly reminders: ObjectReminderRepository,
    private readonly folders: FolderRightsRepository,
    private readonly alarms: AlarmClock,
    private readonly clock: Clock,
    private readonly settings: ReminderSettings,
  ) {}

  /** Sets (ms UTC) or removes (null) the alarm of a user on an object; undefined leaves it as it is. */
  setAlarm(tx: Transaction, objectId: number, userId: number, alarmMs: number | null | undefined): void {
    if (alarmMs === undefined) return;
    if (alarmMs === null) return this.reminders.remove(tx, objectId, [userId]);
    this.reminders.setAlarm(tx, objectId, userId, alarmMs, this.clock.now());
    tx.afterCommit(() => this.alarms.scheduleBy(alarmMs));
  }

  /** Reminders of the caller until a moment. Those of objects that the caller reads no more are deleted. */
  async list({ principal, query }: CallOf<ReminderOwner['list']>): Promise<OwnedReminder[]> {
    const user = principal.user!;
    const until = Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, query.until));
    const { readable, others } = await this.database.read(user, async (db) => {
      const shown = await this.reminders.listShown(db, user.userId, until, this.settings.reminderMax);
      return this.splitByRights(db, user, shown);
    });
    if (others.length > 0) await this.database.transact(user, (tx) => this.markDeleted(tx, user, others));
    return readable.map(toOwnedReminder);
  }

  /** Deletes reminders of the caller; answers the ids of those that there were. */
  async remove({ principal, query }: CallOf<ReminderOwner['remove']>): Promise<number[]> {
    const user = principal.user!;
    const removed = await this.database.transact(user, (tx) => this.markDeleted(tx, user, query.ids));
    return removed.map(({ id }) => id);
  }

  /** Lets a reminder of the caller come again; null when there is none. */
  async snooze({ principal, query: { id, alarm } }: CallOf<ReminderOwner['snooze']>): Promise<OwnedReminder | null> {
    const user = principal.user!;
    const change = { state: REMINDER_STATE.snoozed, remindMs: alarm };
    const [again] = await this.database.transact(user, async (tx) => {
      tx.afterCommit(() => this.alarms.scheduleBy(alarm));
      const changed = await this.reminders.update(tx, user.userId, [id], change, this.clock.now());
      const { readable, others } = await this.splitByRights(tx, user, changed);
      if (others.length > 0) await this.markDeleted(tx, user, others);
      return readable;
    });
    return again ? toOwnedReminder(again) : null;
  }

  /** Reminders of objects that the user reads, and the ids of the others. */
  private async splitByRights(
    db: Reader,
    user: UserPrincipal,
    reminders: readonly OwnedObjectReminder[],
  ): Promise<{ readonly readable: OwnedObjectReminder[]; readonly others: number[] }> {
    if (reminders.length === 0) return { readable: [], others: [] };
    const ids = new Set(reminders.map(({ folderId }) => folderId));
    const found = await this.folders.listByIds(db, user, [...ids]);
    const folders = new Map(found.map((folder) => [folder.id, toAccessedFolder(folder, user)]));
    const isReadable = (reminder: OwnedObjectReminder): boolean => {
      const folder = folders.get(reminder.folderId);
      return (
        folder !== undefined &&
        folder.rights.folder >= RANK.see &&
        coversObject(folder.rights.read, reminder.createdBy === user.userId) &&
        !isHidden(reminder, folder, user)
      );
    };
    return {
      readable: reminders.filter(isReadable),
      others: reminders.filter((reminder) => !isReadable(reminder)).map(({ id }) => id),
    };
  }

  private markDeleted(tx: Transaction, { userId }: UserPrincipal, ids: readonly number[]) {
    const change = { state: REMINDER_STATE.deleted, remindMs: null };
    return this.reminders.update(tx, userId, ids, change, this.clock.now());
  }

  /**
   * Tells of a batch of reminders: event and new state are written in one transaction, and a reminder is held by one process
   * at a time, so each is told once, however many processes run and whenever they die.
   */
  notifyBatch(shard: string): Promise<boolean> {
    return this.database.onShard(shard, 'alarms of all contexts fall due', async (db) => {
      const due = await this.reminders.claimDue(db, this.clock.now(), BATCH);
      for (const reminder of due) await db.publishFor(reminder, this.names.dueEvent, this.toDueAlarm(reminder));
      return due.length === BATCH;
    });
  }

  findNextDue(db: AdministrationTransaction): Promise<number | undefined> {
    return this.reminders.findNextDue(db);
  }

  private toDueAlarm(reminder: DueReminder): DueAlarm {
    const { remindMs, startMs, endMs } = reminder;
    return {
      module: this.names.module,
      reminderId: reminder.id,
      userId: reminder.userId,
      targetId: reminder.objectId,
      folderId: reminder.folderId,
      alarm: remindMs,
      title: reminder.title,
      start: startMs ?? endMs ?? remindMs,
      end: endMs ?? remindMs,
      fullTime: reminder.fullTime ?? false,
      again: reminder.state === REMINDER_STATE.snoozed,
    };
  }
}

const toOwnedReminder = ({ id, objectId, folderId, remindMs, lastModified }: ObjectReminder): OwnedReminder => ({
  id,
  targetId: objectId,
  folderId,
  alarm: remindMs,
  lastModified,
  position: 0,
});

/** Providers of the reminders of a module. */
export const reminderProviders = (names: RemindingModule, settings: Type<ReminderSettings>): Provider[] => [
  AlarmClock,
  { provide: ObjectReminderRepository, useFactory: () => new ObjectReminderRepository(names.tables) },
  {
    provide: ObjectReminders,
    inject: [ModuleDatabase, ObjectReminderRepository, FolderRightsRepository, AlarmClock, Clock, settings],
    useFactory: (
      database: ModuleDatabase,
      reminders: ObjectReminderRepository,
      folders: FolderRightsRepository,
      alarms: AlarmClock,
      clock: Clock,
      values: ReminderSettings,
    ) => new ObjectReminders(names, database, reminders, folders, alarms, clock, values),
  },
  {
    provide: AlarmLoop,
    inject: [ModuleDatabase, AlarmClock, Clock, settings, ObjectReminders],
    useFactory: (
      database: ModuleDatabase,
      alarms: AlarmClock,
      clock: Clock,
      values: ReminderSettings,
      reminders: ObjectReminders,
    ) => new AlarmLoop(database, alarms, clock, values, [reminders], names.log),
  },
];

/** Handlers for the reminders of a module: pass them to `defineService({ handlers })`. */
export function reminderHandlers(contract: ReminderOwner): Type[] {
  @Handles(contract.list)
  class RemindersListHandler {
    constructor(private readonly reminders: ObjectReminders) {}

    handle(call: CallOf<ReminderOwner['list']>): Promise<OwnedReminder[]> {
      return this.reminders.list(call);
    }
  }
  @Handles(contract.remove)
  class RemindersRemoveHandler {
    constructor(private readonly reminders: ObjectReminders) {}

    handle(call: CallOf<ReminderOwner['remove']>): Promise<number[]> {
      return this.reminders.remove(call);
    }
  }
  @Handles(contract.snooze)
  class RemindersSnoozeHandler {
    constructor(private readonly reminders: ObjectReminders) {}

    handle(call: CallOf<ReminderOwner['snooze']>): Promise<OwnedReminder | null> {
      return this.reminders.snooze(call);
    }
  }
  return [RemindersListHandler, RemindersRemoveHandler, RemindersSnoozeHandler];
}
