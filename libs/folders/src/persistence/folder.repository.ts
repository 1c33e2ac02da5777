import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  folderIdOf,
  type FolderModule,
  type OwnedPermission,
  type StoredFolderType,
} from '@groupware/contracts';
import { constraintOf, type Reader, type Transaction } from '@groupware/persistence';
import type { FolderUser } from '../folder-module';
import { grantedRights } from './effective-rights.sql';
import { storableJson } from './storable-json';

/** A folder as it is stored. Times are ms UTC. */
export interface StoredFolder {
  readonly id: number;
  readonly parent: number;
  readonly type: StoredFolderType;
  readonly title: string;
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  readonly lastModified: number;
  readonly isDefault: boolean;
  readonly properties: Readonly<Record<string, unknown>> | null;
  readonly permissions: readonly OwnedPermission[];
}

/** A folder with what one user sees of it. */
export interface SeenFolder extends StoredFolder {
  readonly granted: number;
  readonly subscribed: boolean;
}

/** A folder about to be stored. */
export type NewFolder = Pick<
  StoredFolder,
  'parent' | 'type' | 'title' | 'createdBy' | 'modifiedBy' | 'isDefault' | 'properties' | 'permissions'
>;

const FIELDS = `f.id, f.parent, f.type, f.title, f.created_by as "createdBy", f.modified_by as "modifiedBy", f.created,
  f.last_modified as "lastModified", f.is_default as "isDefault", f.properties,
  (select coalesce(json_agg(json_build_object('entity', p.entity, 'group', p.is_group, 'bits', p.bits)
     order by p.is_group, p.entity), '[]'::json)
   from folder_permission p where p.context_id = f.context_id and p.folder_id = f.id) as permissions`;

const GRANTED = grantedRights({ folder: 'f', user: '$2', groups: '$3::int[]' });
const SEEN = `${FIELDS}, ${GRANTED} as granted,
  not exists (select from folder_unsubscribed u
    where u.context_id = f.context_id and u.user_id = $2 and u.folder_id = f.id) as subscribed`;

/** Rows of the folder tables of one module. */
@Injectable()
export class FolderRepository {
  /** All folders of which the user may see at least the name, before restrictions by capabilities. */
  visible(db: Reader, user: FolderUser): Promise<SeenFolder[]> {
    return db.objects<SeenFolder>(
      `select ${SEEN} from folder f
       where f.context_id = $1 and f.id in (
         select id from folder where context_id = $1 and created_by = $2 and type = 1
         union
         select folder_id from folder_permission
         where context_id = $1 and bits & 127 > 0 and (is_group and entity = any($3::int[]) or not is_group and entity = $2))
       order by f.id`,
      user.userId,
      user.groups,
    );
  }

  /** One folder as a user sees it. */
  async seen(db: Reader, user: FolderUser, id: number): Promise<SeenFolder | undefined> {
    return (await this.seenMany(db, user, [id]))[0];
  }

  /** Folders by id as a user sees them; unknown ones are left out. */
  seenMany(db: Reader, user: FolderUser, ids: readonly number[]): Promise<SeenFolder[]> {
    return db.objects<SeenFolder>(
      `select ${SEEN} from folder f where f.context_id = $1 and f.id = any($4::int[])`,
      user.userId,
      user.groups,
      ids,
    );
  }

  /** Locks a folder until the end of the transaction, so that neither it nor its permissions change meanwhile. */
  async lock(tx: Transaction, id: number, mode: 'share' | 'update'): Promise<boolean> {
    const found = await tx.rows(
      `select id from folder where context_id = $1 and id = $2 for ${mode === 'share' ? 'share' : 'update'}`,
      id,
    );
    return found.length > 0;
  }

  /** A folder and all below it that this module owns, parents before children. */
  subtree(db: Reader, id: number): Promise<StoredFolder[]> {
    return db.objects<StoredFolder>(
      `with recursive tree (id, depth) as (
         select id, 0 from folder where context_id = $1 and id = $2
         union all
         select f.id, t.depth + 1 from tree t join folder f on f.context_id = $1 and f.parent = t.id where t.depth < 100)
       select ${FIELDS} from tree t join folder f on f.context_id = $1 and f.id = t.id order by t.depth, f.id`,
      id,
    );
  }

  /** The default folder of a user. */
  async defaultOf(db: Reader, userId: number): Promise<number | undefined> {
    const row = await db.first<{ id: number }>(
      'select id from folder where context_id = $1 and created_by = $2 and is_default',
      userId,
    );
    return row?.id;
  }

  /** Default folders of users: user id to folder id; users without one are left out. */
  async defaultsOf(db: Reader, users: readonly number[]): Promise<Map<number, number>> {
    const rows = await db.rows(
      'select created_by, id from folder where context_id = $1 and created_by = any($2::int[]) and is_default',
      users,
    );
    return new Map(rows as [number, number][]);
  }

  /** Names in use in the private root of a user. */
  async privateTitles(db: Reader, userId: number): Promise<Set<string>> {
    const rows = await db.rows(
      'select lower(title) from folder where context_id = $1 and parent = 1 and created_by = $2',
      userId,
    );
    return new Set((rows as [string][]).map(([title]) => title));
  }

  /**
   * The next stamp of the context, and numbers for new folders. Stamps grow in the order of commits: the row stays
   * locked until the end of the transaction, and a clock that goes back does not matter.
   */
  async nextStamp(tx: Transaction, now: number, folders: number): Promise<{ stamp: number; number: number }> {
    const row = await tx.first<{ stamp: number; number: number }>(
      `insert into folder_counter (context_id, next_number, last_stamp) values ($1, 2 + $3::int, $2)
       on conflict (context_id) do update
         set next_number = folder_counter.next_number + $3::int, last_stamp = greatest(folder_counter.last_stamp + 1, $2)
       returning last_stamp as stamp, next_number - $3::int as number`,
      now,
      folders,
    );
    return row!;
  }

  /** Stores a folder; a name that is taken is FLD-0012. Undefined when the user has a default folder already. */
  async insert(
    tx: Transaction,
    module: FolderModule,
    folder: NewFolder,
    now: number,
  ): Promise<StoredFolder | undefined> {
    const { stamp, number } = await this.nextStamp(tx, now, 1);
    const id = folderIdOf(module, number);
    try {
      const inserted = await tx.run(
        `insert into folder (context_id, id, parent, type, title, created_by, modified_by, created, last_modified, is_default, properties)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10)
         on conflict (context_id, created_by) where is_default do nothing`,
        id,
        folder.parent,
        folder.type,
        folder.title,
        folder.createdBy,
        folder.modifiedBy,
        stamp,
        folder.isDefault,
        folder.properties && storableJson(folder.properties),
      );
      if (inserted === 0) return undefined;
    } catch (error) {
      throw nameTaken(error, folder.title, folder.parent);
    }
    await this.writePermissions(tx, id, folder.permissions);
    return { ...folder, id, created: stamp, lastModified: stamp };
  }

  /** Replaces the permission list of a folder. */
  async replacePermissions(tx: Transaction, id: number, permissions: readonly OwnedPermission[]): Promise<void> {
    await tx.run('delete from folder_permission where context_id = $1 and folder_id = $2', id);
    await this.writePermissions(tx, id, permissions);
  }

  /** Writes name, place, kind and attributes of a folder, and its new stamp. */
  async update(
    tx: Transaction,
    folder: Pick<StoredFolder, 'id' | 'parent' | 'title' | 'properties'>,
    modifiedBy: number,
    stamp: number,
  ): Promise<void> {
    try {
      await tx.run(
        `update folder set parent = $3, title = $4, properties = $5, modified_by = $6, last_modified = $7
         where context_id = $1 and id = $2`,
        folder.id,
        folder.parent,
        folder.title,
        folder.properties && storableJson(folder.properties),
        modifiedBy,
        stamp,
      );
    } catch (error) {
      throw nameTaken(error, folder.title, folder.parent);
    }
  }

  /** Shows a folder in a user's lists, or hides it there. */
  async subscribe(tx: Transaction, userId: number, id: number, subscribed: boolean): Promise<void> {
    await tx.run(
      subscribed
        ? 'delete from folder_unsubscribed where context_id = $1 and user_id = $2 and folder_id = $3'
        : 'insert into folder_unsubscribed (context_id, user_id, folder_id) values ($1, $2, $3) on conflict do nothing',
      userId,
      id,
    );
  }

  /** Removes folders and leaves tombstones. */
  async remove(tx: Transaction, ids: readonly number[], stamp: number): Promise<void> {
    await tx.run(
      `insert into folder_tombstone (context_id, id, parent, type, created_by, last_modified)
       select context_id, id, parent, type, created_by, $3 from folder where context_id = $1 and id = any($2::int[])
       on conflict (context_id, id) do update set last_modified = excluded.last_modified`,
      ids,
      stamp,
    );
    await tx.run('delete from folder where context_id = $1 and id = any($2::int[])', ids);
  }

  private async writePermissions(tx: Transaction, id: number, permissions: readonly OwnedPermission[]): Promise<void> {
    await tx.run(
      `insert into folder_permission (context_id, folder_id, entity, is_group, bits)
       select $1, $2, * from unnest($3::int[], $4::boolean[], $5::int[])`,
      id,
      permissions.map(({ entity }) => entity),
      permissions.map(({ group }) => group),
      permissions.map(({ bits }) => bits),
    );
  }
}

function nameTaken(error: unknown, title: string, parent: number): unknown {
  return constraintOf(error) === 'folder_name' ? FolderErrors.nameTaken(title, parent).with({ cause: error }) : error;
}
