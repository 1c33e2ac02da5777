import { Injectable } from '@nestjs/common';
import type { ContactBirthday, ContactData, UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import type {
  GoneObjects,
  GoneQuestion,
  ObjectFilter,
  ObjectRow,
  ObjectRows,
  ReadableFolders,
} from '@groupware/folders';
import {
  collationOf,
  contactColumns,
  expandColumns,
  NAMED_PARAMETERS,
  orderText,
  readable,
  readableIn,
  type ContactOrder,
} from './contact.columns';

/** A reader with the readable folders. */
export interface ContactReader {
  readonly user: UserPrincipal;
  readonly readable: ReadableFolders;
  /** Name of the zone of the request. */
  readonly zone: string;
  /** Path before the paths of pictures. */
  readonly basePath: string;
  /** Folders are answered with their account. */
  readonly hasAccountIds: boolean;
}

const columnsFor = ({ user, hasAccountIds }: ContactReader) => contactColumns(collationOf(user.locale), hasAccountIds);

/** A condition on `contact a`; its parameters are numbered from `$8` on. */
export interface ContactFilter extends ObjectFilter {
  /** The only folder whose contacts meet it. */
  readonly folderId?: number;
}

/** A question for rows. */
export interface ContactQuestion extends ContactOrder {
  readonly columns: readonly string[];
  readonly filter: ContactFilter;
  /** Instead of the order that the request names. */
  readonly orderBy?: string;
  /** Number of the first row that is wanted, from 0. */
  readonly from: number;
  readonly maxRows: number;
  /** There may be more rows, which are not wanted; otherwise too many of them are an error. */
  readonly isPart: boolean;
}

/** The number of the first parameter of a filter. */
export const FIRST_FILTER_PARAMETER = 8;

/** The first values of all statements. */
const valuesOf = ({ user, readable: { all, own, owned }, zone, basePath }: ContactReader): unknown[] => [
  user.userId,
  zone,
  basePath,
  all,
  own,
  owned,
];

/**
 * Limits rows that are all wanted, unless there are too many, without Postgres knowing when it sorts: for a number of rows it
 * gives up its short keys of texts, and may prefer a plan whose first rows come soon. A condition in between stops both.
 */
const limitUnseen = (ordered: string, maxRows: number): string =>
  `select s.* from (${ordered} offset 0) s where s.cells is not null limit ${Number(maxRows)}`;

/**
 * Ids of contacts of a folder that are gone since a stamp. A text for either case: one for both was planned anew at every call, which
 * cost ten times as much as what it found.
 */
const goneStatement = (rightsChanged: boolean): string => {
  const parts = [
    `select t.id, t.last_modified from contact_tombstone t cross join ${NAMED_PARAMETERS}
     where t.context_id = $1 and t.folder_id = $8 and t.last_modified > $9
       and (${rightsChanged} or t.folder_id = any($5::int[]) or t.created_by = $2::int)
       and (not t.is_private or t.created_by = $2::int or t.folder_id = any($7::int[]))`,
    `select h.id, h.last_modified from contact_hidden h
     where h.context_id = $1 and h.folder_id = $8 and h.last_modified > $9
       and (${rightsChanged} or h.folder_id = any($5::int[])) and h.created_by <> $2::int and h.folder_id <> all($7::int[])
       and not exists (select from contact a where a.context_id = $1 and a.id = h.id and a.folder_id = $8 and ${readable('a')})`,
  ];
  if (rightsChanged)
    parts.push(`select a.id, a.last_modified from contact a
      where a.context_id = $1 and a.folder_id = $8 and a.created <= $9 and not a.is_private and not (${readable('a')})`);
  return `select array_agg(g.id order by g.last_modified, g.id) as ids, max(g.last_modified) as newest from (
    select u.id, max(u.last_modified) as last_modified from (${parts.join(' union all ')}) u group by u.id limit $10) g`;
};
const [GONE, GONE_SINCE_RIGHTS_CHANGED] = [goneStatement(false), goneStatement(true)];

/** Reads contacts as clients see them: one statement each, whatever the number of rows. */
@Injectable()
export class ContactViewRepository {
  /** Rows that the reader may read. */
  async listRows(db: Reader, reader: ContactReader, question: ContactQuestion): Promise<ObjectRows> {
    const { columns, filter, from, maxRows, isPart } = question;
    const { locale } = reader.user;
    const isReadable = filter.folderId === undefined ? readable('a') : readableIn(filter.folderId, reader.readable);
    const first = FIRST_FILTER_PARAMETER + filter.values.length;
    const ordered = `select ${columnsFor(reader).jsonArray(expandColumns(columns))}::text as cells, a.last_modified
      from contact a cross join ${NAMED_PARAMETERS}
      where a.context_id = $1 and ${isReadable} and (${filter.where})
      order by ${question.orderBy ?? orderText(question, locale)}`;
    const row = await db.first<ObjectRows>(
      `select '[' || coalesce(string_agg(r.cells, ','), '') || ']' as rows, count(*)::int as count,
         coalesce(max(r.last_modified), 0) as newest
       from (${isPart ? `${ordered} offset $${first} limit $${first + 1}` : limitUnseen(ordered, maxRows)}) r`,
      ...valuesOf(reader),
      ...filter.values,
      ...(isPart ? [from, maxRows] : []),
    );
    return row!;
  }

  /** Rows by id, each with its id; contacts that are missing, elsewhere or not readable are left out. */
  async listRowsByIds(
    db: Reader,
    reader: ContactReader,
    columns: readonly string[],
    references: readonly { readonly id: number; readonly folderId: number }[],
  ): Promise<ObjectRow[]> {
    return db.objects(
      `select a.id, a.folder_id as "folderId",
         ${columnsFor(reader).jsonArray(expandColumns(columns))}::text as cells,
         a.last_modified as "lastModified"
       from (select distinct x.id, x.folder_id from unnest($8::int[], $9::int[]) as x (id, folder_id)) w
       join contact a on a.context_id = $1 and a.id = w.id and a.folder_id = w.folder_id
       cross join ${NAMED_PARAMETERS} where ${readable('a')}`,
      ...valuesOf(reader),
      references.map(({ id }) => id),
      references.map(({ folderId }) => folderId),
    );
  }

  /** The birthdays of contacts that the reader may read, in the order of their ids. */
  async listBirthdays(db: Reader, reader: ContactReader, limit: number): Promise<ContactBirthday[]> {
    return db.objects<ContactBirthday>(
      `select a.id, coalesce(a.display_name, nullif(concat_ws(' ', a.first_name, a.last_name), ''), a.company, a.email1, '') as name,
         a.birthday
       from contact a cross join ${NAMED_PARAMETERS}
       where a.context_id = $1 and ${readable('a')} and a.birthday is not null and not a.is_list
       order by a.id limit $8`,
      ...valuesOf(reader),
      limit,
    );
  }

  /** One contact as the model says, fields without value left out. It is not checked whether the user may read it. */
  async findData(db: Reader, reader: ContactReader, id: number): Promise<ContactData | undefined> {
    const row = await db.first<Record<string, unknown>>(
      `select ${columnsFor(reader).all()} from contact a cross join ${NAMED_PARAMETERS}
       where a.context_id = $1 and a.id = $8`,
      ...valuesOf(reader),
      id,
    );
    if (!row) return undefined;
    // Objects do not tell what contacts are sorted by.
    return Object.fromEntries(
      Object.entries(row).filter(([name, value]) => value !== null && name !== 'special_sorting'),
    );
  }

  /**
   * Ids of contacts of a folder that are gone for the reader since a stamp: deleted, moved away, made private, or (when his
   * rights changed since) no longer covered by them. Of contacts that were private before he hears nothing.
   */
  async listGone(
    db: Reader,
    reader: ContactReader,
    { folderId, since, rightsChanged, maxRows }: GoneQuestion,
  ): Promise<GoneObjects> {
    const found = await db.first<{ ids: number[] | null; newest: number | null }>(
      rightsChanged ? GONE_SINCE_RIGHTS_CHANGED : GONE,
      ...valuesOf(reader),
      folderId,
      since,
      maxRows,
    );
    return { ids: found?.ids ?? [], newest: found?.newest ?? 0 };
  }
}
