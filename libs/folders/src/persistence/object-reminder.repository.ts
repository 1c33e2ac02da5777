import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import type { OwnedObject } from '../object-folders';

/** State of a reminder: waiting for its time, notified, snoozed, or deleted by the user. */
export const REMINDER_STATE = { waiting: 0, notified: 1, snoozed: 2, deleted: 3 } as const;

/**
 * Tables of a module whose users are reminded of its objects. The table of reminders has `context_id`, `id`, the id of the object,
 * `user_id`, `alarm_ms`, `remind_ms`, `due_ms`, `state` and `last_modified`; a user has one reminder of an object at most.
 */
export interface ReminderTables {
  readonly reminder: string;
  /** Column of the table of reminders with the id of the object. */
  readonly objectId: string;
  /** Table of objects, with `title`, `start_ms`, `end_ms`, `full_time`, `created_by` and `is_private`. */
  readonly object: string;
  /** Expression: the folder in which the user of a reminder `r` sees its object. */
  readonly folder: string;
}

/** A reminder of a user with the folder in which that user sees the object. Times are ms UTC. */
export interface ObjectReminder {
  readonly id: number;
  readonly objectId: number;
  readonly userId: number;
  readonly folderId: number;
  /** When the user is reminded: the alarm, or the time asked for since. */
  readonly remindMs: number;
  readonly state: number;
  readonly lastModified: number;
}

/** The same with what the right to read the object depends on. */
export interface OwnedObjectReminder extends ObjectReminder, OwnedObject {}

/** A reminder that is due, of any context. */
export interface DueReminder extends ObjectReminder {
  readonly contextId: number;
  readonly title: string | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly fullTime: boolean | null;
}

/** Rows of reminders of objects. */
export class ObjectReminderRepository {
  private readonly reminder: string;

  constructor(private readonly tables: ReminderTables) {
    this.reminder = `r.id, r.${tables.objectId} as "objectId", r.user_id as "userId", ${tables.folder} as "folderId",
      r.remind_ms as "remindMs", r.state, r.last_modified as "lastModified",
      ${this.ofObject('created_by')} as "createdBy", ${this.ofObject('is_private')} as "isPrivate"`;
  }

  private ofObject(column: 'created_by' | 'is_private'): string {
    const { object, objectId } = this.tables;
    return `(select o.${column} from ${object} o where o.context_id = r.context_id and o.id = r.${objectId})`;
  }

  /** Sets when a user is reminded of an object with the next statement; an alarm that stays as it was keeps its state. */
  setAlarm(tx: Transaction, objectId: number, userId: number, alarmMs: number, now: number): void {
    const { reminder, objectId: column } = this.tables;
    tx.enqueue(
      `insert into ${reminder} (context_id, ${column}, user_id, alarm_ms, remind_ms, due_ms, state, last_modified)
       values ($1, $2, $3, $4, $4, $4, 0, $5)
       on conflict (context_id, ${column}, user_id) do update
         set alarm_ms = $4, remind_ms = $4, due_ms = $4, state = 0, last_modified = $5
         where ${reminder}.alarm_ms <> $4`,
      objectId,
      userId,
      alarmMs,
      now,
    );
  }

  /** The alarms of a user on some objects, ms UTC, by object. */
  async mapAlarms(db: Reader, userId: number, objectIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { reminder, objectId } = this.tables;
    const rows = await db.rows(
      `select ${objectId}, alarm_ms from ${reminder} where context_id = $1 and user_id = $2 and ${objectId} = any($3::int[])`,
      userId,
      objectIds,
    );
    return new Map(rows as [number, number][]);
  }

  /** Deletes the alarms of users on an object with the next statement. */
  remove(tx: Transaction, objectId: number, userIds: readonly number[]): void {
    tx.enqueue(
      `delete from ${this.tables.reminder}
       where context_id = $1 and ${this.tables.objectId} = $2 and user_id = any($3::int[])`,
      objectId,
      userIds,
    );
  }

  /** Deletes all alarms of a user. */
  async removeUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run(`delete from ${this.tables.reminder} where context_id = $1 and user_id = $2`, userId);
  }

  /** Reminders of a user until a moment that were not deleted, the newest ones when there are too many. */
  listShown(db: Reader, userId: number, untilMs: number, limit: number): Promise<OwnedObjectReminder[]> {
    return db.objects<OwnedObjectReminder>(
      `select ${this.reminder} from ${this.tables.reminder} r
       where r.context_id = $1 and r.user_id = $2 and r.state <> 3 and r.remind_ms <= $3
       order by r.remind_ms desc, r.id desc limit $4`,
      userId,
      untilMs,
      limit,
    );
  }

  /** Changes those of these reminders that a user has and did not delete; answers them as they are now. */
  update(
    tx: Transaction,
    userId: number,
    ids: readonly number[],
    { state, remindMs }: { readonly state: number; readonly remindMs: number | null },
    now: number,
  ): Promise<OwnedObjectReminder[]> {
    return tx.objects<OwnedObjectReminder>(
      `update ${this.tables.reminder} r
       set state = $4, remind_ms = coalesce($5, r.remind_ms), due_ms = $5, last_modified = $6
       where r.context_id = $1 and r.user_id = $2 and r.id = any($3::bigint[]) and r.state <> 3
       returning ${this.reminder}`,
      userId,
      ids,
      state,
      remindMs,
      now,
    );
  }

  /** Claims reminders that are due, of any context, that no other process holds, and marks them as notified. */
  claimDue(db: AdministrationTransaction, now: number, limit: number): Promise<DueReminder[]> {
    const { reminder, object, objectId, folder } = this.tables;
    return db.objects<DueReminder>(
      `with due as materialized (
         select d.context_id, d.id, d.state from ${reminder} d where d.due_ms <= $1 order by d.due_ms, d.id limit $2
         for update skip locked)
       update ${reminder} r set state = 1, due_ms = null, last_modified = $1
       from due join ${object} a on a.context_id = due.context_id
       where r.context_id = due.context_id and r.id = due.id and a.id = r.${objectId}
       returning r.context_id as "contextId", r.id, r.${objectId} as "objectId", r.user_id as "userId",
         ${folder} as "folderId", r.remind_ms as "remindMs", due.state, r.last_modified as "lastModified", a.title,
         a.start_ms as "startMs", a.end_ms as "endMs", a.full_time as "fullTime"`,
      now,
      limit,
    );
  }

  /** Due time of the next reminder, ms UTC; undefined when none waits. */
  async findNextDue(db: AdministrationTransaction): Promise<number | undefined> {
    const row = await db.first<{ due: number | null }>(
      `select min(due_ms) as due from ${this.tables.reminder} where due_ms is not null`,
    );
    return row?.due ?? undefined;
  }
}
