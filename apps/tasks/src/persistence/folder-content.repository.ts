import { Injectable } from '@nestjs/common';
import type { FolderCounts } from '@groupware/contracts';
import {
  countReadableObjects,
  listUndeletableFolders,
  type CountedFolder,
  type RankedFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';

/** Content of whole folders, for folders that are emptied, deleted or handed over. */
@Injectable()
export class FolderContentRepository {
  /** Ids of folders that hold a task which the user may not delete with the rank given for the folder. */
  listUndeletable(db: Reader, folders: readonly RankedFolder[], userId: number): Promise<ReadonlySet<number>> {
    return listUndeletableFolders(
      db,
      folders,
      userId,
      `exists (select from task_folder l join task a on a.context_id = $1 and a.id = l.task_id
         where l.context_id = $1 and l.folder_id = x.id and (x.rank = 0 or x.rank = 1 and a.created_by <> $2))`,
    );
  }

  /** Counts the tasks of folders that a user may read. */
  countReadable(db: Reader, folders: readonly CountedFolder[], userId: number): Promise<Map<number, FolderCounts>> {
    return countReadableObjects(
      db,
      folders,
      userId,
      `(select count(*)::int from task_folder l join task a on a.context_id = $1 and a.id = l.task_id
         where l.context_id = $1 and l.folder_id = x.id and (x.rank > 1 or a.created_by = $2)
           and (not a.is_private or a.created_by = $2 or l.user_id = $2))`,
    );
  }

  /** Ids of some tasks seen in folders in the order of their ids: those of a creator, or of all. */
  async listIds(
    db: Reader,
    folders: readonly number[],
    creator: number | undefined,
    after: number,
    limit: number,
  ): Promise<number[]> {
    const rows = await db.rows(
      `select distinct task_id from task_folder where context_id = $1 and folder_id = any($2::int[]) and task_id > $4
         and ($3::int is null or exists (select from task a where a.context_id = $1 and a.id = task_id and a.created_by = $3))
       order by task_id limit $5`,
      folders,
      creator ?? null,
      after,
      limit,
    );
    return rows.map(([id]) => id as number);
  }

  /** Ids of some tasks in which a user takes part, or did, in the order of their ids. */
  async listIdsByParticipant(tx: Transaction, userId: number, after: number, limit: number): Promise<number[]> {
    const rows = await tx.rows(
      `select task_id from task_participant where context_id = $1 and entity = $2 and type = 1 and task_id > $3
       order by task_id limit $4`,
      userId,
      after,
      limit,
    );
    return rows.map(([id]) => id as number);
  }

  /** Puts a user in the place of another one, who made or changed tasks. */
  async replaceAuthor(tx: Transaction, from: number, to: number, stamp: number): Promise<void> {
    await tx.run(
      `with replaced as (
         update task set created_by = case when created_by = $2 then $3 else created_by end, modified_by = $3, last_modified = $4
         where context_id = $1 and (created_by = $2 or modified_by = $2) returning id)
       update task_folder set last_modified = $4 where context_id = $1 and task_id in (select id from replaced)`,
      from,
      to,
      stamp,
    );
  }

  /** Makes a user the owner of folders of another one. */
  async reassign(tx: Transaction, folders: readonly number[], from: number, to: number, stamp: number): Promise<void> {
    await tx.run(
      `update task_folder set user_id = case when user_id = $3 then $4 else user_id end, last_modified = $5
       where context_id = $1 and folder_id = any($2::int[])`,
      folders,
      from,
      to,
      stamp,
    );
  }
}
