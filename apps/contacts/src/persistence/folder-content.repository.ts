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

/** The user may delete contact `a` from folder `x`, as `requireDeletable` tells. */
const DELETABLE = `${coversCreator('rank', 'a.created_by')} and (not a.is_private
  or ${coversCreator('read_rank', 'a.created_by')} and (x.is_own or a.created_by = $2))`;

/** Content of whole folders, for folders that are emptied, deleted or handed over. */
@Injectable()
export class FolderContentRepository {
  /** Ids of folders that hold a contact which the user may not delete. */
  listUndeletable(db: Reader, folders: readonly RankedFolder[], userId: number): Promise<ReadonlySet<number>> {
    return listUndeletableFolders(
      db,
      folders,
      userId,
      `exists (select from contact a where a.context_id = $1 and a.folder_id = x.id and not (${DELETABLE}))`,
    );
  }

  /** Counts the contacts of folders that a user may read. */
  countReadable(db: Reader, folders: readonly CountedFolder[], userId: number): Promise<Map<number, FolderCounts>> {
    return countReadableObjects(
      db,
      folders,
      userId,
      `(select count(*)::int from contact a
         where a.context_id = $1 and a.folder_id = x.id and (x.rank > 1 or a.created_by = $2)
           and (not a.is_private or a.created_by = $2 or exists (select from folder f
             where f.context_id = $1 and f.id = x.id and f.type = 1 and f.created_by = $2)))`,
    );
  }

  /** Ids of some contacts of folders that the user may delete, in the order of their ids. */
  async listDeletable(
    tx: Transaction,
    folders: readonly RankedFolder[],
    userId: number,
    limit: number,
  ): Promise<number[]> {
    const rows = await tx.rows(
      `select a.id from ${RANKED_FOLDERS} join contact a on a.context_id = $1 and a.folder_id = x.id
       where ${DELETABLE} order by a.id limit $7`,
      ...rankedValues(userId, folders),
      limit,
    );
    return rows.map(([id]) => id as number);
  }

  /** Puts a user in the place of another one, who made or changed contacts. */
  async replaceAuthor(tx: Transaction, from: number, to: number, stamp: number): Promise<void> {
    await tx.run(
      `update contact set created_by = case when created_by = $2 then $3 else created_by end, modified_by = $3, last_modified = $4
       where context_id = $1 and (created_by = $2 or modified_by = $2)`,
      from,
      to,
      stamp,
    );
  }
}
