import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';

/** State of a reminder: waiting for its time, notified, snoozed, or deleted by the user. */
export const REMINDER_STATE = { waiting: 0, notified: 1, snoozed: 2, deleted: 3 } as const;

/** A reminder of a user with the folder in which that user sees the task. Times are ms UTC. */
export interface Reminder {
  readonly id: number;
  readonly taskId: number;
  readonly userId: number;
  readonly folderId: number;
  /** When the user is reminded: the alarm, or the time asked for since. */
  readonly remindMs: number;
  readonly state: number;
  readonly lastModified: number;
}

/** A reminder that is due, of any context. */
export interface DueReminder extends Reminder {
  readonly contextId: number;
  readonly title: string | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly fullTime: boolean | null;
}

/** The folder in which the user of a reminder `r` sees its task: the own one if there is one. */
const FOLDER = `(select l.folder_id from task_folder l where l.context_id = r.context_id and l.task_id = r.task_id
  order by (l.user_id = r.user_id) desc nulls last, l.is_origin desc, l.folder_id limit 1)`;
const REMINDER = `r.id, r.task_id as "taskId", r.user_id as "userId", ${FOLDER} as "folderId", r.remind_ms as "remindMs",
  r.state, r.last_modified as "lastModified"`;

/** Rows of reminders. */
@Injectable()
export class ReminderRepository {
  /** Sets when a user is reminded of a task with the next statement; an alarm that stays as it was keeps its state. */
  setAlarm(tx: Transaction, taskId: number, userId: number, alarmMs: number, now: number): void {
    tx.enqueue(
      `insert into task_reminder (context_id, task_id, user_id, alarm_ms, remind_ms, due_ms, state, last_modified)
       values ($1, $2, $3, $4, $4, $4, 0, $5)
       on conflict (context_id, task_id, user_id) do update
         set alarm_ms = $4, remind_ms = $4, due_ms = $4, state = 0, last_modified = $5
         where task_reminder.alarm_ms <> $4`,
      taskId,
      userId,
      alarmMs,
      now,
    );
  }

  /** The alarms of a user on some tasks, ms UTC, by task. */
  async mapAlarms(db: Reader, userId: number, taskIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await db.rows(
      'select task_id, alarm_ms from task_reminder where context_id = $1 and user_id = $2 and task_id = any($3::int[])',
      userId,
      taskIds,
    );
    return new Map(rows as [number, number][]);
  }

  /** Deletes the alarm of a user with the next statement. */
  remove(tx: Transaction, taskId: number, userId: number): void {
    tx.enqueue('delete from task_reminder where context_id = $1 and task_id = $2 and user_id = $3', taskId, userId);
  }

  /** Reminders of a user until a moment that were not deleted, the newest ones when there are too many. */
  listShown(db: Reader, userId: number, untilMs: number, limit: number): Promise<Reminder[]> {
    return db.objects<Reminder>(
      `select ${REMINDER} from task_reminder r
       where r.context_id = $1 and r.user_id = $2 and r.state <> 3 and r.remind_ms <= $3
       order by r.remind_ms desc, r.id desc limit $4`,
      userId,
      untilMs,
      limit,
    );
  }

  /** Changes those of these reminders that a user has and did not delete; answers them as they are now. */
  change(
    tx: Transaction,
    userId: number,
    ids: readonly number[],
    { state, remindMs }: { readonly state: number; readonly remindMs: number | null },
    now: number,
  ): Promise<Reminder[]> {
    return tx.objects<Reminder>(
      `update task_reminder r set state = $4, remind_ms = coalesce($5, r.remind_ms), due_ms = $5, last_modified = $6
       where r.context_id = $1 and r.user_id = $2 and r.id = any($3::bigint[]) and r.state <> 3
       returning ${REMINDER}`,
      userId,
      ids,
      state,
      remindMs,
      now,
    );
  }

  /** Takes reminders that are due, of any context, that no other process holds, and marks them as notified. */
  takeDue(db: AdministrationTransaction, now: number, limit: number): Promise<DueReminder[]> {
    return db.objects<DueReminder>(
      `with due as materialized (
         select d.context_id, d.id, d.state from task_reminder d where d.due_ms <= $1 order by d.due_ms, d.id limit $2
         for update skip locked)
       update task_reminder r set state = 1, due_ms = null, last_modified = $1
       from due join task a on a.context_id = due.context_id
       where r.context_id = due.context_id and r.id = due.id and a.id = r.task_id
       returning r.context_id as "contextId", r.id, r.task_id as "taskId", r.user_id as "userId",
         ${FOLDER} as "folderId", r.remind_ms as "remindMs", due.state, r.last_modified as "lastModified", a.title,
         a.start_ms as "startMs", a.end_ms as "endMs", a.full_time as "fullTime"`,
      now,
      limit,
    );
  }

  /** Due time of the next reminder, ms UTC; undefined when none waits. */
  async findNextDue(db: AdministrationTransaction): Promise<number | undefined> {
    const row = await db.first<{ due: number | null }>(
      'select min(due_ms) as due from task_reminder where due_ms is not null',
    );
    return row?.due ?? undefined;
  }
}
