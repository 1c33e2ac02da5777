import type { Reader, Transaction } from '@groupware/persistence';
import type { FilesOfObject } from '../attached-files';

/** A stamp (ms UTC, never before an earlier one), and the first of the new ids that were asked for with it. */
export interface ObjectStamp {
  readonly stamp: number;
  readonly id: number;
}

/** Stamps, ids and number of the objects of a module, one counter per context: the base of the repository of such objects. */
export abstract class ObjectRepository {
  /**
   * @param counter name of the table of counters
   * @param object name of the table of objects
   */
  protected constructor(
    private readonly counter: string,
    private readonly object: string,
  ) {}

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

  /** Objects of the context. In a transaction after {@link nextStamp}, which lets one writer count at a time. */
  async countObjects(db: Reader): Promise<number> {
    const row = await db.first<{ count: number }>(`select count(*)::int from ${this.object} where context_id = $1`);
    return row!.count;
  }

  /** Takes over how many files an object carries unless a newer state is there; whether it did. */
  async updateAttachments(tx: Transaction, files: FilesOfObject, stamp: number): Promise<boolean> {
    const changed = await tx.run(
      `update ${this.object} set attachments = $3, newest_attachment = $4, attachment_revision = $5,
         modified_by = case when $6::int = 0 then modified_by else $6::int end, last_modified = $7
       where context_id = $1 and id = $2 and attachment_revision < $5`,
      files.object,
      files.count,
      files.newest,
      files.revision,
      files.userId,
      stamp,
    );
    return changed > 0;
  }
}
