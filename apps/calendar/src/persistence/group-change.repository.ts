import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** Versions of groups: counts of their membership changes. */
@Injectable()
export class GroupChangeRepository {
  /** Counts by group id; groups that never changed are missing. */
  async listVersions(db: Reader, groups: readonly number[]): Promise<Map<number, number>> {
    const rows = await db.rows(
      'select group_id, changes from group_change where context_id = $1 and group_id = any($2::int[])',
      groups,
    );
    return new Map(rows as [number, number][]);
  }

  /** The same, and they stay as they are until the end of the transaction. */
  async lockVersions(tx: Transaction, groups: readonly number[]): Promise<Map<number, number>> {
    tx.enqueue(
      `insert into group_change (context_id, group_id) select $1, x from unnest($2::int[]) as u (x) order by x
       on conflict do nothing`,
      groups,
    );
    const rows = await tx.rows(
      `select group_id, changes from group_change where context_id = $1 and group_id = any($2::int[])
       order by group_id for share`,
      groups,
    );
    return new Map(rows as [number, number][]);
  }

  /** Increments the version of a group; waits for transactions that locked it. */
  async incrementVersion(tx: Transaction, groupId: number): Promise<void> {
    await tx.run(
      `insert into group_change as g (context_id, group_id, changes) values ($1, $2, 1)
       on conflict (context_id, group_id) do update set changes = g.changes + 1`,
      groupId,
    );
  }
}
