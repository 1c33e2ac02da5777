import { Injectable } from '@nestjs/common';
import { FolderErrors, folderIdOf, type FolderModule, type OwnedPermission } from '@groupware/contracts';
import { constraintOf, type Transaction } from '@groupware/persistence';
import { createOwnerPermissions } from '../domain/permission-list';
import { ALL_RIGHTS, PERSONAL, RANK, parseRights, TRASH, VIEWER_RIGHTS } from '../domain/rights';
import type { StoredFolder } from '../stored-folder';
import { toStorableJson } from './storable-json';

/** The stamp of a transaction, and the number of a folder it makes. */
export interface FolderStamp {
  readonly stamp: number;
  readonly number: number;
}

/** A folder about to be stored. */
export type NewFolder = Pick<
  StoredFolder,
  'parent' | 'type' | 'title' | 'createdBy' | 'modifiedBy' | 'isDefault' | 'properties' | 'permissions'
> &
  Partial<Pick<StoredFolder, 'meta' | 'kind'>> & {
    /** The id that was reserved; default: the next one. */
    readonly id?: number;
  };

/** A user's own settings of a folder; absent parts stay. */
export interface OwnSettings {
  readonly subscribed?: boolean;
  readonly usedForSync?: boolean;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Columns recorded of a folder and its location when it becomes invisible. */
const PLACE = 'f.context_id, f.id, f.parent, f.type, f.created_by';
const LOSS = 'insert into folder_loss (context_id, folder_id, parent, type, created_by, entity, is_group, stamp)';
const AGAIN = `on conflict (context_id, folder_id, is_group, entity, parent)
  do update set stamp = excluded.stamp, type = excluded.type, created_by = excluded.created_by`;

/** Writes the folder tables of one module. */
@Injectable()
export class FolderWriter {
  /** Locks folders in the order of their ids, so that two who lock the same ones do not meet in a deadlock. */
  async lockMany(tx: Transaction, ids: readonly number[]): Promise<void> {
    await tx.rows('select id from folder where context_id = $1 and id = any($2::int[]) order by id for update', ids);
  }

  /** Makes sure that all stamps given from now on are above this one; waits for writers that have theirs already. */
  async raiseStamp(tx: Transaction, stamp: number): Promise<void> {
    await tx.run(
      `insert into folder_counter (context_id, last_stamp) values ($1, $2) on conflict (context_id) do update
         set last_stamp = greatest(folder_counter.last_stamp, excluded.last_stamp)`,
      stamp,
    );
  }

  /**
   * The next stamp of the context, and numbers for new folders. Stamps grow in the order of commits: the row stays
   * locked until the end of the transaction, and a clock that goes back does not matter.
   */
  async nextStamp(tx: Transaction, now: number, folders: number): Promise<FolderStamp> {
    const row = await tx.first<FolderStamp>(
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
    { stamp, number }: FolderStamp,
  ): Promise<StoredFolder | undefined> {
    const { id = folderIdOf(module, number) } = folder;
    try {
      const inserted = await tx.run(
        `insert into folder (context_id, id, parent, type, title, created_by, modified_by, created, last_modified, changed,
           is_default, properties, meta, kind)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8, $9, $10, $11, $12)
         on conflict (context_id, created_by) where is_default do nothing`,
        id,
        folder.parent,
        folder.type,
        folder.title,
        folder.createdBy,
        folder.modifiedBy,
        stamp,
        folder.isDefault,
        folder.properties && toStorableJson(folder.properties),
        folder.meta ? toStorableJson(folder.meta) : null,
        folder.kind ?? 0,
      );
      if (inserted === 0) return undefined;
    } catch (error) {
      throw toNameTakenError(error, folder.title, folder.parent);
    }
    await this.writePermissions(tx, [id], folder.permissions);
    return {
      ...folder,
      kind: folder.kind ?? 0,
      meta: folder.meta ?? null,
      originPath: null,
      id,
      created: stamp,
      lastModified: stamp,
    };
  }

  /** Replaces the permission lists of folders except for their links, and records entities that lost visibility. */
  async replacePermissions(
    tx: Transaction,
    ids: readonly number[],
    permissions: readonly OwnedPermission[],
    stamp: number,
    links: ReadonlySet<number> = new Set(),
  ): Promise<void> {
    const staying = [...links].map((entity) => ({ entity, bits: VIEWER_RIGHTS, group: false }));
    await this.insertLosses(tx, ids, stamp, [...permissions, ...staying]);
    await tx.run(
      `delete from folder_permission where context_id = $1 and folder_id = any($2::int[])
         and (is_group or entity <> all($3::int[]))`,
      ids,
      [...links],
    );
    await this.writePermissions(tx, ids, permissions);
  }

  /** Lets guests of a link see folders; those who do so already stay. */
  async addViewer(tx: Transaction, ids: readonly number[], guest: number): Promise<void> {
    await tx.run(
      `insert into folder_permission (context_id, folder_id, entity, is_group, bits)
       select $1, id, $3, false, ${VIEWER_RIGHTS} from unnest($2::int[]) as f (id) on conflict do nothing`,
      ids,
      guest,
    );
  }

  /** Takes all rights of guests on folders, and records that they lost visibility. */
  async removeGuests(tx: Transaction, ids: readonly number[], guests: readonly number[], stamp: number): Promise<void> {
    await tx.run(
      `${LOSS} select ${PLACE}, p.entity, false, $4 from folder f
         join folder_permission p on p.context_id = f.context_id and p.folder_id = f.id
       where f.context_id = $1 and f.id = any($2::int[]) and not p.is_group and p.entity = any($3::int[])
         and p.bits & 127 > 0 ${AGAIN}`,
      ids,
      guests,
      stamp,
    );
    await tx.run(
      `delete from folder_permission
       where context_id = $1 and folder_id = any($2::int[]) and not is_group and entity = any($3::int[])`,
      ids,
      guests,
    );
  }

  /** Makes folders those of a user, who alone has rights on them, and records who lost visibility; answers the rights of others. */
  async passToOwner(
    tx: Transaction,
    ids: readonly number[],
    owner: number,
    stamp: number,
  ): Promise<(OwnedPermission & { readonly folder: number })[]> {
    const own = createOwnerPermissions(owner);
    await this.insertLosses(tx, ids, stamp, own);
    const gone = await tx.objects<OwnedPermission & { folder: number }>(
      `delete from folder_permission where context_id = $1 and folder_id = any($2::int[])
       returning folder_id as folder, entity, is_group as "group", bits`,
      ids,
    );
    await this.writePermissions(tx, ids, own);
    await tx.run(
      'update folder set created_by = $3 where context_id = $1 and id = any($2::int[]) and created_by <> $3',
      ids,
      owner,
    );
    return gone.filter(({ entity, group }) => group || entity !== owner);
  }

  /** Records that folders became invisible at their location for all entities but those in a list. */
  async insertLosses(
    tx: Transaction,
    ids: readonly number[],
    stamp: number,
    except: readonly OwnedPermission[] = [],
  ): Promise<void> {
    const kept = except.filter(({ bits }) => parseRights(bits).folder > RANK.none);
    await tx.run(
      `${LOSS} select ${PLACE}, p.entity, p.is_group, $3 from folder f
         join folder_permission p on p.context_id = f.context_id and p.folder_id = f.id
       where f.context_id = $1 and f.id = any($2::int[]) and p.bits & 127 > 0 and not exists (
         select from unnest($4::int[], $5::boolean[]) as k (entity, is_group)
         where k.entity = p.entity and k.is_group = p.is_group) ${AGAIN}`,
      ids,
      stamp,
      kept.map(({ entity }) => entity),
      kept.map(({ group }) => group),
    );
  }

  /** Writes name, place, kind and attributes of a folder, and its new stamp. */
  async update(
    tx: Transaction,
    folder: Pick<StoredFolder, 'id' | 'parent' | 'title' | 'properties' | 'meta'>,
    modifiedBy: number,
    stamp: number,
  ): Promise<void> {
    try {
      await tx.run(
        `update folder set parent = $3, title = $4, properties = $5, modified_by = $6, last_modified = $7, changed = $7, meta = $8
         where context_id = $1 and id = $2`,
        folder.id,
        folder.parent,
        folder.title,
        folder.properties && toStorableJson(folder.properties),
        modifiedBy,
        stamp,
        folder.meta && toStorableJson(folder.meta),
      );
    } catch (error) {
      throw toNameTakenError(error, folder.title, folder.parent);
    }
  }

  /**
   * Makes folders with all below them personal, or public, as those above them are. Personal ones become those of the owner of the
   * folder above, who has every right on them; answers the ids of those whose owner was another.
   */
  async followPlaces(tx: Transaction, ids: readonly number[]): Promise<number[]> {
    const rows = await tx.rows(
      `with recursive tree (id, kind, owner, before) as (
         select f.id, case when above.kind <> 0 then ${PERSONAL} else 0 end,
           case when above.kind <> 0 then above.created_by end, f.created_by
         from folder f left join folder above on above.context_id = $1 and above.id = f.parent
         where f.context_id = $1 and f.id = any($2::int[])
         union all
         select f.id, t.kind, t.owner, f.created_by from tree t join folder f on f.context_id = $1 and f.parent = t.id)
       update folder f set kind = t.kind, created_by = coalesce(t.owner, f.created_by) from tree t
       where f.context_id = $1 and f.id = t.id and f.kind <> ${TRASH} and (f.kind <> t.kind or f.created_by <> t.owner)
       returning f.id, t.owner is not null, t.before <> f.created_by`,
      ids,
    );
    const followed = rows as [id: number, isPersonal: boolean, isPassedOn: boolean][];
    await tx.run(
      `insert into folder_permission (context_id, folder_id, entity, is_group, bits)
       select $1, f.id, f.created_by, false, ${ALL_RIGHTS} from folder f where f.context_id = $1 and f.id = any($2::int[])
       on conflict (context_id, folder_id, is_group, entity) do update set bits = excluded.bits`,
      followed.filter(([, isPersonal]) => isPersonal).map(([id]) => id),
    );
    return followed.filter(([, , isPassedOn]) => isPassedOn).map(([id]) => id);
  }

  /** Notes a change of folders whose names and places stay. */
  async updateStamps(tx: Transaction, ids: readonly number[], modifiedBy: number, stamp: number): Promise<void> {
    await tx.run(
      `update folder set modified_by = $3, last_modified = $4, changed = $4
       where context_id = $1 and id = any($2::int[])`,
      ids,
      modifiedBy,
      stamp,
    );
  }

  /** Writes what a user set of a folder for himself: whether it is shown in his lists and synchronized, and his attributes. */
  async writeOwnSettings(tx: Transaction, userId: number, id: number, own: OwnSettings, stamp: number): Promise<void> {
    await tx.run(
      `insert into folder_unsubscribed as u (context_id, user_id, folder_id, subscribed, stamp, used_for_sync, properties)
       values ($1, $2, $3, coalesce($4::boolean, true), $5, coalesce($6::boolean, true), $7::jsonb)
       on conflict (context_id, user_id, folder_id) do update set subscribed = coalesce($4::boolean, u.subscribed),
         used_for_sync = coalesce($6::boolean, u.used_for_sync),
         properties = coalesce(u.properties || $7::jsonb, $7::jsonb, u.properties), stamp = excluded.stamp`,
      userId,
      id,
      own.subscribed ?? null,
      stamp,
      own.usedForSync ?? null,
      own.properties ? toStorableJson(own.properties) : null,
    );
  }

  /** Removes folders; those who saw them are noted. */
  async delete(tx: Transaction, ids: readonly number[], stamp: number): Promise<void> {
    await this.insertLosses(tx, ids, stamp);
    await tx.run('delete from folder where context_id = $1 and id = any($2::int[])', ids);
  }

  /** Removes all folders of the context and what is known of former ones; their objects are gone already. */
  async deleteByContext(tx: Transaction): Promise<void> {
    for (const table of ['folder_loss', 'folder', 'folder_counter'])
      await tx.run(`delete from ${table} where context_id = $1`);
  }

  private async writePermissions(
    tx: Transaction,
    ids: readonly number[],
    permissions: readonly OwnedPermission[],
  ): Promise<void> {
    await tx.run(
      `insert into folder_permission (context_id, folder_id, entity, is_group, bits)
       select $1, id, entity, is_group, bits
       from unnest($2::int[]) as f (id), unnest($3::int[], $4::boolean[], $5::int[]) as p (entity, is_group, bits)`,
      ids,
      permissions.map(({ entity }) => entity),
      permissions.map(({ group }) => group),
      permissions.map(({ bits }) => bits),
    );
  }
}

function toNameTakenError(error: unknown, title: string, parent: number): unknown {
  return constraintOf(error) === 'folder_name' ? FolderErrors.nameTaken(title, parent).with({ cause: error }) : error;
}
