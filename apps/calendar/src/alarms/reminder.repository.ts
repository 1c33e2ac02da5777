import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import type { Recurring } from '../domain/series';
import { RECURRING } from '../persistence/appointment.columns';
import { FURTHEST_AHEAD_MS, type NewReminder, type Reminder } from './reminder';

/** Columns by property of {@link Reminder}, with their types. */
const FIELDS: readonly (readonly [property: keyof Reminder, column: string, type: string])[] = [
  ['userId', 'user_id', 'int'],
  ['targetId', 'target_id', 'int'],
  ['rootId', 'root_id', 'int'],
  ['occurrence', 'occurrence', 'bigint'],
  ['position', 'position', 'int'],
  ['startMs', 'start_ms', 'bigint'],
  ['endMs', 'end_ms', 'bigint'],
  ['floating', 'floating', 'boolean'],
  ['minutes', 'minutes', 'int'],
  ['alarmMs', 'alarm_ms', 'bigint'],
  ['dueMs', 'due_ms', 'bigint'],
  ['state', 'state', 'smallint'],
  ['plannedMs', 'planned_ms', 'bigint'],
  ['lastModified', 'last_modified', 'bigint'],
];
const REMINDER = `r.id, ${FIELDS.map(([property, column]) => `r.${column} as "${property}"`).join(', ')}`;
const COLUMNS = FIELDS.map(([, column]) => column).join(', ');
const RECORD = `"contextId" int, id bigint, ${FIELDS.map(([property, , type]) => `"${property}" ${type}`).join(', ')}`;
const VALUES = FIELDS.map(([property]) => `x."${property}"`).join(', ');
const ASSIGNED = FIELDS.map(([property, column]) => `${column} = x."${property}"`).join(', ');
const REPLACED = FIELDS.map(([, column]) => `${column} = excluded.${column}`).join(', ');

/** An alarm of an occurrence is known by its series and original start; a new one takes the place of an old one. */
const ON_CONFLICT = `on conflict (context_id, root_id, user_id, occurrence) do update set ${REPLACED}`;
const INSERT = `insert into reminder (context_id, ${COLUMNS})
  select $1, ${VALUES} from json_to_recordset($2) as x (${RECORD}) ${ON_CONFLICT}`;
const INSERT_ANYWHERE = `insert into reminder (context_id, ${COLUMNS})
  select x."contextId", ${VALUES} from json_to_recordset($1) as x (${RECORD}) ${ON_CONFLICT}`;
const UPDATE = `update reminder r set ${ASSIGNED} from json_to_recordset($2) as x (${RECORD})
  where r.context_id = $1 and r.id = x.id`;
const UPDATE_ANYWHERE = `update reminder r set ${ASSIGNED} from json_to_recordset($1) as x (${RECORD})
  where r.context_id = x."contextId" and r.id = x.id`;

/** A reminder of any context. */
export type ContextReminder = Reminder & { readonly contextId: number };

/** A reminder that is due, locked, with what is needed to tell of it. */
export interface DueReminder extends ContextReminder {
  /** Folder in which the user sees it. */
  readonly folderId: number;
  readonly title: string | null;
  readonly fullTime: boolean;
  /** False when the user took part no longer, declined, or wants no alarm. */
  readonly wanted: boolean;
  /** Set for a series. */
  readonly recurring: Recurring | null;
}

/** A reminder in the answer of a client. */
export type ShownReminder = Reminder & { readonly folderId: number };

/** Tells occurrences of series and users that have a reminder already. */
export type TakenOccurrence = readonly [contextId: number, rootId: number, userId: number, occurrence: number];

/** Rows of reminders. */
@Injectable()
export class ReminderRepository {
  /** Reminders of these appointments, and of the series to which some belong; locked. */
  listByTargets(tx: Transaction, targetIds: readonly number[], rootIds: readonly number[]): Promise<Reminder[]> {
    return tx.objects<Reminder>(
      `select ${REMINDER} from reminder r
       where r.context_id = $1 and (r.target_id = any($2::int[]) or r.root_id = any($3::int[])) order by r.id for update`,
      targetIds,
      rootIds,
    );
  }

  /** Stores new reminders with the next statement. */
  insert(tx: Transaction, reminders: readonly (NewReminder & { lastModified: number })[]): void {
    if (reminders.length > 0) tx.enqueue(INSERT, JSON.stringify(reminders));
  }

  /** Replaces stored reminders with the next statement. */
  update(tx: Transaction, reminders: readonly Reminder[]): void {
    if (reminders.length > 0) tx.enqueue(UPDATE, JSON.stringify(reminders));
  }

  /** Deletes reminders with the next statement. */
  remove(tx: Transaction, ids: readonly number[]): void {
    if (ids.length > 0) tx.enqueue('delete from reminder where context_id = $1 and id = any($2::bigint[])', ids);
  }

  /** Reminders of a user until a moment, the newest ones when there are too many. */
  listShown(db: Reader, userId: number, untilMs: number, limit: number): Promise<ShownReminder[]> {
    return db.objects<ShownReminder>(
      `select ${REMINDER}, coalesce(t.folder_id, a.folder_id) as "folderId"
       from reminder r
       join appointment a on a.context_id = r.context_id and a.id = r.target_id
       join attendee t on t.context_id = r.context_id and t.appointment_id = r.target_id and t.type = 1
         and t.entity = r.user_id and not t.hidden and t.confirm <> 2 and t.alarm is not null
       where r.context_id = $1 and r.user_id = $2 and r.state <> 3 and r.alarm_ms <= $3
       order by r.alarm_ms desc, r.id desc limit $4`,
      userId,
      untilMs,
      limit,
    );
  }

  /**
   * Reminders of a user that he has not deleted, locked with their appointments: writers of an appointment wait,
   * the alarm loop skips locked rows.
   */
  async lockOwn(tx: Transaction, userId: number, ids: readonly number[]): Promise<ShownReminder[]> {
    await tx.rows(
      `select a.id from appointment a where a.context_id = $1 and a.id in (
         select r.target_id from reminder r where r.context_id = $1 and r.id = any($2::bigint[]) and r.user_id = $3)
       order by a.id for share`,
      ids,
      userId,
    );
    return tx.objects<ShownReminder>(
      `select ${REMINDER}, coalesce(t.folder_id, a.folder_id) as "folderId"
       from reminder r
       join appointment a on a.context_id = r.context_id and a.id = r.target_id
       join attendee t on t.context_id = r.context_id and t.appointment_id = r.target_id and t.type = 1
         and t.entity = r.user_id
       where r.context_id = $1 and r.id = any($2::bigint[]) and r.user_id = $3 and r.state <> 3
       order by r.id for update of r`,
      ids,
      userId,
    );
  }

  /** Original starts of the occurrences of some series that have a reminder of a user. */
  async listTakenOccurrences(tx: Transaction, userId: number, rootIds: readonly number[]): Promise<TakenOccurrence[]> {
    return (await tx.rows(
      `select context_id, root_id, user_id, occurrence from reminder
       where context_id = $1 and user_id = $2 and root_id = any($3::int[])`,
      userId,
      rootIds,
    )) as unknown as TakenOccurrence[];
  }

  /** Lets reminders that depend on the clock of a user be looked at again. */
  async recalculateFloating(tx: Transaction, userId: number): Promise<void> {
    await tx.run(
      `update reminder r set alarm_ms = x.earliest, due_ms = x.earliest from (
         select id, start_ms - minutes::bigint * 60000 - $3 as earliest from reminder
         where context_id = $1 and user_id = $2 and floating and state = 0 order by id for update) x
       where r.context_id = $1 and r.id = x.id`,
      userId,
      FURTHEST_AHEAD_MS,
    );
  }

  /** Users of floating reminders that are due: their zones decide. Nothing is locked. */
  async listFloatingUsers(
    db: AdministrationTransaction,
    now: number,
    limit: number,
  ): Promise<{ contextId: number; userId: number }[]> {
    return db.objects(
      `select distinct context_id as "contextId", user_id as "userId" from (
         select context_id, user_id, floating from reminder where due_ms <= $1 order by due_ms limit $2) due
       where floating`,
      now,
      limit,
    );
  }

  /**
   * Takes reminders that are due, of any context, and that no other process holds. Those whose appointment is being changed
   * come next time.
   */
  claimDue(db: AdministrationTransaction, now: number, limit: number): Promise<DueReminder[]> {
    return db.objects<DueReminder>(
      `with r as materialized (
         select * from reminder where due_ms <= $1 order by due_ms, id limit $2 for update skip locked)
       select r.context_id as "contextId", ${REMINDER}, coalesce(t.folder_id, a.folder_id) as "folderId", a.title,
         a.full_time as "fullTime", t.alarm is not null and not t.hidden and t.confirm <> 2 as wanted,
         ${RECURRING} as recurring
       from r
       join appointment a on a.context_id = r.context_id and a.id = r.target_id
       left join lateral (
         select x.alarm, x.hidden, x.confirm, x.folder_id from attendee x
         where x.context_id = r.context_id and x.appointment_id = r.target_id and x.type = 1 and x.entity = r.user_id
       ) t on true
       order by r.due_ms, r.id
       for share of a skip locked`,
      now,
      limit,
    );
  }

  /** The same as {@link listTakenOccurrences}, of any context. */
  async listTakenAcrossContexts(
    db: AdministrationTransaction,
    series: readonly Pick<ContextReminder, 'contextId' | 'rootId' | 'userId'>[],
  ): Promise<TakenOccurrence[]> {
    if (series.length === 0) return [];
    return (await db.rows(
      `select r.context_id, r.root_id, r.user_id, r.occurrence
       from json_to_recordset($1) as x ("contextId" int, "rootId" int, "userId" int)
       join reminder r on r.context_id = x."contextId" and r.root_id = x."rootId" and r.user_id = x."userId"`,
      JSON.stringify(series.map(({ contextId, rootId, userId }) => ({ contextId, rootId, userId }))),
    )) as unknown as TakenOccurrence[];
  }

  /** Replaces stored reminders of any context. */
  async updateAcrossContexts(db: AdministrationTransaction, reminders: readonly ContextReminder[]): Promise<void> {
    if (reminders.length > 0) await db.run(UPDATE_ANYWHERE, JSON.stringify(reminders));
  }

  /** Stores new reminders of any context. */
  async insertAcrossContexts(
    db: AdministrationTransaction,
    reminders: readonly (NewReminder & { contextId: number; lastModified: number })[],
  ): Promise<void> {
    if (reminders.length > 0) await db.run(INSERT_ANYWHERE, JSON.stringify(reminders));
  }

  /** Due time of the next reminder, ms UTC; undefined when none waits. */
  async findNextDue(db: AdministrationTransaction): Promise<number | undefined> {
    const row = await db.first<{ due: number | null }>(
      'select min(due_ms) as due from reminder where due_ms is not null',
    );
    return row?.due ?? undefined;
  }

  /** Forgets reminders of what was over before a moment and is not to be told of again; at most so many. */
  deleteExpired(db: AdministrationTransaction, before: number, limit: number): Promise<number> {
    return db.run(
      `delete from reminder where (context_id, id) in (
         select context_id, id from reminder where due_ms is null and end_ms < $1 order by end_ms limit $2
         for update skip locked)`,
      before,
      limit,
    );
  }
}
