import { Injectable } from '@nestjs/common';
import type { FolderCounts, UserPrincipal } from '@groupware/contracts';
import {
  countReadableObjects,
  listUndeletableFolders,
  RANKED_FOLDERS,
  rankedValues,
  type CountedFolder,
  type RankedFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { SHARED_WITH_READER } from './document.columns';
import { DELETABLE } from './document.repository';

/** A file to be put into an archive. */
export interface ArchivedDocument {
  readonly folderId: number;
  readonly name: string;
  readonly reference: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** ms UTC */
  readonly modified: number;
}

/** Former place of a folder in a trash. */
export interface ThrownPath {
  readonly originPath: string;
  /** The folder that was thrown away, and those below it down to this one. */
  readonly names: readonly string[];
}

const ARCHIVED = `coalesce(v.filename, '') as name, v.reference, v.size_bytes as "sizeBytes", s.sha256, v.created as modified`;

/** Files of the current versions of documents `d`. */
const CURRENT_FILES = `select d.folder_id as "folderId", ${ARCHIVED} from document d
  join document_version v on v.context_id = $1 and v.document_id = d.id and v.version = d.version
  join stored_file s on s.context_id = $1 and s.reference = v.reference`;

/** Content of whole folders, for folders that are emptied, deleted or handed over, and the folders around documents. */
@Injectable()
export class FolderContentRepository {
  /** Owners of the folders around documents. */
  async listOwners(db: Reader, documentIds: readonly number[]): Promise<number[]> {
    const rows = await db.rows(
      `select distinct f.created_by from document d join folder f on f.context_id = d.context_id and f.id = d.folder_id
       where d.context_id = $1 and d.id = any($2::int[])`,
      documentIds,
    );
    return rows.map(([owner]) => owner as number);
  }

  /** Ids of folders that hold a document which the user may not delete. */
  listUndeletable(db: Reader, folders: readonly RankedFolder[], userId: number): Promise<ReadonlySet<number>> {
    return listUndeletableFolders(
      db,
      folders,
      userId,
      `exists (select from document d where d.context_id = $1 and d.folder_id = x.id and not (${DELETABLE}))`,
    );
  }

  /** Ids of folders that hold a document which the user may delete but for another user who keeps it locked at a time. */
  async listLocked(
    db: Reader,
    folders: readonly RankedFolder[],
    userId: number,
    now: number,
  ): Promise<ReadonlySet<number>> {
    const rows = await db.rows(
      `select x.id from ${RANKED_FOLDERS} where exists (select from document d
         where d.context_id = $1 and d.folder_id = x.id and d.locked_by <> $2 and d.locked_until > $7 and ${DELETABLE})`,
      ...rankedValues(userId, folders),
      now,
    );
    return new Set(rows.map(([id]) => id as number));
  }

  /** Counts the documents of folders that a user may read. */
  countReadable(db: Reader, folders: readonly CountedFolder[], userId: number): Promise<Map<number, FolderCounts>> {
    return countReadableObjects(
      db,
      folders,
      userId,
      `(select count(*)::int from document d where d.context_id = $1 and d.folder_id = x.id
         and (x.rank > 1 or d.created_by = $2))`,
    );
  }

  /** Folders with all below them but trashes. */
  async listBranch(db: Reader, ids: readonly number[]): Promise<number[]> {
    const rows = await db.rows(
      `with recursive tree (id) as (
         select f.id from folder f where f.context_id = $1 and f.id = any($2::int[])
         union
         select f.id from tree t join folder f on f.context_id = $1 and f.parent = t.id and f.kind <> 16)
       select id from tree`,
      ids,
    );
    return rows.map(([id]) => id as number);
  }

  /** A folder with all below it, at most so many levels: those above before those below. */
  listTree(
    db: Reader,
    ids: readonly number[],
    depth: number,
  ): Promise<{ readonly id: number; readonly parent: number; readonly title: string; readonly modified: number }[]> {
    return db.objects(
      `with recursive tree (id, parent, title, modified, depth) as (
         select f.id, f.parent, f.title, f.last_modified, 0 from folder f where f.context_id = $1 and f.id = any($2::int[])
         union
         select f.id, f.parent, f.title, f.last_modified, t.depth + 1
         from tree t join folder f on f.context_id = $1 and f.parent = t.id where t.depth < $3)
       select id, parent, title, modified from tree order by depth, id`,
      ids,
      depth,
    );
  }

  /** Files of the current versions in folders: all of them, and in others those that the user made. */
  listFiles(
    db: Reader,
    { all, own }: { readonly all: readonly number[]; readonly own: readonly number[] },
    userId: number,
  ): Promise<ArchivedDocument[]> {
    return db.objects(
      `${CURRENT_FILES}
       where d.context_id = $1 and (d.folder_id = any($2::int[]) or d.folder_id = any($3::int[]) and d.created_by = $4)
       order by d.id`,
      all,
      own,
      userId,
    );
  }

  /** Files of the current versions of documents that are shared with a user by themselves. */
  listSharedFiles(
    db: Reader,
    { userId, groups }: Pick<UserPrincipal, 'userId' | 'groups'>,
  ): Promise<ArchivedDocument[]> {
    return db.objects(
      `${CURRENT_FILES} where d.context_id = $1 and ${SHARED_WITH_READER} order by d.id`,
      userId,
      groups,
    );
  }

  /** Files of versions of documents, of the current ones for version 0; those that have none are left out. */
  listVersionFiles(
    db: Reader,
    versions: readonly { readonly id: number; readonly version: number }[],
  ): Promise<(ArchivedDocument & { readonly id: number; readonly asked: number })[]> {
    return db.objects(
      `select d.id, x.version as asked, d.folder_id as "folderId", ${ARCHIVED}
       from (select distinct u.id, u.version from unnest($2::int[], $3::int[]) as u (id, version)) as x
       join document d on d.context_id = $1 and d.id = x.id
       join document_version v on v.context_id = $1 and v.document_id = d.id
         and v.version = case when x.version = 0 then d.version else x.version end
       join stored_file s on s.context_id = $1 and s.reference = v.reference`,
      versions.map(({ id }) => id),
      versions.map(({ version }) => version),
    );
  }

  /** All trashes of the context with the folders in them. */
  async listTrashed(db: Reader): Promise<number[]> {
    const rows = await db.rows(
      `with recursive tree (id) as (
         select f.id from folder f where f.context_id = $1 and f.kind = 16
         union
         select f.id from tree t join folder f on f.context_id = $1 and f.parent = t.id)
       select id from tree`,
    );
    return rows.map(([id]) => id as number);
  }

  /** Folders in trashes: the path of the place from where each was thrown away, by itself or with one above it, and the names since. */
  async listThrownPaths(db: Reader, ids: readonly number[]): Promise<Map<number, ThrownPath>> {
    const found = await db.objects<ThrownPath & { root: number }>(
      `with recursive up (root, parent, title, origin_path, depth) as (
         select f.id, f.parent, f.title, f.origin_path, 0 from folder f where f.context_id = $1 and f.id = any($2::int[])
         union all
         select u.root, f.parent, f.title, f.origin_path, u.depth + 1
         from up u join folder f on f.context_id = $1 and f.id = u.parent where u.origin_path is null and u.depth < 100)
       select root, max(origin_path) as "originPath", array_agg(title order by depth desc) as names
       from up group by root having max(origin_path) is not null`,
      ids,
    );
    return new Map(found.map(({ root, ...path }) => [root, path]));
  }

  /** A folder and those above it, upwards. */
  listPath(db: Reader, id: number): Promise<{ readonly id: number; readonly title: string }[]> {
    return db.objects(
      `with recursive up (id, title, parent, depth) as (
         select f.id, f.title, f.parent, 0 from folder f where f.context_id = $1 and f.id = $2
         union all
         select f.id, f.title, f.parent, u.depth + 1 from up u join folder f on f.context_id = $1 and f.id = u.parent
         where u.depth < 100)
       select id, title from up order by depth`,
      id,
    );
  }

  /** Puts a user in the place of another one, who made or changed documents. */
  async replaceAuthor(tx: Transaction, from: number, to: number, stamp: number): Promise<void> {
    await tx.run(
      `update document set created_by = case when created_by = $2 then $3 else created_by end, modified_by = $3, last_modified = $4
       where context_id = $1 and (created_by = $2 or modified_by = $2)`,
      from,
      to,
      stamp,
    );
    await tx.run('update document_version set created_by = $3 where context_id = $1 and created_by = $2', from, to);
  }

  /** Puts a user in the place of another one, who shared documents of folders that passed on. */
  async replaceSharer(tx: Transaction, folders: readonly number[], from: number, to: number): Promise<void> {
    await tx.run(
      `update document_permission p set created_by = $4 from document d
       where d.context_id = $1 and d.folder_id = any($2::int[])
         and p.context_id = $1 and p.document_id = d.id and p.created_by = $3`,
      folders,
      from,
      to,
    );
  }

  /** Ends the locks of a user and takes his rights on documents away. */
  async removeUser(tx: Transaction, userId: number, stamp: number): Promise<void> {
    await tx.run(
      `update document set locked_by = null, locked_until = null, last_modified = $3
       where context_id = $1 and locked_by = $2`,
      userId,
      stamp,
    );
    await tx.run('delete from document_permission where context_id = $1 and not is_group and entity = $2', userId);
    await tx.run('delete from permission_tombstone where context_id = $1 and not is_group and entity = $2', userId);
  }
}
