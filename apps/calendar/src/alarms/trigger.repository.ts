import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import type { Recurring } from '../domain/series';
import type { StoredAlarm } from '../domain/attendee-rest';
import { RECURRING } from '../persistence/appointment.columns';
import type { AlarmedEvent } from './alarm-triggers';
import { MAX_TOLD_TEXT } from './told-alarms';

/** Names an alarm of a user for an event. */
export interface TriggerKey {
  /** The appointment: of a series the master, or the exception. */
  readonly targetId: number;
  readonly userId: number;
  readonly alarmId: number;
}

/** When an alarm that appointments do not know goes off next, and what of it is over. */
export interface AlarmTrigger extends TriggerKey {
  /** Whole days and times without zone: they begin when the user's clock says so. */
  readonly floating: boolean;
  /** Times until this moment do not count: alarm or event were others then, ms UTC. */
  readonly sinceMs: number;
  /** The last time the user was told of, as `AlarmTime.clockMs`; null when there was none. */
  readonly notifiedMs: number | null;
  /** Time of the next look at the alarm, ms UTC; for a floating one the earliest in any zone; null when none is left. */
  readonly dueMs: number | null;
}

/** A trigger with the id by which its user knows it among reminders. */
export type UserTrigger = AlarmTrigger & { readonly id: number };

/** A trigger of any context. */
export type ContextTrigger = AlarmTrigger & { readonly contextId: number };

/** A trigger that is due, locked, with what is needed to tell of it. */
export interface DueTrigger extends ContextTrigger, Pick<AlarmedEvent, 'startMs' | 'endMs'> {
  readonly id: number;
  /** Null when the user has no such alarm (any more). */
  readonly alarm: StoredAlarm | null;
  /** False when the user took part no longer, or declined. */
  readonly wanted: boolean;
  /** Folder in which the user sees the event. */
  readonly folderId: number;
  readonly title: string | null;
  readonly location: string | null;
  /** Cut to {@link MAX_TOLD_TEXT} characters. */
  readonly note: string | null;
  readonly fullTime: boolean;
  readonly recurring: Recurring | null;
  /** Number of an exception within its series. */
  readonly position: number | null;
}

const COLUMNS = `target_id as "targetId", user_id as "userId", alarm_id as "alarmId", floating, since_ms as "sinceMs",
  notified_ms as "notifiedMs", due_ms as "dueMs"`;
const RECORD = `"contextId" int, "targetId" int, "userId" int, "alarmId" int, floating boolean, "sinceMs" bigint,
  "notifiedMs" bigint, "dueMs" bigint`;

/** Rows of triggers. */
@Injectable()
export class TriggerRepository {
  /** Triggers of these appointments, locked. */
  listByTargets(tx: Transaction, targetIds: readonly number[]): Promise<AlarmTrigger[]> {
    return tx.objects<AlarmTrigger>(
      `select ${COLUMNS} from alarm_trigger where context_id = $1 and target_id = any($2::int[])
       order by target_id, user_id, alarm_id for update`,
      targetIds,
    );
  }

  /** Triggers of a user for these appointments. */
  listOfUser(db: Reader, userId: number, targetIds: readonly number[]): Promise<UserTrigger[]> {
    return db.objects<UserTrigger>(
      `select id, ${COLUMNS} from alarm_trigger where context_id = $1 and target_id = any($2::int[]) and user_id = $3`,
      targetIds,
      userId,
    );
  }

  /** Alarms of a user by the ids of their triggers, with the folders in which he sees the events. */
  listByIds(
    db: Reader,
    userId: number,
    ids: readonly number[],
  ): Promise<{ id: number; targetId: number; alarmId: number; folderId: number }[]> {
    return db.objects(
      `select r.id, r.target_id as "targetId", r.alarm_id as "alarmId", coalesce(t.folder_id, a.folder_id) as "folderId"
       from alarm_trigger r
       join appointment a on a.context_id = r.context_id and a.id = r.target_id
       join attendee t on t.context_id = r.context_id and t.appointment_id = r.target_id and t.type = 1
         and t.entity = r.user_id and not t.hidden
       where r.context_id = $1 and r.id = any($2::bigint[]) and r.user_id = $3 order by r.id`,
      ids,
      userId,
    );
  }

  /** Stores triggers, in place of those of the same alarms, with the next statement. */
  upsert(tx: Transaction, triggers: readonly AlarmTrigger[]): void {
    if (triggers.length === 0) return;
    tx.enqueue(
      `insert into alarm_trigger (context_id, target_id, user_id, alarm_id, floating, since_ms, notified_ms, due_ms)
       select $1, "targetId", "userId", "alarmId", floating, "sinceMs", "notifiedMs", "dueMs"
       from json_to_recordset($2) as x (${RECORD})
       on conflict (context_id, target_id, user_id, alarm_id) do update set floating = excluded.floating,
         since_ms = excluded.since_ms, notified_ms = excluded.notified_ms, due_ms = excluded.due_ms`,
      JSON.stringify(triggers),
    );
  }

  /** Deletes triggers with the next statement. */
  remove(tx: Transaction, triggers: readonly TriggerKey[]): void {
    if (triggers.length === 0) return;
    tx.enqueue(
      `delete from alarm_trigger t using json_to_recordset($2) as x (${RECORD})
       where t.context_id = $1 and t.target_id = x."targetId" and t.user_id = x."userId" and t.alarm_id = x."alarmId"`,
      JSON.stringify(triggers),
    );
  }

  /** Lets triggers that depend on the clock of a user be looked at again. */
  async recalculateFloating(tx: Transaction, userId: number, nowMs: number): Promise<void> {
    await tx.run(
      `update alarm_trigger set due_ms = least(due_ms, $3)
       where context_id = $1 and user_id = $2 and floating and due_ms is not null`,
      userId,
      nowMs,
    );
  }

  /** Users of floating triggers that are due: their zones decide. Nothing is locked. */
  listFloatingUsers(
    db: AdministrationTransaction,
    nowMs: number,
    limit: number,
  ): Promise<{ contextId: number; userId: number }[]> {
    return db.objects(
      `select distinct context_id as "contextId", user_id as "userId" from (
         select context_id, user_id, floating from alarm_trigger where due_ms <= $1 order by due_ms limit $2) due
       where floating`,
      nowMs,
      limit,
    );
  }

  /**
   * Takes triggers that are due, of any context, and that no other process holds. Those whose appointment is being changed
   * come next time.
   */
  claimDue(db: AdministrationTransaction, nowMs: number, limit: number): Promise<DueTrigger[]> {
    return db.objects<DueTrigger>(
      `with r as materialized (
         select * from alarm_trigger where due_ms <= $1 order by due_ms, id limit $2 for update skip locked)
       select r.context_id as "contextId", r.id, r.target_id as "targetId", r.user_id as "userId",
         r.alarm_id as "alarmId", a.floating, r.since_ms as "sinceMs", r.notified_ms as "notifiedMs",
         r.due_ms as "dueMs", a.start_ms as "startMs", a.end_ms as "endMs", a.full_time as "fullTime", a.position,
         a.title, a.location, left(a.note, ${MAX_TOLD_TEXT}) as note, coalesce(t.folder_id, a.folder_id) as "folderId",
         t.alarm, coalesce(not t.hidden and t.confirm <> 2, false) as wanted, ${RECURRING} as recurring
       from r
       join appointment a on a.context_id = r.context_id and a.id = r.target_id
       left join lateral (
         select x.hidden, x.confirm, x.folder_id, (
           select stored.alarm from jsonb_array_elements(x.extra -> 'event' -> 'alarms') as stored (alarm)
           where stored.alarm -> 'id' = to_jsonb(r.alarm_id) limit 1) as alarm
         from attendee x
         where x.context_id = r.context_id and x.appointment_id = r.target_id and x.type = 1 and x.entity = r.user_id
       ) t on true
       order by r.due_ms, r.id
       for share of a skip locked`,
      nowMs,
      limit,
    );
  }

  /** Notes what users were told of and when to look again, of any context. */
  async updateAcrossContexts(db: AdministrationTransaction, triggers: readonly ContextTrigger[]): Promise<void> {
    if (triggers.length === 0) return;
    await db.run(
      `update alarm_trigger t set since_ms = x."sinceMs", notified_ms = x."notifiedMs", due_ms = x."dueMs"
       from json_to_recordset($1) as x (${RECORD})
       where t.context_id = x."contextId" and t.target_id = x."targetId" and t.user_id = x."userId"
         and t.alarm_id = x."alarmId"`,
      JSON.stringify(triggers),
    );
  }

  /** Due time of the next trigger, ms UTC; undefined when none waits. */
  async findNextDue(db: AdministrationTransaction): Promise<number | undefined> {
    const row = await db.first<{ due: number | null }>(
      'select min(due_ms) as due from alarm_trigger where due_ms is not null',
    );
    return row?.due ?? undefined;
  }
}
