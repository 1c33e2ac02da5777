import { Injectable } from '@nestjs/common';
import type { TaskData, UserPrincipal } from '@groupware/contracts';
import { containsEach, type BindValue, type Reader } from '@groupware/persistence';
import type {
  GoneObjects,
  GoneQuestion,
  ObjectFilter,
  ObjectRow,
  ObjectRows,
  ReadableFolders,
} from '@groupware/folders';
import {
  expandColumns,
  FIRST_FILTER_PARAMETER,
  NAMED_PARAMETERS,
  orderText,
  READABLE,
  READABLE_TOMBSTONE,
  taskColumns,
} from './task.columns';

/** A reader with the readable folders. */
export interface TaskReader {
  readonly user: Pick<UserPrincipal, 'userId'>;
  readonly readable: ReadableFolders;
  /** Name of the zone of the request. */
  readonly zone: string;
}

/** A question for rows; the condition is on a task `a` in the folder of the link `l`, numbered from `FIRST_FILTER_PARAMETER` on. */
export interface TaskQuestion {
  readonly columns: readonly string[];
  readonly sort: string | undefined;
  readonly order: string | undefined;
  readonly filter: ObjectFilter;
  /** First row wanted, from 0. */
  readonly from: number;
  readonly maxRows: number;
}

/** The first values of all statements. */
const valuesOf = ({ user, readable: { all, own, owned }, zone }: TaskReader): unknown[] => [
  user.userId,
  zone,
  all,
  own,
  owned,
];

/** Reads tasks as clients see them: one statement each, whatever the number of rows. */
@Injectable()
export class TaskViewRepository {
  /** Rows that the reader may read. */
  async listRows(db: Reader, reader: TaskReader, question: TaskQuestion): Promise<ObjectRows> {
    const { columns, filter, from, maxRows, sort, order } = question;
    const first = FIRST_FILTER_PARAMETER + filter.values.length;
    const row = await db.first<ObjectRows>(
      `select '[' || coalesce(string_agg(r.cells, ','), '') || ']' as rows, count(*)::int as count,
         coalesce(max(r.last_modified), 0) as newest
       from (select ${taskColumns.jsonArray(expandColumns(columns))}::text as cells, a.last_modified
         from task_folder l join task a on a.context_id = $1 and a.id = l.task_id cross join ${NAMED_PARAMETERS}
         where l.context_id = $1 and ${READABLE} and (${filter.where})
         order by ${orderText(sort, order)} offset $${first} limit $${first + 1}) r`,
      ...valuesOf(reader),
      ...filter.values,
      from,
      maxRows,
    );
    return row!;
  }

  /** Rows by id and folder; tasks that are missing, elsewhere or not readable are left out. */
  listRowsByIds(
    db: Reader,
    reader: TaskReader,
    columns: readonly string[],
    references: readonly { readonly id: number; readonly folderId: number }[],
  ): Promise<ObjectRow[]> {
    return db.objects(
      `select a.id, l.folder_id as "folderId", ${taskColumns.jsonArray(expandColumns(columns))}::text as cells,
         a.last_modified as "lastModified"
       from (select distinct x.id, x.folder_id from unnest($7::int[], $8::int[]) as x (id, folder_id)) w
       join task_folder l on l.context_id = $1 and l.folder_id = w.folder_id and l.task_id = w.id
       join task a on a.context_id = $1 and a.id = l.task_id
       cross join ${NAMED_PARAMETERS} where ${READABLE}`,
      ...valuesOf(reader),
      references.map(({ id }) => id),
      references.map(({ folderId }) => folderId),
    );
  }

  /** People who take part in tasks of the reader and whose name or address holds each of some texts, by name. */
  listParticipants(
    db: Reader,
    reader: TaskReader,
    texts: readonly string[],
    limit: number,
  ): Promise<{ readonly key: string; readonly name: string }[]> {
    const values: unknown[] = [];
    const bind: BindValue = (value, type) => `$${FIRST_FILTER_PARAMETER - 1 + values.push(value)}::${type}`;
    const name = `coalesce(p.display_name, p.mail)`;
    const matches = containsEach(['p.display_name', 'p.mail'], texts, bind);
    return db.objects(
      `select case p.type when 1 then p.entity::text else p.mail end as key, min(${name}) as name
       from task_folder l join task a on a.context_id = $1 and a.id = l.task_id
       join task_participant p on p.context_id = $1 and p.task_id = a.id and not p.removed and p.type in (1, 5)
       cross join ${NAMED_PARAMETERS} where l.context_id = $1 and ${READABLE} and ${name} is not null and ${matches}
       group by 1 order by 2, 1 limit ${bind(limit, 'int')}`,
      ...valuesOf(reader),
      ...values,
    );
  }

  /** One task as the model says, fields without value left out. It is not checked whether the user may read it. */
  async findData(db: Reader, reader: TaskReader, id: number, folderId: number): Promise<TaskData | undefined> {
    const row = await db.first<Record<string, unknown>>(
      `select ${taskColumns.all()} from task_folder l join task a on a.context_id = $1 and a.id = l.task_id
       cross join ${NAMED_PARAMETERS} where l.context_id = $1 and l.folder_id = $7 and l.task_id = $8`,
      ...valuesOf(reader),
      folderId,
      id,
    );
    return row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  }

  /**
   * Ids of tasks that are gone from a folder for the reader since a stamp: deleted, moved away, no longer delegated, made
   * private, or (when rights changed since) no longer covered by them.
   */
  async listGone(
    db: Reader,
    reader: TaskReader,
    { folderId, since, rightsChanged, maxRows }: GoneQuestion,
  ): Promise<GoneObjects> {
    const found = await db.first<{ ids: number[] | null; newest: number | null }>(
      `select array_agg(g.id order by g.last_modified, g.id) as ids, max(g.last_modified) as newest from (
         select t.id, t.last_modified from task_tombstone t cross join ${NAMED_PARAMETERS}
         where t.context_id = $1 and t.folder_id = $7 and t.last_modified > $8 and ${READABLE_TOMBSTONE}
         union all
         select a.id, a.last_modified from task_folder l join task a on a.context_id = $1 and a.id = l.task_id
         where l.context_id = $1 and l.folder_id = $7 and a.created <= $8 and not (${READABLE})
           and ($9 or l.last_modified > $8 and l.folder_id = any($4::int[]))
         limit $10) g`,
      ...valuesOf(reader),
      folderId,
      since,
      rightsChanged,
      maxRows,
    );
    return { ids: found?.ids ?? [], newest: found?.newest ?? 0 };
  }
}
