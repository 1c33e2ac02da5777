import { columnNamesOf, RequestErrors, TASK_COLUMN_ALIASES, TaskData } from '@groupware/contracts';
import { columnsOf, type ColumnSql } from '@groupware/persistence';
import { TEXT_FIELDS, type TextField } from '../domain/task';

/**
 * First parameters of all statements with columns of tasks; the context is `$1`. Arrays are folders: in which the reader
 * reads all tasks, in which own ones, and which the reader owns.
 */
const VIEW_PARAMETERS = {
  user: '$2::int',
  zone: '$3::text',
  all: '$4::int[]',
  own: '$5::int[]',
  owned: '$6::int[]',
} as const;

/** The number of the first parameter of a filter. */
export const FIRST_FILTER_PARAMETER = 7;

/** Gives every parameter its type, also where a statement does not use it. */
export const NAMED_PARAMETERS = `(select ${Object.values(VIEW_PARAMETERS).join(', ')}) as named`;

const { user, zone, all, own, owned } = VIEW_PARAMETERS;

/** Condition: the reader may read the task `a` in the folder of the link `l`. */
export const READABLE = `(l.folder_id = any(${all}) or l.folder_id = any(${own}) and a.created_by = ${user})
  and (not a.is_private or a.created_by = ${user} or l.folder_id = any(${owned}))`;

/** Condition: the reader reads the task in no folder before that of the link `l`. */
export const IN_FIRST_FOLDER = `not exists (select from task_folder o
  where o.context_id = $1 and o.task_id = a.id and o.folder_id < l.folder_id
    and (o.folder_id = any(${all}) or o.folder_id = any(${own}) and a.created_by = ${user}))`;

/** Condition: the reader may know of a tombstone `t`. Also of private tasks: they may have been seen before they became so. */
export const READABLE_TOMBSTONE = `(t.folder_id = any(${all}) or t.created_by = ${user})`;

/** Shifts a time to the zone of the request. */
const toRequestZone = (column: string): string =>
  `(${column} + (1000 * date_part('epoch', (to_timestamp(${column} / 1000.0) at time zone ${zone}) - (to_timestamp(${column} / 1000.0) at time zone 'UTC')))::bigint)`;

/** A day of a whole-day task, else a time on the clock of the request. */
const dayOrTime = (column: string): string =>
  `case when a.full_time then floor(${column} / 86400000.0)::bigint * 86400000 else ${toRequestZone(column)} end`;

const ofParticipants = (object: string, condition: string): string =>
  `case when a.is_delegated then (select json_agg(json_strip_nulls(json_build_object(${object})) order by p.position)
    from task_participant p where p.context_id = a.context_id and p.task_id = a.id and not p.removed and ${condition}) end`;

const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, `a.${name}`])) as Record<TextField, string>;

const SQL: ColumnSql<TaskData> = {
  ...texts,
  id: 'a.id::text',
  created_by: 'a.created_by::text',
  modified_by: 'a.modified_by::text',
  creation_date: toRequestZone('a.created'),
  // A timestamp, not a time: no zone shifts it.
  last_modified: 'a.last_modified',
  last_modified_utc: 'a.last_modified',
  folder_id: 'l.folder_id::text',
  private_flag: 'a.is_private',
  color_label: 'a.color',
  number_of_attachments: 'a.attachments',
  lastModifiedOfNewestAttachmentUTC: 'a.newest_attachment',
  start_date: 'a.start_ms',
  end_date: 'a.end_ms',
  alarm: `(select ${toRequestZone('r.alarm_ms')} from task_reminder r
    where r.context_id = a.context_id and r.task_id = a.id and r.user_id = ${user})`,
  recurrence_type: 'a.recurrence_type',
  days: 'a.recurrence_days',
  day_in_month: 'a.recurrence_day_in_month',
  month: 'a.recurrence_month',
  interval: 'a.recurrence_interval',
  until: 'a.recurrence_until',
  notification: null,
  participants: ofParticipants(
    `'type', p.type, 'id', p.entity, 'mail', case when p.type = 5 then p.mail end, 'display_name', p.display_name`,
    'p.listed',
  ),
  users: ofParticipants(
    `'id', p.entity, 'display_name', p.display_name, 'confirm', p.confirm, 'confirmmessage', p.message`,
    'p.type = 1',
  ),
  occurrences: 'a.recurrence_occurrences',
  uid: 'a.uid',
  sequence: 'case when a.is_delegated or a.sequence > 0 then a.sequence end',
  confirmations: ofParticipants(
    `'type', p.type, 'mail', p.mail, 'display_name', p.display_name, 'status', p.confirm, 'message', p.message`,
    'p.type = 5',
  ),
  organizerId: 'a.organizer_id',
  principalId: 'a.principal_id',
  status: 'a.status',
  percent_completed: 'a.percent',
  actual_costs: 'a.actual_costs::float8',
  actual_duration: 'a.actual_duration::text',
  after_complete: 'a.after_complete',
  target_costs: 'a.target_costs::float8',
  target_duration: 'a.target_duration::text',
  priority: 'a.priority',
  date_completed: 'a.date_completed',
  start_time: dayOrTime('a.start_ms'),
  end_time: dayOrTime('a.end_ms'),
  full_time: 'a.full_time',
};

/** The columns of a task `a` in the folder of the link `l`. */
export const taskColumns = columnsOf(TaskData, SQL);

const { known, expand } = columnNamesOf(TaskData, TASK_COLUMN_ALIASES, '217');

/** Column numbers or names with aliases spelt out. @throws SVL-0010 for what is no number and no name */
export const expandColumns = expand;

const TEXTS: ReadonlySet<string> = new Set([...TEXT_FIELDS, 'uid']);
const SORTED: Readonly<Record<string, string>> = {
  id: 'a.id',
  created_by: 'a.created_by',
  modified_by: 'a.modified_by',
  folder_id: 'l.folder_id',
  start_time: 'a.start_ms',
  end_time: 'a.end_ms',
  actual_duration: 'a.actual_duration',
  target_duration: 'a.target_duration',
};
const UNSORTABLE: ReadonlySet<string> = new Set(['participants', 'users', 'confirmations']);

/** The text behind `order by`: ids unless something else is asked. @throws SVL-0010 for a column without order */
export function orderText(sort: string | undefined, order: string | undefined): string {
  if (!sort) return order?.toLowerCase() === 'desc' ? 'a.id desc' : 'a.id';
  if (!known.has(sort)) throw RequestErrors.badParameter('sort', sort);
  const { property } = taskColumns.field(sort);
  const expression = SORTED[property] ?? taskColumns.expression(property as keyof TaskData & string);
  if (expression === undefined || UNSORTABLE.has(property)) throw RequestErrors.badParameter('sort', sort);
  const value = TEXTS.has(property) ? `lower(${expression} collate "und-x-icu")` : expression;
  return `${value} ${order?.toLowerCase() === 'desc' ? 'desc nulls last' : 'asc nulls first'}, a.id`;
}
