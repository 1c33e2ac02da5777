import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import { ALL_RIGHTS } from '../domain/rights';
import type { StoredFolder } from '../stored-folder';
import { FOLDER_FIELDS, FolderRepository } from './folder.repository';

const ADMIN = 1 << 28;
/** The highest rank of each group of two permission values. */
const higher = (left: string, right: string): string =>
  `(${[127, 16256, 2080768, 266338304, ADMIN].map((mask) => `greatest(${left} & ${mask}, ${right} & ${mask})`).join(' | ')})`;

/** Statements for users who leave and groups that change. */
@Injectable()
export class HandoverRepository {
  constructor(private readonly folders: FolderRepository) {}

  /** All folders of a user, those above before those below. */
  listByOwner(db: Reader, userId: number): Promise<StoredFolder[]> {
    return db.objects<StoredFolder>(
      `select ${FOLDER_FIELDS} from folder f where f.context_id = $1 and f.created_by = $2 order by f.id`,
      userId,
    );
  }

  /**
   * Puts folders whose parent is about to go to the top of their kind.
   * @param topOf where that is, instead of the root of their type
   */
  async moveChildrenToRoot(
    tx: Transaction,
    gone: readonly number[],
    stamp: number,
    topOf?: (folder: StoredFolder) => Promise<number>,
  ): Promise<void> {
    if (gone.length === 0) return;
    const children = await tx.objects<StoredFolder>(
      `select ${FOLDER_FIELDS} from folder f
       where f.context_id = $1 and f.parent = any($2::int[]) and not f.id = any($2::int[]) order by f.id for update`,
      gone,
    );
    // One by one: each name must be free among those that were put there before.
    for (const folder of children) {
      const { id, type, createdBy, title } = folder;
      const top = topOf ? await topOf(folder) : type;
      await tx.run(
        'update folder set parent = $3, title = $4, last_modified = $5, changed = $5 where context_id = $1 and id = $2',
        id,
        top,
        await this.folders.findFreeTitle(tx, top, createdBy, title),
        stamp,
      );
    }
  }

  /** The folders of a user with names that are free at the heir's top, where folders without a kept parent go. */
  async assignFreeTitles(tx: Transaction, kept: readonly StoredFolder[], heir: number): Promise<StoredFolder[]> {
    const ids = new Set(kept.map(({ id }) => id));
    const taken = new Set<string>();
    const result: StoredFolder[] = [];
    for (const folder of kept) {
      if (folder.type === 2 || ids.has(folder.parent)) {
        result.push(folder);
        continue;
      }
      let title = await this.folders.findFreeTitle(tx, 1, heir, folder.title);
      for (let count = 2; taken.has(title.toLowerCase()); count++)
        title = await this.folders.findFreeTitle(tx, 1, heir, `${folder.title} (${count})`);
      taken.add(title.toLowerCase());
      result.push({ ...folder, parent: 1, title });
    }
    return result;
  }

  /** Makes a folder that of the heir. */
  async updateOwner(tx: Transaction, folder: StoredFolder, heir: number, stamp: number): Promise<void> {
    await tx.run(
      `update folder set created_by = $3, modified_by = $3, parent = $4, title = $5, is_default = false,
         last_modified = $6, changed = $6 where context_id = $1 and id = $2`,
      folder.id,
      heir,
      folder.parent,
      folder.title,
      stamp,
    );
    await tx.run(
      `insert into folder_permission (context_id, folder_id, entity, is_group, bits) values ($1, $2, $3, false, $4)
       on conflict (context_id, folder_id, is_group, entity) do update set bits = excluded.bits`,
      folder.id,
      heir,
      ALL_RIGHTS,
    );
  }

  /**
   * Takes away all rights and subscriptions of a user; public folders left without administrator pass to the heir, else
   * to their creator.
   * @returns ids of the folders concerned
   */
  async deleteRights(tx: Transaction, userId: number, heir: number | undefined, stamp: number): Promise<number[]> {
    await tx.run('delete from folder_unsubscribed where context_id = $1 and user_id = $2', userId);
    const rows = await tx.rows(
      'delete from folder_permission where context_id = $1 and entity = $2 and not is_group returning folder_id',
      userId,
    );
    const ids = (rows as [number][]).map(([id]) => id);
    if (ids.length === 0) return [];
    await tx.run(
      `insert into folder_permission as p (context_id, folder_id, entity, is_group, bits)
       select $1, f.id, coalesce($3::int, f.created_by), false, ${ALL_RIGHTS} from folder f
       where f.context_id = $1 and f.id = any($2::int[]) and not exists (
         select from folder_permission o where o.context_id = $1 and o.folder_id = f.id and o.bits & ${ADMIN} > 0)
       on conflict (context_id, folder_id, is_group, entity) do update set bits = ${higher('p.bits', 'excluded.bits')}`,
      ids,
      heir ?? null,
    );
    await tx.run(
      'update folder set last_modified = $3, changed = $3 where context_id = $1 and id = any($2::int[])',
      ids,
      stamp,
    );
    return ids;
  }

  /** Records that the visibility of a group's folders changed. */
  async recordGroupChange(tx: Transaction, groupId: number, stamp: number): Promise<void> {
    await tx.run(
      `with shared as (
         update folder f set changed = $3 from folder_permission p
         where f.context_id = $1 and p.context_id = $1 and p.folder_id = f.id and p.is_group and p.entity = $2
           and p.bits & 127 > 0
         returning f.context_id, f.id, f.parent, f.type, f.created_by)
       insert into folder_loss (context_id, folder_id, parent, type, created_by, entity, is_group, stamp)
         select context_id, id, parent, type, created_by, 0, true, $3 from shared
       on conflict (context_id, folder_id, is_group, entity, parent)
         do update set stamp = excluded.stamp, type = excluded.type, created_by = excluded.created_by`,
      groupId,
      stamp,
    );
  }

  /** Ids of the folders on which a group has rights. */
  async listIdsByGroup(tx: Transaction, groupId: number): Promise<number[]> {
    const rows = await tx.objects<{ id: number }>(
      'select folder_id as id from folder_permission where context_id = $1 and entity = $2 and is_group order by 1',
      groupId,
    );
    return rows.map(({ id }) => id);
  }

  /** Takes away all rights of a group that is gone. */
  async deleteGroup(tx: Transaction, groupId: number): Promise<void> {
    await tx.run('delete from folder_permission where context_id = $1 and entity = $2 and is_group', groupId);
  }
}
