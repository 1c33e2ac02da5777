import { Injectable } from '@nestjs/common';
import { SYSTEM_FOLDERS, type GrantedFolder, type LostFolder } from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';
import type { FolderUser, SeenFolder, StoredFolder } from '../stored-folder';
import { SHARE_FOLDERS, TRASH } from '../domain/rights';
import { seesFolder } from './visibility.sql';
import { grantedRights } from './effective-rights.sql';

/** Longest part of a name that may be numbered. */
const MAX_NUMBERED = 240;
/** Select list of a {@link StoredFolder} from `folder f`. */
export const FOLDER_FIELDS = `f.id, f.parent, f.type, f.title, f.created_by as "createdBy", f.modified_by as "modifiedBy", f.created,
  f.last_modified as "lastModified", f.is_default as "isDefault", f.properties, f.kind, f.meta, f.origin_path as "originPath",
  (select coalesce(json_agg(json_build_object('entity', p.entity, 'group', p.is_group, 'bits', p.bits)
     order by p.is_group, p.entity), '[]'::json)
   from folder_permission p where p.context_id = f.context_id and p.folder_id = f.id) as permissions`;

const GRANTED = grantedRights({ folder: 'f', user: '$2', groups: '$3::int[]' });
const SEEN = `select ${FOLDER_FIELDS}, ${GRANTED} as granted, coalesce(u.subscribed, true) as subscribed,
    greatest(f.changed, u.stamp) as changed
  from folder f left join folder_unsubscribed u
    on u.context_id = f.context_id and u.user_id = $2 and u.folder_id = f.id`;

const LOST_VISIBLE = seesFolder({ folder: 'f', user: '$2', groups: '$3::int[]', shares: '$4::boolean' });

/** Reads the folder tables of one module. */
@Injectable()
export class FolderRepository {
  /** One folder as a user sees it. */
  async findVisible(db: Reader, user: FolderUser, id: number): Promise<SeenFolder | undefined> {
    return (await this.listVisibleByIds(db, user, [id]))[0];
  }

  /** Folders by id as a user sees them; unknown ones are left out. */
  listVisibleByIds(db: Reader, user: FolderUser, ids: readonly number[]): Promise<SeenFolder[]> {
    return db.objects<SeenFolder>(
      `${SEEN} where f.context_id = $1 and f.id = any($4::int[])`,
      user.userId,
      user.groups,
      ids,
    );
  }

  /** Folders by id with all permissions; unknown ones are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<StoredFolder[]> {
    return db.objects<StoredFolder>(
      `select ${FOLDER_FIELDS} from folder f where f.context_id = $1 and f.id = any($2::int[])`,
      ids,
    );
  }

  /** Locks a folder until the end of the transaction, so that neither it nor its permissions change meanwhile. */
  async lock(tx: Transaction, id: number, mode: 'share' | 'update'): Promise<boolean> {
    return (await this.lockMany(tx, [id], mode)).length > 0;
  }

  /** The same for many, in the order of their ids; returns the ids of those that there are. */
  async lockMany(tx: Transaction, ids: readonly number[], mode: 'share' | 'update'): Promise<number[]> {
    const found = await tx.rows(
      `select id from folder where context_id = $1 and id = any($2::int[]) order by id for ${mode === 'share' ? 'share' : 'update'}`,
      ids,
    );
    return found.map(([id]) => id as number);
  }

  /** Folders on which users or guests have rights of their own. */
  listGranted(db: Reader, entities: readonly number[]): Promise<GrantedFolder[]> {
    return db.objects<GrantedFolder>(
      `select entity, folder_id as folder from folder_permission
       where context_id = $1 and not is_group and entity = any($2::int[]) and bits & 127 > 0 order by folder_id, entity`,
      entities,
    );
  }

  /** Lists folders with all descendants of this module, each with its requested root. */
  listSubtrees(db: Reader, ids: readonly number[]): Promise<(StoredFolder & { readonly root: number })[]> {
    return db.objects<StoredFolder & { root: number }>(
      `with recursive tree (root, id) as (
         select id, id from folder where context_id = $1 and id = any($2::int[])
         union
         select t.root, f.id from tree t join folder f on f.context_id = $1 and f.parent = t.id)
       select t.root, ${FOLDER_FIELDS} from tree t join folder f on f.context_id = $1 and f.id = t.id order by f.id`,
      ids,
    );
  }

  /** Ids of a folder and of its descendants of this module, without trashes below it and what is in them. */
  async listShareable(db: Reader, id: number): Promise<number[]> {
    const rows = await db.rows(
      `with recursive tree (id) as (
         select id from folder where context_id = $1 and id = $2
         union
         select f.id from tree t join folder f on f.context_id = $1 and f.parent = t.id and f.kind <> ${TRASH})
       select id from tree order by id`,
      id,
    );
    return rows.map(([found]) => found as number);
  }

  /** Ids of a folder and of those of this module above it. */
  async listPathIds(db: Reader, id: number): Promise<number[]> {
    const rows = await db.rows(
      `with recursive path (id, parent) as (
         select id, parent from folder where context_id = $1 and id = $2
         union
         select f.id, f.parent from path p join folder f on f.context_id = $1 and f.id = p.parent)
       select id from path`,
      id,
    );
    return rows.map(([found]) => found as number);
  }

  /** The default folder of a user. */
  async findDefault(db: Reader, userId: number): Promise<number | undefined> {
    const row = await db.first<{ id: number }>(
      'select id from folder where context_id = $1 and created_by = $2 and is_default',
      userId,
    );
    return row?.id;
  }

  /** Default folders of users: user id to folder id; users without one are left out. */
  async findDefaults(db: Reader, users: readonly number[]): Promise<Map<number, number>> {
    const rows = await db.rows(
      'select created_by, id from folder where context_id = $1 and created_by = any($2::int[]) and is_default',
      users,
    );
    return new Map(rows as [number, number][]);
  }

  /** Counts the folders a user owns. */
  async countByOwner(db: Reader, userId: number): Promise<number> {
    const [row] = await db.rows('select count(*)::int from folder where context_id = $1 and created_by = $2', userId);
    return row![0] as number;
  }

  /** The name, numbered when a folder below the parent has it already; `owner` counts in the private root only. */
  async findFreeTitle(db: Reader, parent: number, owner: number, title: string): Promise<string> {
    const base = title.slice(0, MAX_NUMBERED);
    const isTaken = (name: string): string => `exists (select from folder f
      where f.context_id = $1 and f.parent = $2 and f.name_scope = $3 and lower(f.title) = lower(${name}))`;
    // Numbers are tried only where the name is taken: thousands of them cost more than the folder.
    const row = await db.first<{ title: string }>(
      `select case when not ${isTaken('$4::text')} then $4::text else (
         select x.title from (select n, $5::text || ' (' || n || ')' as title from generate_series(1, 9999) as s (n)) as x
         where not ${isTaken('x.title')} order by x.n limit 1) end as title`,
      parent,
      parent === SYSTEM_FOLDERS.private ? owner : 0,
      title,
      base,
    );
    return row?.title ?? title;
  }

  /**
   * Gets the stamp up to which everything is committed, to be read before the data it describes, and whether a user has
   * his default folder.
   */
  async getState(db: Reader, userId: number): Promise<{ readonly stamp: number; readonly hasDefault: boolean }> {
    const [row] = await db.rows(
      `select coalesce((select last_stamp from folder_counter where context_id = $1), 0),
         exists (select from folder where context_id = $1 and created_by = $2 and is_default)`,
      userId,
    );
    const [stamp, hasDefault] = row as [number, boolean];
    return { stamp, hasDefault };
  }

  /** Places in which a user no longer sees folders since a stamp, or never did. */
  listLost(db: Reader, user: FolderUser, since: number): Promise<LostFolder[]> {
    return db.objects<LostFolder>(
      `select l.*, exists (select from folder f where f.context_id = $1 and f.id = l.id and ${LOST_VISIBLE}) as "isVisible"
       from (select folder_id as id, parent, type, created_by as "createdBy", max(stamp) as stamp from folder_loss
         where context_id = $1 and stamp > $5 and (is_group and entity = any($3::int[]) or not is_group and entity = $2)
         group by folder_id, parent, type, created_by) as l order by l.id`,
      user.userId,
      user.groups,
      user.capabilities.includes(SHARE_FOLDERS),
      since,
    );
  }
}
