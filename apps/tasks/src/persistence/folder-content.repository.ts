import { Injectable } from '@nestjs/common';
import type { FolderCounts } from '@groupware/contracts';
import {
  countReadableObjects,
  coversCreator,
  listUndeletableFolders,
  RANKED_FOLDERS,
  rankedValues,
  type CountedFolder,
  type RankedFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';

/** Tasks `a` with their links to folders `x`. */
const LINKED = 'task_folder l join task a on a.context_id = $1 and a.id = l.task_id';
/** The user may delete task `a` from folder `x`, as `requireDeletable` tells. */
const DELETABLE = `${coversCreator('rank', 'a.created_by')} and (not a.is_private or x.is_own or a.created_by = $2)`;

/** Content of whole folders, for folders that are emptied, deleted or handed over. */
@Injectable()
export class FolderContentRepository {
  /** Ids of folders that hold a task which the user may not delete. */
  listUndeletable(db: Reader, folders: readonly RankedFolder[], userId: number): Promise<ReadonlySet<number>> {
    return listUndeletableFolders(
      db,
      folders,
      userId,
      `exists (select from ${LINKED} where l.context_id = $1 and l.folder_id = x.id and not (${DELETABLE}))`,
    );
  }

  /** Counts the tasks of folders that a user may read. */
  countReadable(db: Reader, folders: readonly CountedFolder[], userId: number): Promise<Map<number, FolderCounts>> {
    return countReadableObjects(
      db,
      folders,
      userId,
      `(select count(*)::int from ${LINKED}
         where l.context_id = $1 and l.folder_id = x.id and (x.rank > 1 or a.created_by = $2)
           and (not a.is_private or a.created_by = $2 or l.user_id = $2))`,
    );
  }

  /** Some tasks after an id in the order of their ids, each with those of the folders from which the user may delete it. */
  async listDeletable(
    db: Reader,
    folders: readonly RankedFolder[],
    userId: number,
    after: number,
    limit: number,
  ): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
    const rows = await db.rows(
      `select a.id, array_agg(x.id) from ${RANKED_FOLDERS} join (${LINKED}) on l.context_id = $1 and l.folder_id = x.id
       where a.id > $7 and ${DELETABLE} group by a.id order by a.id limit $8`,
      ...rankedValues(userId, folders),
      after,
      limit,
    );
    return new Map((rows as [number, number[]][]).map(([id, from]) => [id, new Set(from)]));
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
