import { Injectable } from '@nestjs/common';
import type { DateTimeData } from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';

/** A time at which a user is available, as the user set it. */
export interface AvailableTime {
  /** From 1, in the order of the user. */
  readonly position: number;
  readonly uid: string;
  readonly rrule: string | null;
  readonly starts: DateTimeData;
  readonly ends: DateTimeData;
  /** ms UTC. */
  readonly created: number;
  /** ms UTC. */
  readonly modified: number;
}

const COLUMNS = 'position, uid, rrule, starts, ends, created, modified';

/** Times at which users are available. */
@Injectable()
export class AvailabilityRepository {
  /** Those of a user, in order. */
  listTimes(db: Reader, userId: number): Promise<AvailableTime[]> {
    return db.objects<AvailableTime>(
      `select ${COLUMNS} from available_time where context_id = $1 and user_id = $2 order by position`,
      userId,
    );
  }

  /** Those of several users. */
  listTimesOfMany(db: Reader, userIds: readonly number[]): Promise<(AvailableTime & { readonly userId: number })[]> {
    return db.objects(
      `select user_id as "userId", ${COLUMNS} from available_time
       where context_id = $1 and user_id = any($2::int[]) order by user_id, position`,
      userIds,
    );
  }

  /** Replaces those of a user. */
  async replaceTimes(tx: Transaction, userId: number, times: readonly AvailableTime[]): Promise<void> {
    await this.removeUser(tx, userId);
    if (times.length === 0) return;
    await tx.run(
      `insert into available_time (context_id, user_id, ${COLUMNS})
       select $1, $2, t.position, t.uid, t.rrule, t.starts, t.ends, t.created, t.modified
       from jsonb_to_recordset($3::jsonb) as t(position int, uid uuid, rrule text, starts jsonb, ends jsonb,
         created bigint, modified bigint)`,
      userId,
      JSON.stringify(times),
    );
  }

  /** Forgets those of a user. */
  async removeUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from available_time where context_id = $1 and user_id = $2', userId);
  }
}
