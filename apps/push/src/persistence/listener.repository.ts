import type { Reader } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** Users who want to be told at all. */
@Injectable()
export class ListenerRepository {
  /** Users whose streams are wanted, or with a subscription of one of the patterns that is called. */
  async of(db: Reader, patterns: readonly string[], nowMs: number): Promise<number[]> {
    const rows = await db.rows(
      `select user_id from stream where context_id = $1 and wanted_until > $2
       union
       select user_id from subscription
       where context_id = $1 and transport in ('webpush', 'webhook') and topics && $3::text[]
       order by 1`,
      nowMs,
      patterns,
    );
    return rows.map(([userId]) => Number(userId));
  }
}
