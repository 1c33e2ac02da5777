import { Injectable } from '@nestjs/common';
import {
  type AttachedFile,
  AttachmentData,
  CatalogueError,
  type LocatedObjectFile,
  type ObjectsWithFilesQuery,
  RequestErrors,
  sortOrder,
} from '@groupware/contracts';
import { columnsOf, containsEach, type Reader, type Transaction } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import type { AttachmentView } from '../domain/attachment-view';

/** Key of an object with attachments. */
export interface ObjectKey {
  readonly module: number;
  readonly attached: number;
}

/** An attachment with its stored content. Times: ms UTC. */
export interface StoredAttachment {
  readonly id: number;
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly created: number;
  readonly reference: string;
  readonly sha256: string;
  readonly sniffed: string | null;
}

/** A row to write. */
export interface NewAttachment extends ObjectKey {
  readonly id: number;
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly rtf: boolean;
  readonly reference: string;
}

/** Copies to write. */
export interface AttachmentCopy {
  /** Object that has the files. */
  readonly from: number;
  readonly ids: readonly number[];
  readonly firstId: number;
  readonly stamp: number;
}

/** Attachment count of an object. */
export interface ObjectState {
  readonly count: number;
  readonly newest: number | null;
}

/** `$2` is the folder of the request: an object may appear in several. */
const columns = columnsOf(AttachmentData, {
  id: 'a.id',
  created_by: 'a.created_by::text',
  modified_by: null,
  creation_date: 'a.created',
  last_modified: null,
  last_modified_utc: null,
  folder_id: null,
  categories: null,
  private_flag: null,
  color_label: null,
  number_of_attachments: null,
  lastModifiedOfNewestAttachmentUTC: null,
  folder: '$2::int',
  attached: 'a.object_id',
  module: 'a.module',
  filename: 'a.filename',
  file_size: 'a.size_bytes',
  file_mimetype: 'a.content_type',
  rtf_flag: 'a.rtf',
  rft_flag: 'a.rtf',
  comment: null,
  file_id: null,
});

const OF_OBJECT = 'a.context_id = $1 and ($2::int is not null) and a.module = $3 and a.object_id = $4';

/** Builds the order clause; only column expressions of the source code reach SQL. */
function toOrderClause(sort: string | undefined, order: string | undefined): string {
  const wanted = sortOrder({ sort, order });
  if (!wanted) return 'a.id';
  if (!order) throw RequestErrors.missingParameter('order');
  const expression = columns.expression(parseSortField(wanted.column));
  if (expression === undefined || expression === '$2::int') return 'a.id';
  return `${expression} ${wanted.descending ? 'desc' : 'asc'}, a.id`;
}

function parseSortField(sort: string): keyof AttachmentData & string {
  try {
    return columns.field(sort).property as keyof AttachmentData & string;
  } catch (error) {
    throw error instanceof CatalogueError ? RequestErrors.badParameter('sort', sort) : error;
  }
}

/** Converts times of rows to a zone. */
function convertTimes(rows: unknown[][], asked: readonly string[], zone: ZoneOffsets): unknown[][] {
  const times = asked.flatMap((column, index) => (columns.field(column).type === 'time' ? [index] : []));
  for (const row of rows)
    for (const index of times) if (row[index] !== null) row[index] = zone.instantToLocal(row[index] as number);
  return rows;
}

/** Columns of {@link AttachedFile}. */
const ATTACHED_FILE = `a.id, a.object_id as object, a.filename as name, a.content_type as "contentType",
  a.size_bytes as "sizeBytes", a.created, f.sha256`;
const WITH_CONTENT = 'attachment a join stored_file f on f.context_id = $1 and f.reference = a.reference';

/** Rows of attachments. */
@Injectable()
export class AttachmentRepository {
  /** Lists attachments of an object added after `since`, as rows of the requested columns. */
  async listRows(
    db: Reader,
    { module, attached }: ObjectKey,
    { folder, zone }: AttachmentView,
    asked: readonly string[],
    options: { since?: number; sort?: string; order?: string } = {},
  ): Promise<unknown[][]> {
    const found = await db.rows(
      `select ${columns.select(asked)} from attachment a where ${OF_OBJECT} and a.created > $5
       order by ${toOrderClause(options.sort, options.order)}`,
      folder,
      module,
      attached,
      Math.min(Math.max(options.since ?? 0, 0), Number.MAX_SAFE_INTEGER),
    );
    return convertTimes(found, asked, zone);
  }

  /** Lists attachments by id in the order of the ids; those of other objects are left out. */
  async listRowsByIds(
    db: Reader,
    { module, attached }: ObjectKey,
    { folder, zone }: AttachmentView,
    asked: readonly string[],
    ids: readonly number[],
  ): Promise<unknown[][]> {
    const found = await db.rows(
      `select ${columns.select(asked)} from unnest($5::int[]) with ordinality as wanted (id, place)
       join attachment a on a.id = wanted.id and ${OF_OBJECT} order by wanted.place`,
      folder,
      module,
      attached,
      ids,
    );
    return convertTimes(found, asked, zone);
  }

  /** Finds one attachment. */
  findById(
    db: Reader,
    { module, attached }: ObjectKey,
    folder: number,
    id: number,
  ): Promise<AttachmentData | undefined> {
    return db.first<AttachmentData>(
      `select ${columns.all()} from attachment a where ${OF_OBJECT} and a.id = $5`,
      folder,
      module,
      attached,
      id,
    );
  }

  /** Lists attachments with their stored contents, in the order of the ids. */
  listStored(db: Reader, { module, attached }: ObjectKey, ids: readonly number[]): Promise<StoredAttachment[]> {
    return db.objects<StoredAttachment>(
      `select a.id, a.filename as "fileName", a.content_type as "contentType", a.size_bytes as "sizeBytes", a.created,
         a.reference, f.sha256, f.sniffed
       from unnest($4::int[]) with ordinality as wanted (id, place)
       join attachment a on a.context_id = $1 and a.id = wanted.id and a.module = $2 and a.object_id = $3
       join stored_file f on f.context_id = $1 and f.reference = a.reference
       order by wanted.place`,
      module,
      attached,
      ids,
    );
  }

  /** Lists the files of objects of one module, in the order in which they were attached. */
  listFiles(db: Reader, module: number, objects: readonly number[]): Promise<AttachedFile[]> {
    return db.objects<AttachedFile>(
      `select ${ATTACHED_FILE} from ${WITH_CONTENT}
       where a.context_id = $1 and a.module = $2 and a.object_id = any($3::int[]) order by a.id`,
      module,
      objects,
    );
  }

  /** Lists the files of objects of one module with their contents, in the order in which they were attached. */
  listLocated(db: Reader, { module, objects }: ObjectsWithFilesQuery): Promise<LocatedObjectFile[]> {
    return db.objects<LocatedObjectFile>(
      `select ${ATTACHED_FILE}, a.reference from ${WITH_CONTENT}
       where a.context_id = $1 and a.module = $2 and a.object_id = any($3::int[]) order by a.id`,
      module,
      objects,
    );
  }

  /** Lists files by id, whatever object of the module has them. */
  listFilesById(db: Reader, module: number, ids: readonly number[]): Promise<AttachedFile[]> {
    return db.objects<AttachedFile>(
      `select ${ATTACHED_FILE} from ${WITH_CONTENT}
       where a.context_id = $1 and a.module = $2 and a.id = any($3::int[]) order by a.id`,
      module,
      ids,
    );
  }

  /** Objects of a module with files whose names contain a text, those with the newest files first. */
  async listObjectsByFileName(db: Reader, module: number, name: string, limit: number): Promise<number[]> {
    const values: unknown[] = [];
    const condition = containsEach(['a.filename'], [name], (value, type) => `$${values.push(value) + 3}::${type}`);
    const found = await db.rows(
      `select a.object_id from attachment a where a.context_id = $1 and a.module = $2 and ${condition}
       group by a.object_id order by max(a.id) desc limit $3`,
      module,
      limit,
      ...values,
    );
    return found.map(([id]) => id as number);
  }

  /** Lists ids detached after a stamp. */
  async listDetachedIds(db: Reader, { module, attached }: ObjectKey, since: number): Promise<number[]> {
    const found = await db.rows(
      `select id from tombstone where context_id = $1 and module = $2 and object_id = $3 and deleted > $4 order by id`,
      module,
      attached,
      Math.min(Math.max(since, 0), Number.MAX_SAFE_INTEGER),
    );
    return found.map(([id]) => id as number);
  }

  /** Stamp of the newest change of an object's attachments; 0 without any. */
  async findNewestChange(db: Reader, { module, attached }: ObjectKey): Promise<number> {
    const row = await db.first<{ newest: number | null }>(
      `select greatest((select max(created) from attachment where context_id = $1 and module = $2 and object_id = $3),
         (select max(deleted) from tombstone where context_id = $1 and module = $2 and object_id = $3)) as newest`,
      module,
      attached,
    );
    return row?.newest ?? 0;
  }

  /** Number of attachments of the context. */
  async count(db: Reader): Promise<number> {
    const row = await db.first<{ count: number }>(
      'select count(*)::int as count from attachment where context_id = $1',
    );
    return row!.count;
  }

  /** Number and newest of the attachments of an object. */
  async getObjectState(db: Reader, { module, attached }: ObjectKey): Promise<ObjectState> {
    const row = await db.first<ObjectState>(
      `select count(*)::int as count, max(created) as newest from attachment
       where context_id = $1 and module = $2 and object_id = $3`,
      module,
      attached,
    );
    return row!;
  }

  /** Writes attachments. */
  async insert(tx: Transaction, userId: number, stamp: number, rows: readonly NewAttachment[]): Promise<void> {
    await tx.run(
      `insert into attachment (context_id, id, module, object_id, filename, content_type, size_bytes, rtf, created_by,
         created, reference)
       select $1, x.id, x.module, x.attached, x."fileName", x."contentType", x."sizeBytes", x.rtf, $2, $3, x.reference
       from json_to_recordset($4) as x (id int, module int, attached int, "fileName" text, "contentType" text,
         "sizeBytes" bigint, rtf boolean, reference text)`,
      userId,
      stamp,
      JSON.stringify(rows),
    );
  }

  /** Notes that a new object gets files of another one; false when it did before. */
  async noteCopy(tx: Transaction, { module, attached }: ObjectKey): Promise<boolean> {
    const noted = await tx.run(
      'insert into copied_object (context_id, module, object_id) values ($1, $2, $3) on conflict do nothing',
      module,
      attached,
    );
    return noted > 0;
  }

  /** Forgets {@link noteCopy}. */
  deleteCopyNote(tx: Transaction, { module, attached }: ObjectKey): void {
    tx.enqueue('delete from copied_object where context_id = $1 and module = $2 and object_id = $3', module, attached);
  }

  /** Writes copies of files in the order of their ids; answers their sizes. Those that are gone meanwhile are left out. */
  async insertCopies(
    tx: Transaction,
    { module, attached }: ObjectKey,
    { from, ids, firstId, stamp }: AttachmentCopy,
  ): Promise<number[]> {
    const rows = await tx.rows(
      `insert into attachment (context_id, id, module, object_id, filename, content_type, size_bytes, rtf, created_by,
         created, reference)
       select $1, $6::int + wanted.place::int - 1, a.module, $3, a.filename, a.content_type, a.size_bytes, a.rtf, a.created_by,
         $7, a.reference
       from unnest($5::int[]) with ordinality as wanted (id, place)
       join attachment a on a.context_id = $1 and a.id = wanted.id and a.module = $2 and a.object_id = $4
       returning size_bytes`,
      module,
      attached,
      from,
      ids,
      firstId,
      stamp,
    );
    return rows.map(([size]) => size as number);
  }

  /** Deletes attachments of an object (all without ids) and inserts tombstones. */
  async delete(
    tx: Transaction,
    { module, attached }: ObjectKey,
    stamp: number,
    ids?: readonly number[],
  ): Promise<{ reference: string; sizeBytes: number }[]> {
    return tx.objects(
      `with gone as (
         delete from attachment where context_id = $1 and module = $2 and object_id = $3
           and ($5::int[] is null or id = any($5)) returning id, reference, size_bytes),
       buried as (
         insert into tombstone (context_id, id, module, object_id, deleted) select $1, id, $2, $3, $4 from gone)
       select reference, size_bytes as "sizeBytes" from gone`,
      module,
      attached,
      stamp,
      ids ?? null,
    );
  }
}
