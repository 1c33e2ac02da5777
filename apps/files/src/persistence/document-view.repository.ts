import { Injectable } from '@nestjs/common';
import type { DocumentData, UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import type { ReadableFolders } from '../folders/folder-access';
import {
  documentColumns,
  FIRST_FILTER_PARAMETER,
  NAMED_PARAMETERS,
  orderText,
  PERMISSION_OF_READER,
  READABLE_IN_FOLDER,
  READABLE_TOMBSTONE,
  SHARED_WITH_READER,
  toJsonArray,
  versionColumns,
} from './document.columns';

/** A reader with the readable folders. */
export interface DocumentReader {
  readonly user: Pick<UserPrincipal, 'userId' | 'groups' | 'guest' | 'locale'>;
  readonly readable: ReadableFolders;
  /** Name of the zone of the request. */
  readonly zone: string;
  /** ms UTC */
  readonly now: number;
  /** Display names by user id, for lists that are sorted by them. */
  readonly names?: Readonly<Record<number, string>>;
}

/**
 * A condition on a document `d` with its version `v`, in brackets where it is joined with others; its parameters are numbered from
 * `FIRST_FILTER_PARAMETER` on.
 */
export interface DocumentFilter {
  readonly where: string;
  readonly values: readonly unknown[];
}

/** A question for rows. */
export interface DocumentQuestion {
  readonly columns: readonly string[] | undefined;
  readonly sort: string | undefined;
  readonly order: string | undefined;
  readonly filter: DocumentFilter;
  /** Documents are asked for by the folder of those that are shared by themselves. */
  readonly viaShared?: boolean;
  /** First row wanted, from 0. */
  readonly from: number;
  readonly maxRows: number;
}

/** Rows as a JSON array that is ready to be sent. */
export interface DocumentRows {
  readonly rows: string;
  readonly count: number;
  /** Newest stamp of the rows; 0 without any. */
  readonly newest: number;
}

/** One row, ready to be sent. */
export interface DocumentRow {
  readonly id: number;
  readonly folderId: number;
  /** The rights on its folder let the reader read it. */
  readonly inFolder: boolean;
  /** It is shared with the reader itself. */
  readonly isShared: boolean;
  readonly cells: string;
  readonly lastModified: number;
}

/** The first values of all statements. */
const valuesOf = ({ user, readable, zone, now, names }: DocumentReader): unknown[] => [
  user.userId,
  user.groups,
  zone,
  now,
  readable.all,
  readable.own,
  readable.writeAll,
  readable.writeOwn,
  JSON.stringify(names ?? {}),
  user.guest ?? false,
];

const CURRENT = `join document_version v on v.context_id = $1 and v.document_id = d.id and v.version = d.version`;
const FIRST = FIRST_FILTER_PARAMETER;

/** Conditions that views are made of. */
export const FILTERS = { inFolder: READABLE_IN_FOLDER, shared: SHARED_WITH_READER } as const;

/** Condition: rights of the reader on the document `d` itself changed after a stamp. */
export const sharingChangedAfter = (stamp: string): string => `d.id in (select t.document_id from permission_tombstone t
  where t.context_id = $1 and t.last_modified > ${stamp} and ${PERMISSION_OF_READER})`;

/** Reads documents as clients see them: one statement each, whatever the number of rows. */
@Injectable()
export class DocumentViewRepository {
  /** Rows that the filter lets through, which says what the reader may read. */
  async listRows(db: Reader, reader: DocumentReader, question: DocumentQuestion): Promise<DocumentRows> {
    const { columns, filter, from, maxRows, sort, order, viaShared = false } = question;
    const first = FIRST + filter.values.length;
    const row = await db.first<DocumentRows>(
      `select '[' || coalesce(string_agg(r.cells, ','), '') || ']' as rows, count(*)::int as count,
         coalesce(max(r.last_modified), 0) as newest
       from (select ${toJsonArray(documentColumns, columns)}::text as cells, d.last_modified
         from document d ${CURRENT} cross join ${NAMED_PARAMETERS} cross join (select ${viaShared ? 10 : 0} as via) as q
         where d.context_id = $1 and (${filter.where})
         order by ${orderText({ sort, order }, reader.user.locale)} offset $${first} limit $${first + 1}) r`,
      ...valuesOf(reader),
      ...filter.values,
      from,
      maxRows,
    );
    return row!;
  }

  /** Rows by id and the folder through which each is asked for, 0 for none; it is not checked whether the reader may read them. */
  listRowsByIds(
    db: Reader,
    reader: DocumentReader,
    columns: readonly string[] | undefined,
    references: readonly { readonly id: number; readonly folder: number }[],
  ): Promise<(DocumentRow & { readonly via: number })[]> {
    return db.objects(
      `select d.id, d.folder_id as "folderId", q.via, ${READABLE_IN_FOLDER} as "inFolder", ${SHARED_WITH_READER} as "isShared",
         ${toJsonArray(documentColumns, columns)}::text as cells, d.last_modified as "lastModified"
       from (select distinct x.id, x.via from unnest($${FIRST}::int[], $${FIRST + 1}::int[]) as x (id, via)) q
       join document d on d.context_id = $1 and d.id = q.id ${CURRENT} cross join ${NAMED_PARAMETERS}`,
      ...valuesOf(reader),
      references.map(({ id }) => id),
      references.map(({ folder }) => folder),
    );
  }

  /**
   * One document as the model says, fields without value left out; undefined for a version that it has not. It is not checked
   * whether the reader may read it.
   */
  async findData(
    db: Reader,
    reader: DocumentReader,
    id: number,
    { via, version }: { readonly via: number; readonly version: number | undefined },
  ): Promise<DocumentData | undefined> {
    const columns = version === undefined ? documentColumns : versionColumns;
    const row = await db.first<Record<string, unknown>>(
      `select ${columns.all()} from document d
       join document_version v on v.context_id = $1 and v.document_id = d.id
         and v.version = coalesce($${FIRST + 2}::int, d.version)
       cross join ${NAMED_PARAMETERS} cross join (select $${FIRST}::int as via) as q
       where d.context_id = $1 and d.id = $${FIRST + 1}`,
      ...valuesOf(reader),
      via,
      id,
      version ?? null,
    );
    return row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  }

  /** Rows of the versions of a document with a file, of all or of the current one. It is not checked whether the reader may read it. */
  async listVersionRows(
    db: Reader,
    reader: DocumentReader,
    id: number,
    question: Pick<DocumentQuestion, 'columns' | 'sort' | 'order'> & {
      readonly via: number;
      readonly onlyCurrent: boolean;
    },
  ): Promise<string> {
    const row = await db.first<{ rows: string }>(
      `select '[' || coalesce(string_agg(r.cells, ','), '') || ']' as rows
       from (select ${toJsonArray(versionColumns, question.columns)}::text as cells
         from document d join document_version v on v.context_id = $1 and v.document_id = d.id and v.version > 0
         cross join ${NAMED_PARAMETERS} cross join (select $${FIRST}::int as via) as q
         where d.context_id = $1 and d.id = $${FIRST + 1} and (v.version = d.version or not $${FIRST + 2})
         order by ${orderText(question, reader.user.locale, 'v.version')}) r`,
      ...valuesOf(reader),
      question.via,
      id,
      question.onlyCurrent,
    );
    return row!.rows;
  }

  /**
   * Ids of documents that are gone from a folder for the reader since a stamp: deleted, moved away, or (when rights changed since)
   * no longer covered by them.
   */
  async listGone(
    db: Reader,
    reader: DocumentReader,
    question: { folderId: number; since: number; rightsChanged: boolean; maxRows: number },
  ): Promise<{ readonly ids: readonly number[]; readonly newest: number }> {
    const found = await db.first<{ ids: number[] | null; newest: number | null }>(
      `select array_agg(g.id order by g.last_modified, g.id) as ids, max(g.last_modified) as newest from (
         select t.id, t.last_modified from document_tombstone t cross join ${NAMED_PARAMETERS}
         where t.context_id = $1 and t.folder_id = $${FIRST} and t.last_modified > $${FIRST + 1} and ${READABLE_TOMBSTONE}
         union all
         select d.id, d.last_modified from document d
         where d.context_id = $1 and d.folder_id = $${FIRST} and $${FIRST + 2} and not ${READABLE_IN_FOLDER}
         limit $${FIRST + 3}) g`,
      ...valuesOf(reader),
      question.folderId,
      question.since,
      question.rightsChanged,
      question.maxRows,
    );
    return { ids: found?.ids ?? [], newest: found?.newest ?? 0 };
  }

  /** Ids of documents that are no longer shared with the reader since a stamp. */
  async listUnshared(
    db: Reader,
    reader: DocumentReader,
    since: number,
    maxRows: number,
  ): Promise<{ readonly ids: readonly number[]; readonly newest: number }> {
    const found = await db.first<{ ids: number[] | null; newest: number | null }>(
      `select array_agg(g.id order by g.newest, g.id) as ids, max(g.newest) as newest from (
         select t.document_id as id, max(t.last_modified) as newest from permission_tombstone t
         cross join ${NAMED_PARAMETERS}
         where t.context_id = $1 and t.last_modified > $${FIRST} and ${PERMISSION_OF_READER}
           and not exists (select from document d where d.context_id = $1 and d.id = t.document_id and ${SHARED_WITH_READER})
         group by t.document_id limit $${FIRST + 1}) g`,
      ...valuesOf(reader),
      since,
      maxRows,
    );
    return { ids: found?.ids ?? [], newest: found?.newest ?? 0 };
  }

  /** When rights of the reader on documents, or members of groups that have some, changed last; 0 for never. */
  async getSharingStamp(db: Reader, reader: DocumentReader): Promise<number> {
    const found = await db.first<{ newest: number }>(
      `select coalesce(max(t.last_modified), 0) as newest from permission_tombstone t cross join ${NAMED_PARAMETERS}
       where t.context_id = $1 and ${PERMISSION_OF_READER}`,
      ...valuesOf(reader),
    );
    return found!.newest;
  }

  /** Users who created or changed documents that the filter lets through: for lists that are sorted by their names. */
  async listAuthors(db: Reader, reader: DocumentReader, filter: DocumentFilter): Promise<number[]> {
    const rows = await db.rows(
      `select distinct x.author from document d ${CURRENT} cross join ${NAMED_PARAMETERS}
       cross join lateral (values (d.created_by), (d.modified_by)) as x (author)
       where d.context_id = $1 and (${filter.where})`,
      ...valuesOf(reader),
      ...filter.values,
    );
    return rows.map(([author]) => author as number);
  }
}
