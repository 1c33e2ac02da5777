import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Transaction } from '@groupware/persistence';

const SECOND_MS = 1_000;

/** The newest DTSTAMP of what was sent about an appointment. */
@Injectable()
export class SchedulingStampRepository {
  /**
   * Takes the DTSTAMP of the next message about an appointment, ms UTC. DTSTAMP has seconds only: two messages within
   * one would have the same, and receivers could not tell the newer one (RFC 5546, section 2.1.5).
   */
  async takeStamp(tx: Transaction, uid: string, userId: number, nowMs: number): Promise<number> {
    const row = await tx.first<{ stamp: number }>(
      `insert into scheduling_stamp as s (context_id, uid_hash, user_id, stamp) values ($1, md5($2), $3, $4)
       on conflict (context_id, uid_hash, user_id) do update set stamp = greatest(s.stamp + ${SECOND_MS}, excluded.stamp)
       returning stamp`,
      uid,
      userId,
      Math.floor(nowMs / SECOND_MS) * SECOND_MS,
    );
    return row!.stamp;
  }

  /** Forgets stamps of all contexts from before a time, at most so many: the clock is beyond them. @returns how many are gone */
  deleteBefore(db: AdministrationTransaction, beforeMs: number, limit: number): Promise<number> {
    return db.run(
      'delete from scheduling_stamp where ctid = any(array(select ctid from scheduling_stamp where stamp < $1 limit $2))',
      beforeMs,
      limit,
    );
  }
}
