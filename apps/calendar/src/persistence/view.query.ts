import { grantedRights } from '@groupware/folders';
import { resolveRowTemplate } from '../domain/row-template';
import {
  RDATE_PERIODS,
  SKIPPED_START,
  VARIABLE_OFFSETS,
  shownEnd,
  shownStart,
  type FixedOffsets,
} from './appointment.columns';
import { APPOINTMENT, BRIEF_APPOINTMENT } from './appointment.repository';
import { folderSources, otherSources, OWN_FOLDERS, publicSources, userSources, type ViewSource } from './view-sources';

/** Parameters of the statements of views, in the order of their numbers from $2 on. */
export interface ViewParameters {
  readonly user: number;
  readonly groups: readonly number[];
  readonly folder: number | readonly number[] | null;
  /** Instants. */
  readonly from: number | null;
  readonly to: number | null;
  /** The same on the wall. */
  readonly localFrom: number | null;
  readonly localTo: number | null;
  readonly maxRows: number;
  /** Clocks of times: one offset, or arrays of Postgres of when it changes and what it is then. */
  readonly times: number | string;
  readonly timeOffsets: string | null;
  /** Clocks of stamps. */
  readonly stamps: number | string;
  readonly stampOffsets: string | null;
  /** Of the title. */
  readonly pattern: string | null;
  readonly since: number | null;
}

/** The values of parameters by their numbers. */
export const viewValues = (view: ViewParameters): unknown[] => [
  view.user,
  view.groups,
  view.folder,
  view.from,
  view.to,
  view.localFrom,
  view.localTo,
  view.maxRows,
  view.times,
  view.timeOffsets,
  view.stamps,
  view.stampOffsets,
  view.pattern,
  view.since,
];

const LONGEST_SHORT_MS = 3_024_000_000;

/** Everything but the columns that determines the text of a view statement. */
export interface ViewShape {
  /** One folder, several ones each for itself (`$4` has their ids then), or everything the user takes part in. */
  readonly folder: boolean | 'each';
  /** Besides that, what the user may read in public folders, or in those of others, too. */
  readonly others?: 'public' | 'shared';
  /** Appointments in the range, those that touch it, or all of them. */
  readonly times: 'contained' | 'overlap' | 'any';
  /** Only those with a title like the pattern, or changed after the stamp. */
  readonly filter?: 'title' | 'changed';
  /** Confidential appointments of others are in the view, without their details. */
  readonly anonymous?: boolean;
  /** The earliest rows when there are too many, instead of any. */
  readonly earliest?: boolean;
  /** Of events: without what lists seldom ask for, and of attendees only the calendar user. */
  readonly brief?: boolean;
  /** Includes deletions since the stamp. */
  readonly deleted?: boolean;
  /** Without a folder: what the user reads in public folders, instead of what he takes part in. */
  readonly allPublic?: boolean;
  /** Offsets given as numbers instead of tables; default: none. */
  readonly clocks?: FixedOffsets;
}

/** One way into the view: a source, who sees it there, and in which columns. */
export interface ViewPart extends ViewSource {
  readonly where: string;
  /** Only times are shown. */
  readonly hidesDetails?: boolean;
}

const LOW = 'least($5::bigint, $7::bigint)';
const HIGH = 'greatest($6::bigint, $8::bigint)';
const FROM = 'case when a.floating then $7::bigint else $5::bigint end';
const TO = 'case when a.floating then $8::bigint else $6::bigint end';
const TOUCHES = `a.start_ms < ${TO} and (a.end_ms > ${FROM} or a.start_ms >= ${FROM})`;
const FILTERS = { title: 'a.title ilike $14', changed: 'a.last_modified > f.since', none: 'true' } as const;

// `offset 0` keeps the folder a step of its own: its permissions are worked out once, not at every place that asks.
const folderWhere = (
  which: string,
): string => `(select g.*, g.granted & 16256 >= 256 as reads_all, g.granted & 16256 = 128 as reads_own,
    case when g.access > $15::bigint and not g.own then 0 else $15::bigint end as since
  from (select f.id, f.type, f.created_by, f.type = 1 and f.created_by = $2::int as own, coalesce(x.stamp, 0) as access,
      ${grantedRights({ folder: 'f', user: '$2::int', groups: '$3::int[]' })} as granted
    from folder f left join folder_access x on x.context_id = $1 and x.folder_id = f.id
    where f.context_id = $1 and ${which} offset 0) g offset 0)`;
const FOLDER = folderWhere('f.id = $4');
const FOLDERS = folderWhere('f.id = any($4::int[])');
const NO_FOLDER = `(select null::int as id, null::int as type, null::int as created_by, null::int as granted,
  0 as access, $15::bigint as since)`;
/** One row that tells in which public folders, and folders of others, the user reads all, or something, and is subscribed. */
const otherFolders = (
  which: 'public' | 'shared',
): string => `(select null::int as id, null::int as type, null::int as created_by,
    null::int as granted, 0 as access, $15::bigint as since, false as own,
    coalesce(array_agg(g.id), '{}') as readable,
    coalesce(array_agg(g.id) filter (where g.granted & 16256 >= 256), '{}') as read_all
  from (select o.id, ${grantedRights({ folder: 'o', user: '$2::int', groups: '$3::int[]' })} as granted
    from folder o where o.context_id = $1 and ${which === 'public' ? 'o.type = 2' : '(o.type = 2 or o.created_by <> $2::int)'}
      and o.id in (select p.folder_id from folder_permission p where p.context_id = $1
        and (p.is_group and p.entity = any($3::int[]) or not p.is_group and p.entity = $2::int))
      and not exists (select from folder_unsubscribed u
        where u.context_id = $1 and u.user_id = $2 and u.folder_id = o.id and not u.subscribed) offset 0) g
  where g.granted & 127 > 0 and g.granted & 16256 > 0)`;
/** One row without use but this: a parameter that a shape does not use has its type from here. */
export const nameParameters = (
  { times, stamps }: FixedOffsets,
  isEach = false,
): string => `(select $2::int, $3::int[], $4::int${isEach ? '[]' : ''}, $5::bigint, $6::bigint,
  $7::bigint, $8::bigint, $10::bigint${times ? '' : '[]'}, $11::bigint[], $12::bigint${stamps ? '' : '[]'}, $13::bigint[],
  $14::text, $15::bigint) as named`;

/** The ways into a view that exclude each other. */
export function partsOf(shape: ViewShape): ViewPart[] {
  const sources = shape.folder
    ? folderSources(shape.clocks, shape.folder === 'each' ? 'f.id' : '$4')
    : shape.allPublic
      ? publicSources()
      : [...userSources(shape.clocks), ...(shape.others ? otherSources(shape.clocks) : [])];
  const filter = FILTERS[shape.filter ?? 'none'];
  return sources.flatMap((source) => [
    { ...source, where: `${source.member} and ${source.granted} and ${source.open} and ${filter}` },
    ...(shape.anonymous && source.open !== 'true'
      ? [
          {
            ...source,
            columns: source.anonymous,
            hidesDetails: true,
            // The first condition depends on no row: nothing is scanned for the owner of a folder, who sees all.
            where: `not f.own and ${source.member} and ${source.granted} and a.classification = 1 and not ${source.open} and ${filter}`,
          },
        ]
      : []),
  ]);
}

/** Conditions on the times of single rows; several ones are alternatives that exclude each other. */
function timeConditions(shape: ViewShape, { times }: ViewPart): string[] {
  const single = `not ${times}.is_series`;
  if (shape.times === 'any') return [single];
  if (shape.times === 'contained')
    return [
      `${single} and ${times}.start_ms >= ${LOW} and ${times}.start_ms < ${HIGH}
       and a.start_ms >= ${FROM} and a.start_ms < ${TO} and a.end_ms <= ${TO}`,
    ];
  const overlap = `${single} and ${times}.start_ms < ${HIGH} and ${TOUCHES}`;
  if (times === 't') return [overlap];
  // Nearly all appointments are short: an index on their start serves them, another one the few long ones.
  return [
    `${overlap} and a.start_ms > ${LOW} - ${LONGEST_SHORT_MS} and a.end_ms - a.start_ms <= ${LONGEST_SHORT_MS}`,
    `${overlap} and a.end_ms > ${LOW} and a.end_ms - a.start_ms > ${LONGEST_SHORT_MS}`,
  ];
}

const seriesCondition = (shape: ViewShape, { times }: ViewPart): string =>
  shape.times === 'any'
    ? `${times}.is_series`
    : `${times}.is_series and ${times}.start_ms < ${HIGH} and ${times}.range_end_ms >= ${LOW}`;

/**
 * Rows as one JSON array, which is passed on as it is; where there are series `m` to merge with, the places of its rows: what they
 * are sorted by, and how many bytes they have.
 */
function rowArray(shape: ViewShape, columns: readonly string[]): string {
  const parts = partsOf(shape).flatMap((part) =>
    timeConditions(shape, part).map(
      (
        times,
      ) => `select a.id, a.last_modified, ${shownStart(shape.clocks ?? VARIABLE_OFFSETS)} as shown, ${part.columns.jsonArray(columns)}::text as cells
        from ${part.from} where ${part.where} and ${times}`,
    ),
  );
  return `select '[' || coalesce(string_agg(r.cells, ',' order by r.shown, r.id), '') || ']' as rows, count(*)::int as count,
      coalesce(max(r.last_modified), 0) as newest,
      json_agg(json_build_array(r.shown, r.id, octet_length(r.cells)) order by r.shown, r.id)
        filter (where m.series is not null) as places
    from (${parts.join(' union all ')} ${shape.earliest ? 'order by shown, id' : ''} limit $9) r`;
}

/**
 * Series as a JSON array of `SeriesRecord`: the definition is a text that stays the same as long as the series does; cells that
 * differ from occurrence to occurrence are left out.
 */
function seriesArray(shape: ViewShape, columns: readonly string[]): string {
  const { written, dated } = resolveRowTemplate(columns);
  const parts = partsOf(shape).map((part) => {
    const cells = written.map((run) => `${part.columns.jsonArray(run)}::text`).join(', ');
    return `select a.id, json_build_object('id', a.id, 'lastModified', a.last_modified, 'created', a.created,
        'definition', json_build_array(a.start_ms, a.end_ms, a.time_zone, a.full_time, a.floating, a.rule, a.rdates, a.exdates,
          a.changes, ${RDATE_PERIODS}, ${SKIPPED_START}, ${dated ? exceptionsWithout(part, '') : 'null'})::text,
        'cells', json_build_array(${cells})) as record
      from ${part.from} where ${part.where} and ${seriesCondition(shape, part)}`;
  });
  return `select json_agg(s.record order by s.id) as series from (${parts.join(' union all ')}) s`;
}

/**
 * Deletions of a folder since the stamp: what was deleted or left it and did not come back, what became private or
 * is no longer covered by the rights of the user, and with a range, what lies outside of it now.
 */
function deletions(shape: ViewShape): string {
  const fields = 'a.id, a.series_id, a.recurrence_local, a.position, a.last_modified';
  const known = 'a.last_modified > f.since and a.created <= $15::bigint';
  // Objects that the rank never covered are no news, those that it covers no longer are.
  const hidden = folderSources().map(
    ({ from, member, granted, open }) => `select ${fields} from ${from} where ${member} and ${known}
      and (${granted} and not ${open} and ${shape.anonymous ? 'a.classification > 1' : 'true'}
        or f.access > $15::bigint and not ${granted})`,
  );
  const outside =
    shape.times === 'any'
      ? []
      : folderSources().map(
          ({
            from,
            member,
            granted,
            open,
          }) => `select ${fields} from ${from} where ${member} and ${granted} and ${known}
            and (${open} ${shape.anonymous ? 'or a.classification = 1' : ''})
            and not (case when a.is_series then a.start_ms < ${HIGH} and a.range_end_ms >= ${LOW} else ${TOUCHES} end)`,
        );
  const buried = `select a.id, a.series_id, a.recurrence_local, a.position, a.last_modified from tombstone a
    where a.context_id = $1 and a.folder_id = $4 and a.last_modified > $15::bigint
      and not exists (select from appointment b where b.context_id = $1 and b.id = a.id and b.folder_id = $4)
      and not exists (select from attendee p
        where p.context_id = $1 and p.appointment_id = a.id and p.folder_id = $4 and not p.hidden)`;
  return `select json_agg(json_build_array(g.id, g.series_id, g.recurrence_local, g.position, g.last_modified) order by g.last_modified, g.id)
      as deleted, count(*)::int as "deletedCount", coalesce(max(g.last_modified), 0) as "deletedNewest"
    from (${[buried, ...hidden, ...outside].join(' union all ')} limit $9) g`;
}

/** The days from $7 on that single appointments of the user touch, and his series. */
export const DAYS_STATEMENT = daysStatement();

function daysStatement(): string {
  const shape: ViewShape = { folder: false, times: 'overlap' };
  const start = shownStart(VARIABLE_OFFSETS);
  const day = (ms: string): string => `floor((${ms} - $7::bigint) / 86400000.0)::int`;
  const days = partsOf(shape).flatMap((part) =>
    timeConditions(shape, part).map(
      (times) => `select generate_series(greatest(${day(start)}, 0),
          least(${day(`greatest(${shownEnd(VARIABLE_OFFSETS)} - 1, ${start})`)}, $9::int - 1)) as day
        from ${part.from} where ${part.where} and ${times}`,
    ),
  );
  return `select (select array_agg(distinct d.day) from (${days.join(' union all ')}) d) as days, m.series
    from ${NO_FOLDER} f cross join ${nameParameters(VARIABLE_OFFSETS)} cross join lateral (${seriesArray(shape, [])}) m`;
}

const statements = new Map<string, string>();
const MAX_STATEMENTS = 1_000;

/** Original starts of the exceptions of a series `a` of another calendar in which its viewer is no such attendee `h`. */
function exceptionsWithout(
  { folder, calendarUser }: Pick<ViewPart, 'folder' | 'calendarUser'>,
  condition: string,
): string {
  return `case when a.changes is not null and a.folder_id <> ${folder} then (
    select json_agg(x.recurrence_local order by x.recurrence_local)
    from appointment x where x.context_id = $1 and x.series_id = a.id and x.id <> a.id and not exists (
      select from attendee h where h.context_id = $1 and h.appointment_id = x.id and h.type = 1 and h.entity = ${calendarUser}
        ${condition})) end`;
}

/** The one statement of a view: what the user may do in the folder, single rows as JSON, series to expand. */
export function viewStatement(shape: ViewShape, columns: readonly string[]): string {
  const { folder, others, times, filter, anonymous, earliest, deleted, clocks } = shape;
  const key = `${[folder, others, times, filter, anonymous, earliest, deleted, clocks?.times, clocks?.stamps].join()} ${columns.join()}`;
  return statements.get(key) ?? keepStatement(key, build(shape, columns));
}

function keepStatement(key: string, text: string): string {
  if (statements.size >= MAX_STATEMENTS) statements.clear();
  statements.set(key, text);
  return text;
}

/** The folder of a view with what the user may do, or which other folders he reads: one row `f`. */
export function folderOf({ folder, others, allPublic }: ViewShape): string {
  if (folder) return folder === 'each' ? FOLDERS : FOLDER;
  const read = allPublic ? 'public' : others;
  return read ? otherFolders(read) : NO_FOLDER;
}

/** The clock of the series of an exception. */
const SERIES_CLOCK = `case when a.series_id <> a.id then (
  select json_build_object('fullTime', m.full_time, 'floating', m.floating, 'timeZone', m.time_zone)
  from appointment m where m.context_id = $1 and m.id = a.series_id) end`;
/** Original starts of the exceptions of a series that the calendar user `s.viewer` of another calendar does not see. */
const HIDDEN_CHANGES = exceptionsWithout({ folder: 's.shown', calendarUser: 's.viewer' }, 'and not h.hidden');

/** Select list of an event from `appointment a` and `s`, the place in which it is seen. */
const seenEvent = (
  appointment: string,
): string => `${appointment}, s.shown as "shownFolder", s.viewer as "calendarUser", s.anonymous,
  ${SERIES_CLOCK} as clock, ${HIDDEN_CHANGES} as "hiddenChanges"`;
export const SEEN_EVENT = seenEvent(APPOINTMENT);
/**
 * A brief event, with the calendar user's own row `w` among the attendees. Plain columns: JSON of all attendees cost more than all
 * else of a list.
 */
const BRIEF_EVENT = `${seenEvent(BRIEF_APPOINTMENT)}, null as attendees,
  case when exists (select from attendee t where t.context_id = $1 and t.appointment_id = a.id
      and (t.type <> 1 or t.entity is distinct from a.owner)) then true
    when w.confirm is not null or exists (select from attendee t where t.context_id = $1 and t.appointment_id = a.id)
      then false end as "hasOthers",
  w.confirm as "ownConfirm", w.hidden as "ownHidden", w.alarm as "ownAlarm", w.extra as "ownExtra"`;
const OWN_ATTENDEE = `left join attendee w on w.context_id = $1 and w.appointment_id = a.id and w.type = 1
    and w.entity = s.viewer`;

/** The events of a view: single ones, exceptions and series, whole. */
export function eventStatement(shape: ViewShape): string {
  const key = `events ${JSON.stringify(shape)}`;
  return statements.get(key) ?? keepStatement(key, buildEvents(shape));
}

function buildEvents(shape: ViewShape): string {
  const parts = partsOf(shape).flatMap((part) =>
    [...timeConditions(shape, part), seriesCondition(shape, part)].map(
      (
        times,
      ) => `select a.id, ${part.folder} as shown, ${part.calendarUser} as viewer, ${part.hidesDetails ?? false} as anonymous
        from ${part.from} where ${part.where} and ${times}`,
    ),
  );
  const parameters = nameParameters(VARIABLE_OFFSETS, shape.folder === 'each');
  return `select ${shape.brief ? BRIEF_EVENT : SEEN_EVENT} from ${folderOf(shape)} f cross join ${parameters}
    cross join lateral (${parts.join(' union all ')} limit $9) s
    join appointment a on a.context_id = $1 and a.id = s.id ${shape.brief ? OWN_ATTENDEE : ''}`;
}

/** The deletions of a view of a folder, or of all folders of the user, since the stamp. */
export function eventDeletionStatement(shape: ViewShape): string {
  if (shape.folder)
    return `select d.* from ${folderOf(shape)} f cross join ${nameParameters(VARIABLE_OFFSETS)} cross join lateral (${deletions(shape)}) d`;
  return `select json_agg(json_build_array(g.id, g.series_id, g.recurrence_local, g.position, g.last_modified, g.folder_id)
      order by g.last_modified, g.id) as deleted, count(*)::int as "deletedCount"
    from ${nameParameters(VARIABLE_OFFSETS)} cross join lateral (
      select t.* from tombstone t where t.context_id = $1 and t.folder_id in ${OWN_FOLDERS} and t.last_modified > $15::bigint
        and not exists (select from appointment b where b.context_id = $1 and b.id = t.id and b.folder_id = t.folder_id)
        and not exists (select from attendee p
          where p.context_id = $1 and p.appointment_id = t.id and p.folder_id = t.folder_id and not p.hidden)
      limit $9) g`;
}

function build(shape: ViewShape, columns: readonly string[]): string {
  return `select f.type, f.created_by as owner, f.granted, r.rows, r.count, r.newest, r.places, m.series,
      ${shape.deleted ? 'd.deleted, d."deletedCount", d."deletedNewest"' : 'null as deleted, 0 as "deletedCount", 0 as "deletedNewest"'},
      f.access, coalesce(c.last_stamp, 0) as stamp, coalesce(c.forgotten, 0) as forgotten
    from ${folderOf(shape)} f
    cross join ${nameParameters(shape.clocks ?? VARIABLE_OFFSETS)}
    left join appointment_counter c on c.context_id = $1
    cross join lateral (${seriesArray(shape, columns)}) m
    cross join lateral (${rowArray(shape, columns)}) r
    ${shape.deleted ? `cross join lateral (${deletions(shape)}) d` : ''}`;
}
