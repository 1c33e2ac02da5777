import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import { PATH_SEPARATOR } from '../domain/folder-path';

/** A folder that changes its place, between a trash and the tree. */
export interface TrashMove {
  readonly id: number;
  readonly parent: number;
  readonly title: string;
  /** The folder above before, and the path of all above; null for folders that leave the trash. */
  readonly origin: number | null;
  readonly originPath: string | null;
}

/** A folder in a trash, with where it was. */
export interface TrashedFolder {
  readonly id: number;
  readonly title: string;
  readonly origin: number;
  readonly originPath: string;
  /** The folder above before, when it still is there and not in a trash itself. */
  readonly place: number | null;
}

/** Where a folder stands. */
export interface TreePlace {
  readonly inTrash: boolean;
  readonly isPublic: boolean;
  /** Path of the folders above, see {@link PATH_SEPARATOR}. */
  readonly path: string;
}

/** Reads and writes the trash of one module. */
@Injectable()
export class TrashRepository {
  /** The trash of a user. */
  async findTrash(db: Reader, userId: number): Promise<number | undefined> {
    const row = await db.first<{ id: number }>(
      'select id from folder where context_id = $1 and created_by = $2 and kind = 16',
      userId,
    );
    return row?.id;
  }

  /** The trash of a user with all folders in it. */
  async listTrashes(db: Reader, userId: number): Promise<ReadonlySet<number>> {
    const rows = await db.rows(
      `with recursive tree (id) as (
         select f.id from folder f where f.context_id = $1 and f.created_by = $2 and f.kind = 16
         union
         select f.id from tree t join folder f on f.context_id = $1 and f.parent = t.id)
       select id from tree`,
      userId,
    );
    return new Set((rows as [number][]).map(([id]) => id));
  }

  /** Folders that were thrown away into others before a time. */
  async listThrownBefore(db: Reader, parents: readonly number[], before: number): Promise<number[]> {
    const rows = await db.rows(
      `select id from folder where context_id = $1 and parent = any($2::int[]) and origin is not null
         and last_modified <= $3`,
      parents,
      before,
    );
    return rows.map(([id]) => id as number);
  }

  /** Makes a folder the trash of its owner. */
  async markTrash(tx: Transaction, id: number): Promise<void> {
    await tx.run('update folder set kind = 16 where context_id = $1 and id = $2', id);
  }

  /** Which of some folders are public, which a trash or in one, and the path of the folders above each. */
  async listPlaces(db: Reader, ids: readonly number[]): Promise<Map<number, TreePlace>> {
    const rows = await db.rows(
      `with recursive up (root, depth, parent, kind, type, title) as (
         select f.id, 0, f.parent, f.kind, f.type, '' from folder f where f.context_id = $1 and f.id = any($2::int[])
         union all
         select u.root, u.depth + 1, f.parent, f.kind, f.type, f.title
         from up u join folder f on f.context_id = $1 and f.id = u.parent)
       select root, bool_or(kind = 16), bool_or(depth = 0 and type = 2 and kind = 0),
         coalesce(string_agg($3::text || title, '' order by depth desc) filter (where depth > 0), '')
       from up group by root`,
      ids,
      PATH_SEPARATOR,
    );
    return new Map(
      (rows as [number, boolean, boolean, string][]).map(([id, inTrash, isPublic, path]) => [
        id,
        { inTrash, isPublic, path },
      ]),
    );
  }

  /** Folders of some that were thrown away. */
  listTrashed(db: Reader, ids: readonly number[]): Promise<TrashedFolder[]> {
    return db.objects<TrashedFolder>(
      `select f.id, f.title, f.origin, f.origin_path as "originPath", (
         with recursive up (id, parent, kind) as (
           select o.id, o.parent, o.kind from folder o where o.context_id = $1 and o.id = f.origin
           union all
           select o.id, o.parent, o.kind from up u join folder o on o.context_id = $1 and o.id = u.parent)
         select f.origin from up having count(*) > 0 and not bool_or(kind = 16)) as place
       from folder f where f.context_id = $1 and f.id = any($2::int[]) and f.origin is not null order by f.id`,
      ids,
    );
  }

  /** Folders below some, by parent and name: for names that are still free. */
  async listNames(db: Reader, parents: readonly number[]): Promise<{ id: number; parent: number; title: string }[]> {
    return db.objects(
      'select id, parent, title from folder where context_id = $1 and parent = any($2::int[])',
      parents,
    );
  }

  /** Notes where a folder in the trash was; nowhere for one that left it. */
  async writeOrigin(tx: Transaction, id: number, origin: number | null, originPath: string | null): Promise<void> {
    await tx.run(
      'update folder set origin = $3, origin_path = $4 where context_id = $1 and id = $2',
      id,
      origin,
      originPath,
    );
  }

  /** Moves folders; their permissions stay. */
  async moveMany(tx: Transaction, moves: readonly TrashMove[], modifiedBy: number, stamp: number): Promise<void> {
    await tx.run(
      `update folder f set parent = m.parent, title = m.title, origin = m.origin, origin_path = m.origin_path,
         modified_by = $2, last_modified = $3, changed = $3
       from unnest($4::int[], $5::int[], $6::text[], $7::int[], $8::text[]) as m (id, parent, title, origin, origin_path)
       where f.context_id = $1 and f.id = m.id`,
      modifiedBy,
      stamp,
      moves.map(({ id }) => id),
      moves.map(({ parent }) => parent),
      moves.map(({ title }) => title),
      moves.map(({ origin }) => origin),
      moves.map(({ originPath }) => originPath),
    );
  }
}
