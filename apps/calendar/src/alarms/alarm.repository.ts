import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** SQL of alarms of events, beyond that of reminders. */
@Injectable()
export class AlarmRepository {
  /** Events in which a user takes part with alarms that appointments do not know, and that are not over since a moment. */
  async listWithAlarms(db: Reader, userId: number, sinceMs: number, limit: number): Promise<number[]> {
    const rows = await db.objects<{ id: number }>(
      `select a.id from attendee t
       join appointment a on a.context_id = t.context_id and a.id = t.appointment_id and a.range_end_ms >= $3
       where t.context_id = $1 and t.type = 1 and t.entity = $2 and not t.hidden and t.confirm <> 2
         and t.extra -> 'event' -> 'alarms' is not null
       order by a.last_modified desc limit $4`,
      userId,
      sinceMs,
      limit,
    );
    return rows.map(({ id }) => id);
  }

  /** Reminders of a user for an event that were not deleted, the earliest first. */
  listOpenReminders(tx: Transaction, userId: number, targetId: number): Promise<{ id: number; alarmMs: number }[]> {
    return tx.objects(
      `select id, alarm_ms as "alarmMs" from reminder
       where context_id = $1 and user_id = $2 and target_id = $3 and state <> 3 order by alarm_ms, id`,
      userId,
      targetId,
    );
  }
}
