import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader } from '@groupware/persistence';

/** A time as a parameter: a caller may name one that no column holds. */
const toBound = (timeMs: number): number => Math.min(timeMs, Number.MAX_SAFE_INTEGER);

/** Last logins by user and client. */
@Injectable()
export class LoginHistoryRepository {
  /** Last login of a user with each client, or with one. */
  listByUser(db: Reader, userId: number, client: string | null): Promise<{ client: string; timestamp: number }[]> {
    return db.objects(
      `select client, last_login as timestamp from login_history
       where context_id = $1 and user_id = $2 and ($3::text is null or client = $3) order by client`,
      userId,
      client,
    );
  }

  /** Pairs of user and client whose last login lies between two points, by client. */
  countByClient(
    db: AdministrationTransaction,
    after: number,
    before: number,
  ): Promise<{ client: string; count: number }[]> {
    return db.objects(
      `select client, count(*)::int as count from login_history
       where last_login > $1::bigint and last_login < $2::bigint group by client`,
      toBound(after),
      toBound(before),
    );
  }

  /** Users with a last login between two points. */
  async countUsers(db: AdministrationTransaction, after: number, before: number): Promise<number> {
    const row = await db.first<{ count: number }>(
      `select count(distinct (context_id, user_id))::int as count from login_history
       where last_login > $1::bigint and last_login < $2::bigint`,
      toBound(after),
      toBound(before),
    );
    return row!.count;
  }
}
