import type { Reader, Transaction } from '@groupware/persistence';

/** A stamp (ms UTC, never before an earlier one), and the first of the new ids that were asked for with it. */
export interface ObjectStamp {
  readonly stamp: number;
  readonly id: number;
}

/** Stamps and ids of the objects of a module, one counter per context: the base of the repository of such objects. */
export abstract class ObjectStamps {
  /** @param counter name of the table of counters */
  protected constructor(private readonly counter: string) {}

  /**
   * The next stamp of the context, and the first of so many new ids. Stamps grow in the order of commits: the row stays
   * locked until the end of the transaction, and a clock that goes back does not matter.
   */
  async nextStamp(tx: Transaction, now: number, ids: number): Promise<ObjectStamp> {
    const { counter } = this;
    const row = await tx.first<ObjectStamp>(
      `insert into ${counter} (context_id, next_id, last_stamp) values ($1, 1 + $3::int, $2)
       on conflict (context_id) do update
         set next_id = ${counter}.next_id + $3::int,
             last_stamp = greatest(${counter}.last_stamp + 1, $2)
       returning last_stamp as stamp, next_id - $3::int as id`,
      now,
      ids,
    );
    return row!;
  }

  /** Up to which stamp deletions of the context are no longer known. */
  async getForgottenStamp(db: Reader): Promise<number> {
    const row = await db.first<{ forgotten: number }>(`select forgotten from ${this.counter} where context_id = $1`);
    return row?.forgotten ?? 0;
  }

  /** Since when the rights on a folder are as they are; 0 when they never changed. */
  async getAccessStamp(db: Reader, folderId: number): Promise<number> {
    const row = await db.first<{ stamp: number }>(
      'select stamp from folder_access where context_id = $1 and folder_id = $2',
      folderId,
    );
    return row?.stamp ?? 0;
  }

  /** Notes since when rights on folders are as they are: `updates` then tells others everything anew. */
  async recordAccessChange(tx: Transaction, folderIds: readonly number[], stamp: number): Promise<void> {
    await tx.run(
      `insert into folder_access (context_id, folder_id, stamp) select $1, x, $3 from unnest($2::int[]) as u (x)
       on conflict (context_id, folder_id) do update set stamp = excluded.stamp`,
      folderIds,
      stamp,
    );
  }
}
