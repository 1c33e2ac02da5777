import { grantedRights } from '@groupware/folders';
import type { Columns } from '@groupware/persistence';
import type { AppointmentData } from '@groupware/contracts';
import { appointmentColumns, SHOWN_START } from './appointment.columns';

/**
 * The statements of the range view. Parameters: $2 user, $3 groups, $4 folder, $5/$6 instants, $7/$8 wall-clock bounds,
 * $9 most rows, $10 to $13 zone tables of the times and of the stamps.
 */
const LONGEST_SHORT_MS = 3_024_000_000;

/** What decides about the text of a range statement besides the columns. */
export interface RangeShape {
  /** One folder, or everything the user takes part in. */
  readonly folder: boolean;
  readonly mode: 'contained' | 'overlap';
}

interface Source {
  readonly from: string;
  /** Alias of the table that has the times in its index. */
  readonly times: 'a' | 't';
  readonly where: string;
  readonly columns: Columns<AppointmentData>;
}

const LOW = 'least($5::bigint, $7::bigint)';
const HIGH = 'greatest($6::bigint, $8::bigint)';
const FROM = 'case when a.floating then $7::bigint else $5::bigint end';
const TO = 'case when a.floating then $8::bigint else $6::bigint end';
const JOIN = 'attendee t join appointment a on a.context_id = $1 and a.id = t.appointment_id';

const IN_FOLDER = { folder: 'f.id', calendarUser: '(case when f.type = 1 then f.created_by else $2::int end)' };
// Rank 2 and more reads all objects, rank 1 those one made; private ones are for the owner of the calendar only.
const READABLE = `(f.granted & 16256 >= 256 or f.granted & 16256 = 128 and a.created_by = $2)
  and (a.classification = 0 or f.type = 1 and f.created_by = $2 or a.created_by = $2)`;

const folderSources: readonly Source[] = [
  {
    from: 'appointment a',
    times: 'a',
    where: `a.context_id = $1 and a.folder_id = $4 and ${READABLE}`,
    columns: appointmentColumns(IN_FOLDER),
  },
  {
    from: JOIN,
    times: 't',
    where: `t.context_id = $1 and t.folder_id = $4 and not t.hidden and ${READABLE}`,
    columns: appointmentColumns(IN_FOLDER),
  },
];

const OWN_FOLDERS = '(select o.id from folder o where o.context_id = $1 and o.created_by = $2 and o.type = 1)';
const userSources: readonly Source[] = [
  {
    from: 'appointment a',
    times: 'a',
    where: `a.context_id = $1 and a.folder_id in ${OWN_FOLDERS}`,
    columns: appointmentColumns({ folder: 'a.folder_id', calendarUser: '$2' }),
  },
  {
    from: JOIN,
    times: 't',
    where: `t.context_id = $1 and t.folder_id in ${OWN_FOLDERS} and not t.hidden`,
    columns: appointmentColumns({ folder: 't.folder_id', calendarUser: '$2' }),
  },
  {
    from: JOIN,
    times: 't',
    where: `t.context_id = $1 and t.entity = $2 and t.type = 1 and not t.direct and t.folder_id is null and not t.hidden`,
    columns: appointmentColumns({ folder: 'a.folder_id', calendarUser: '$2' }),
  },
];

/** Conditions on the times of single rows; several ones are alternatives that exclude each other. */
function timeConditions(shape: RangeShape, { times }: Source): string[] {
  const series = times === 'a' ? 'not a.is_series' : 'not t.is_series';
  if (shape.mode === 'contained')
    return [
      `${series} and ${times}.start_ms >= ${LOW} and ${times}.start_ms < ${HIGH}
       and a.start_ms >= ${FROM} and a.start_ms < ${TO} and a.end_ms <= ${TO}`,
    ];
  const overlap = `${series} and ${times}.start_ms < ${HIGH} and a.start_ms < ${TO} and (a.end_ms > ${FROM} or a.start_ms >= ${FROM})`;
  if (times === 't') return [overlap];
  // Nearly all appointments are short: an index on their start serves them, another one the few long ones.
  return [
    `${overlap} and a.start_ms > ${LOW} - ${LONGEST_SHORT_MS} and a.end_ms - a.start_ms <= ${LONGEST_SHORT_MS}`,
    `${overlap} and a.end_ms > ${LOW} and a.end_ms - a.start_ms > ${LONGEST_SHORT_MS}`,
  ];
}

const seriesCondition = ({ times }: Source): string =>
  `${times}.is_series and ${times}.start_ms < ${HIGH} and ${times}.range_end_ms >= ${LOW}`;

/** Rows as one text, in order, parted by a comma and a line feed, which no JSON value contains. */
function rowTexts(shape: RangeShape, sources: readonly Source[], columns: readonly string[]): string {
  const parts = sources.flatMap((source) =>
    timeConditions(shape, source).map(
      (
        times,
      ) => `select a.id, a.last_modified, ${SHOWN_START} as shown, ${source.columns.jsonArray(columns)}::text as cells
        from ${source.from} where ${source.where} and ${times}`,
    ),
  );
  return `select string_agg(r.cells, E',\\n' order by r.shown, r.id) as cells, count(*)::int as count,
      coalesce(max(r.last_modified), 0) as newest, string_agg(r.shown::text, ',' order by r.shown, r.id) as starts,
      string_agg(r.id::text, ',' order by r.shown, r.id) as ids
    from (${parts.join(' union all ')} limit $9) r`;
}

/** What the expansion of a series needs, and its cells. */
function seriesTexts(sources: readonly Source[], columns: readonly string[]): string {
  const parts = sources.map(
    (
      source,
    ) => `select a.id, a.last_modified, a.start_ms, a.end_ms, a.time_zone, a.full_time, a.floating, a.rule, a.rdates,
        a.exdates, a.changes, ${source.columns.jsonArray(columns)}::text as cells
      from ${source.from} where ${source.where} and ${seriesCondition(source)}`,
  );
  return `select json_agg(json_build_array(s.id, s.last_modified, s.start_ms, s.end_ms, s.time_zone, s.full_time, s.floating,
      s.rule, s.rdates, s.exdates, s.changes, s.cells::json) order by s.id)::text as series
    from (${parts.join(' union all ')}) s`;
}

const statements = new Map<string, string>();
const MAX_STATEMENTS = 1_000;

/** The one statement of the range view: what the user may do in the folder, single rows as text, series to expand. */
export function rangeStatement(shape: RangeShape, columns: readonly string[]): string {
  const key = `${shape.folder} ${shape.mode} ${columns.join()}`;
  let text = statements.get(key);
  if (!text) {
    text = build(shape, columns);
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    statements.set(key, text);
  }
  return text;
}

function build(shape: RangeShape, columns: readonly string[]): string {
  const sources = shape.folder ? folderSources : userSources;
  const folder = shape.folder
    ? `(select f.id, f.type, f.created_by, ${grantedRights({ folder: 'f', user: '$2::int', groups: '$3::int[]' })} as granted
        from folder f where f.context_id = $1 and f.id = $4)`
    : '(select null::int as id, null::int as type, null::int as created_by, null::int as granted)';
  return `select f.type, f.created_by as owner, f.granted, r.cells, r.count, r.newest,
      case when m.series is not null then r.starts end as starts, case when m.series is not null then r.ids end as ids, m.series,
      coalesce((select c.last_stamp from appointment_counter c where c.context_id = $1), 0) as stamp
    from ${folder} f
    cross join (select $2::int, $3::int[], $4::int, $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[]) as named
    cross join lateral (${rowTexts(shape, sources, columns)}) r
    cross join lateral (${seriesTexts(sources, columns)}) m`;
}
