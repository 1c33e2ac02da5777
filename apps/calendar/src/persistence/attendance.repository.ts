import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';

/** Query for the appointments of a participant. */
export interface AttendanceQuery {
  /** Kind of participant on the wire. */
  readonly type: number;
  readonly entity: number;
  /** Only those that end at or after an instant. */
  readonly sinceMs: number;
}

/** Participants of appointments. */
@Injectable()
export class AttendanceRepository {
  /** Ids after an id, in order. */
  async listAppointmentIds(db: Reader, question: AttendanceQuery, afterId: number, limit: number): Promise<number[]> {
    const rows = await db.rows(
      `select t.appointment_id from attendee t
       where t.context_id = $1 and t.type = $2 and t.entity = $3 and t.range_end_ms >= $4 and t.appointment_id > $5
       order by t.appointment_id limit $6`,
      question.type,
      question.entity,
      question.sinceMs,
      afterId,
      limit,
    );
    return rows.map(([id]) => id as number);
  }

  /** All groups invited together with a group to anything that ends at or after an instant, itself included. */
  async listCoinvitedGroups(db: Reader, groupId: number, sinceMs: number): Promise<number[]> {
    const rows = await db.rows(
      `select distinct g.entity from attendee t
       join attendee g on g.context_id = $1 and g.appointment_id = t.appointment_id and g.type = 2
       where t.context_id = $1 and t.type = 2 and t.entity = $2 and t.range_end_ms >= $3`,
      groupId,
      sinceMs,
    );
    return rows.map(([id]) => id as number);
  }
}
