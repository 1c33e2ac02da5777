import { Injectable } from '@nestjs/common';
import { ALL_USERS } from '@groupware/contracts';
import {
  coversCreator,
  ObjectRepository,
  RANKED_FOLDERS,
  rankedValues,
  toStorableJson,
  type RankedFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Document, DocumentVersion, StoredPermission } from '../domain/document';
import { numberName } from '../domain/file-name';

/** Numbered names are looked up so many times as many as before, and at most so many at once. */
const [NAMES_GROWTH, MOST_NAMES] = [16, 4_096];

const VERSION_FIELDS = [
  ['version', 'version', 'int'],
  ['createdBy', 'created_by', 'int'],
  ['created', 'created', 'bigint'],
  ['title', 'title', 'text'],
  ['filename', 'filename', 'text'],
  ['url', 'url', 'text'],
  ['description', 'description', 'text'],
  ['comment', 'comment', 'text'],
  ['mimeType', 'mime_type', 'text'],
  ['sizeBytes', 'size_bytes', 'bigint'],
  ['md5', 'md5', 'text'],
  ['reference', 'reference', 'text'],
] as const;
const VERSION = VERSION_FIELDS.map(([property, column]) => `'${property}', v.${column}`).join(', ');
const VERSION_RECORD = VERSION_FIELDS.map(([property, , type]) => `"${property}" ${type}`).join(', ');
const VERSION_COLUMNS = VERSION_FIELDS.map(([, column]) => column).join(', ');
const VERSION_VALUES = VERSION_FIELDS.map(([property]) => `x."${property}"`).join(', ');
const VERSION_CHANGES = VERSION_FIELDS.slice(1)
  .map(([property, column]) => `${column} = x."${property}"`)
  .join(', ');

const FIELDS = [
  ['id', 'id', 'int'],
  ['folderId', 'folder_id', 'int'],
  ['createdBy', 'created_by', 'int'],
  ['modifiedBy', 'modified_by', 'int'],
  ['created', 'created', 'bigint'],
  ['lastModified', 'last_modified', 'bigint'],
  ['lastVersion', 'last_version', 'int'],
  ['versions', 'versions', 'int'],
  ['categories', 'categories', 'text'],
  ['color', 'color', 'smallint'],
  ['meta', 'meta', 'jsonb'],
  ['lockedBy', 'locked_by', 'int'],
  ['lockedUntil', 'locked_until', 'bigint'],
  ['origin', 'origin', 'int'],
  ['originPath', 'origin_path', 'text'],
] as const;
const STORED = [...FIELDS, ['version', 'version', 'int'], ['filename', 'filename', 'text']] as const;
const RECORD = STORED.map(([property, , type]) => `"${property}" ${type}`).join(', ');
const INSERT = `insert into document (context_id, ${STORED.map(([, column]) => column).join(', ')})
  select $1, ${STORED.map(([property]) => `x."${property}"`).join(', ')} from json_to_recordset($2) as x (${RECORD})`;
const UPDATE = `update document d set ${STORED.slice(1)
  .map(([property, column]) => `${column} = x."${property}"`)
  .join(', ')} from json_to_recordset($2) as x (${RECORD}) where d.context_id = $1 and d.id = x.id`;

/** A document `d` with its current version and permissions. */
const DOCUMENT = `select ${FIELDS.map(([property, column]) => `d.${column} as "${property}"`).join(', ')},
  (select json_build_object(${VERSION}) from document_version v
    where v.context_id = d.context_id and v.document_id = d.id and v.version = d.version) as current,
  (select coalesce(json_agg(json_build_object('entity', p.entity, 'group', p.is_group, 'bits', p.bits, 'createdBy', p.created_by)
     order by p.is_group, p.entity), '[]') from document_permission p
    where p.context_id = d.context_id and p.document_id = d.id) as permissions
  from document d`;

/** Condition: a user may delete the document `d` from folder `x`. */
export const DELETABLE = `${coversCreator('rank', 'd.created_by')} and ${coversCreator('read_rank', 'd.created_by')}`;

/** Condition: users, groups or guests other than the user `$3` have rights on the document `d` itself. */
const SHARED_BY_USER = `exists (select from document_permission p where p.context_id = d.context_id and p.document_id = d.id
  and p.bits > 0 and (p.is_group or p.entity <> $3))`;

const toRow = ({ current, permissions: _permissions, ...document }: Document) => ({
  ...document,
  version: current.version,
  filename: current.filename,
});

/** Rows of documents, their versions and permissions. */
@Injectable()
export class DocumentRepository extends ObjectRepository {
  constructor() {
    super('context_state', 'document');
  }

  /** Documents by id in no particular order; unknown ones are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<Document[]> {
    return db.objects<Document>(`${DOCUMENT} where d.context_id = $1 and d.id = any($2::int[])`, ids);
  }

  /** Documents of folders in the order of their ids, at most so many. */
  listByFolders(db: Reader, folders: readonly number[], limit: number): Promise<Document[]> {
    return db.objects<Document>(
      `${DOCUMENT} where d.context_id = $1 and d.folder_id = any($2::int[]) order by d.id limit $3`,
      folders,
      limit,
    );
  }

  /** Documents of folders that the user may delete, in the order of their ids, at most so many. */
  listDeletable(db: Reader, folders: readonly RankedFolder[], userId: number, limit: number): Promise<Document[]> {
    return db.objects<Document>(
      `${DOCUMENT} join ${RANKED_FOLDERS} on x.id = d.folder_id where d.context_id = $1 and ${DELETABLE}
       order by d.id limit $7`,
      ...rankedValues(userId, folders),
      limit,
    );
  }

  /** Documents that were thrown away into folders before a time, in the order of their ids, at most so many. */
  listThrownBefore(db: Reader, folders: readonly number[], before: number, limit: number): Promise<Document[]> {
    return db.objects<Document>(
      `${DOCUMENT} where d.context_id = $1 and d.folder_id = any($2::int[]) and d.origin is not null
         and d.last_modified <= $3
       order by d.id limit $4`,
      folders,
      before,
      limit,
    );
  }

  /** Documents of folders that are shared by themselves, in the order of their ids, at most so many. */
  listShared(db: Reader, folders: readonly number[], limit: number): Promise<Document[]> {
    return db.objects<Document>(
      `${DOCUMENT} where d.context_id = $1 and d.folder_id = any($2::int[]) and exists (
         select from document_permission p where p.context_id = d.context_id and p.document_id = d.id)
       order by d.id limit $3`,
      folders,
      limit,
    );
  }

  /** Which of some folders hold documents that a user shares with others by themselves. */
  async listFoldersOfShared(db: Reader, folders: readonly number[], userId: number): Promise<number[]> {
    const rows = await db.rows(
      `select distinct d.folder_id from document d
       where d.context_id = $1 and d.folder_id = any($2::int[]) and ${SHARED_BY_USER}`,
      folders,
      userId,
    );
    return rows.map(([id]) => id as number);
  }

  /** Documents of folders without permissions of others on the document itself, in the order of their ids, at most so many. */
  listUnshared(db: Reader, folders: readonly number[], userId: number, limit: number): Promise<Document[]> {
    return db.objects<Document>(
      `${DOCUMENT} where d.context_id = $1 and d.folder_id = any($2::int[]) and not ${SHARED_BY_USER}
       order by d.id limit $4`,
      folders,
      userId,
      limit,
    );
  }

  /** Folders of documents by id; unknown ones are left out. */
  async listPlaces(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await db.rows('select id, folder_id from document where context_id = $1 and id = any($2::int[])', ids);
    return new Map(rows as [number, number][]);
  }

  /** The document of a folder that bears a file name, case ignored. */
  async findByName(db: Reader, folderId: number, filename: string): Promise<Document | undefined> {
    return db.first<Document>(
      `${DOCUMENT} where d.context_id = $1 and d.folder_id = $2
       and lower(d.filename collate "und-x-icu") = lower($3::text collate "und-x-icu")`,
      folderId,
      filename,
    );
  }

  /** The first name of `<name>`, `<name> (1)` … that no other document of the folder bears; see {@link numberName}. */
  async findFreeName(db: Reader, folderId: number, name: string, except: number): Promise<string> {
    // One look at the index is enough for most; many names at once would cost more than the document.
    for (let [first, count] = [0, 1]; ; [first, count] = [first + count, Math.min(count * NAMES_GROWTH, MOST_NAMES)]) {
      const names = Array.from({ length: count }, (_each, index) => numberName(name, first + index));
      const [free] = await this.listFreeNames(db, folderId, names, except);
      if (free !== undefined) return names[free]!;
    }
  }

  /** Which of some names, by their place in the list, no other document of the folder and none before in the list bears. */
  async listFreeNames(
    db: Reader,
    folderId: number,
    names: readonly (string | null)[],
    except = 0,
  ): Promise<ReadonlySet<number>> {
    const rows = await db.rows(
      `select x.n::int - 1 from (
         select lower(u.name collate "und-x-icu") as name, u.n, row_number() over (
           partition by lower(u.name collate "und-x-icu") order by u.n) as k
         from unnest($3::text[]) with ordinality as u (name, n) where u.name is not null) as x
       where x.k = 1 and not exists (select from document d where d.context_id = $1 and d.folder_id = $2 and d.id <> $4
         and lower(d.filename collate "und-x-icu") = x.name)
       order by x.n`,
      folderId,
      names,
      except,
    );
    return new Set(rows.map(([index]) => index as number));
  }

  /** A version of a document. */
  async findVersion(db: Reader, id: number, version: number): Promise<DocumentVersion | undefined> {
    const row = await db.first<{ found: DocumentVersion }>(
      `select json_build_object(${VERSION}) as found from document_version v
       where v.context_id = $1 and v.document_id = $2 and v.version = $3`,
      id,
      version,
    );
    return row?.found;
  }

  /** All versions of a document with a file, in their order. */
  async listVersions(db: Reader, id: number): Promise<DocumentVersion[]> {
    const rows = await db.rows(
      `select json_build_object(${VERSION}) from document_version v
       where v.context_id = $1 and v.document_id = $2 and v.version > 0 order by v.version`,
      id,
    );
    return rows.map(([found]) => found as DocumentVersion);
  }

  /** Stores a new document with its version. */
  async insert(tx: Transaction, document: Document): Promise<void> {
    await tx.run(INSERT, toStorableJson([toRow(document)]));
    await this.insertVersion(tx, document.id, document.current);
  }

  /** Replaces a stored document; versions and permissions stay. */
  async update(tx: Transaction, documents: readonly Document[]): Promise<void> {
    await tx.run(UPDATE, toStorableJson(documents.map(toRow)));
  }

  async insertVersion(tx: Transaction, id: number, version: DocumentVersion): Promise<void> {
    await tx.run(
      `insert into document_version (context_id, document_id, ${VERSION_COLUMNS})
       select $1, $2, ${VERSION_VALUES} from json_to_recordset($3) as x (${VERSION_RECORD})`,
      id,
      toStorableJson([version]),
    );
  }

  async updateVersion(tx: Transaction, id: number, version: DocumentVersion): Promise<void> {
    await tx.run(
      `update document_version v set ${VERSION_CHANGES} from json_to_recordset($3) as x (${VERSION_RECORD})
       where v.context_id = $1 and v.document_id = $2 and v.version = x.version`,
      id,
      toStorableJson([version]),
    );
  }

  /** Notes what a picture says about itself, unless it was replaced meanwhile. `media` is null where it could not be read. */
  async updateMedia(tx: Transaction, id: number, version: DocumentVersion, media: object | null): Promise<void> {
    await tx.run(
      `update document_version set media = $4, media_status = $5
       where context_id = $1 and document_id = $2 and version = $3 and reference = $6`,
      id,
      version.version,
      media && toStorableJson(media),
      media ? 'done_success' : 'done_with_error',
      version.reference,
    );
  }

  async deleteVersions(tx: Transaction, id: number, versions: readonly number[]): Promise<void> {
    await tx.run(
      'delete from document_version where context_id = $1 and document_id = $2 and version = any($3::int[])',
      id,
      versions,
    );
  }

  /** Replaces the permissions of a document. */
  async replacePermissions(tx: Transaction, id: number, permissions: readonly StoredPermission[]): Promise<void> {
    await tx.run('delete from document_permission where context_id = $1 and document_id = $2', id);
    if (permissions.length === 0) return;
    await tx.run(
      `insert into document_permission (context_id, document_id, entity, is_group, bits, created_by)
       select $1, $2, x.entity, x."group", x.bits, x."createdBy"
       from json_to_recordset($3) as x (entity int, "group" boolean, bits smallint, "createdBy" int)`,
      id,
      JSON.stringify(permissions),
    );
  }

  /** Documents on which users or guests have rights of their own. */
  listGranted(db: Reader, entities: readonly number[]): Promise<{ readonly entity: number; readonly id: number }[]> {
    return db.objects(
      `select entity, document_id as id from document_permission
       where context_id = $1 and not is_group and entity = any($2::int[]) and bits > 0 order by document_id, entity`,
      entities,
    );
  }

  /** Lets `updates` of the folder of shared documents tell that some are no longer shared with a user or group. */
  async insertPermissionTombstones(
    tx: Transaction,
    id: number,
    gone: readonly Pick<StoredPermission, 'entity' | 'group'>[],
    stamp: number,
  ): Promise<void> {
    if (gone.length === 0) return;
    await tx.run(
      `insert into permission_tombstone (context_id, document_id, is_group, entity, last_modified)
       select $1, $2, x.is_group, x.entity, $5 from unnest($3::boolean[], $4::int[]) as x (is_group, entity)
       on conflict (context_id, is_group, entity, document_id) do update set last_modified = excluded.last_modified`,
      id,
      gone.map(({ group }) => group),
      gone.map(({ entity }) => entity),
      stamp,
    );
  }

  /**
   * Lets `updates` of the folder of shared documents tell all users of documents that are shared with a group: who joined gets them,
   * for who left they are gone.
   */
  async recordGroupChange(tx: Transaction, groupId: number, stamp: number): Promise<void> {
    await tx.run(
      `insert into permission_tombstone (context_id, document_id, is_group, entity, last_modified)
       select $1, document_id, true, ${ALL_USERS}, $3 from document_permission
       where context_id = $1 and is_group and entity = $2
       on conflict (context_id, is_group, entity, document_id) do update set last_modified = excluded.last_modified`,
      groupId,
      stamp,
    );
  }

  /** References and sizes of all versions of documents. */
  async listFiles(
    db: Reader,
    ids: readonly number[],
  ): Promise<{ readonly references: string[]; readonly bytes: number }> {
    const row = await db.first<{ references: string[] | null; bytes: number }>(
      `select array_agg(distinct v.reference) as references, coalesce(sum(v.size_bytes), 0)::bigint as bytes
       from document_version v where v.context_id = $1 and v.document_id = any($2::int[]) and v.reference is not null`,
      ids,
    );
    return { references: row?.references ?? [], bytes: row?.bytes ?? 0 };
  }

  /** Deletes documents with their versions and permissions. */
  async delete(tx: Transaction, ids: readonly number[]): Promise<void> {
    await tx.run('delete from document where context_id = $1 and id = any($2::int[])', ids);
  }

  /** Leaves tombstones of documents in the folders where they were. */
  async insertTombstones(
    tx: Transaction,
    gone: readonly Pick<Document, 'id' | 'folderId' | 'createdBy'>[],
    stamp: number,
  ): Promise<void> {
    await tx.run(
      `insert into document_tombstone (context_id, folder_id, id, created_by, last_modified)
       select $1, x.*, $5 from unnest($2::int[], $3::int[], $4::int[]) as x
       on conflict (context_id, folder_id, id) do update
         set created_by = excluded.created_by, last_modified = excluded.last_modified`,
      gone.map(({ folderId }) => folderId),
      gone.map(({ id }) => id),
      gone.map(({ createdBy }) => createdBy),
      stamp,
    );
  }

  /** Removes the tombstones of documents that came back to a folder. */
  async removeTombstones(tx: Transaction, folderId: number, ids: readonly number[]): Promise<void> {
    await tx.run(
      'delete from document_tombstone where context_id = $1 and folder_id = $2 and id = any($3::int[])',
      folderId,
      ids,
    );
  }

  /** Deletes everything of the context; the files that it kept. */
  async removeContext(tx: Transaction): Promise<string[]> {
    await tx.run('delete from document where context_id = $1');
    for (const table of ['document_tombstone', 'permission_tombstone', 'folder_access', 'scan_result'])
      await tx.run(`delete from ${table} where context_id = $1`);
    const rows = await tx.rows('select reference from stored_file where context_id = $1');
    return rows.map(([reference]) => reference as string);
  }
}
