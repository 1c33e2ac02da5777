// The month view at its least: single appointments of the range and series that may touch it, as arrays; weekly series are
// expanded here, on the wall clock of their zone. No rules but these, no positions, no permissions.
import { COLUMNS } from './table.mjs';
import { weeklyStarts } from './weekly.mjs';

const names = COLUMNS.map(([, name]) => name);
const START = names.indexOf('start_date');
const END = names.indexOf('end_date');
const ZONE = names.indexOf('timezone');
const COUNT = names.length;
const GONE = names.length + 1;
const WEEK = 7 * 86_400_000;

const select = `select ${names.join(', ')}, occurrences, gone from bench_minimum.month where folder_id = $1`;
/** $1 folder, $2 start, $3 end, ms. */
export const MONTH = `${select} and series_end is null and start_date < $3 and start_date >= $2
  union all ${select} and series_end > $2 and start_date < $3`;

/** Makes the table and fills it with what the system answered: rows, then occurrences and deleted days of series. */
export async function fillMonth(client, rows) {
  await client.query(`create table bench_minimum.month (like bench_minimum.appointment,
    occurrences int, gone bigint[], series_end bigint)`);
  const types =
    'text text text bigint bigint text boolean int boolean int text int bigint jsonb int text text bigint bigint text';
  const cells = names.map((_name, index) => `(r->>${index})::${types.split(' ')[index]}`).join(', ');
  const type = names.indexOf('recurrence_type');
  await client.query(
    `insert into bench_minimum.month select ${cells}, (r->>${COUNT})::int,
       array(select jsonb_array_elements_text(nullif(r->${GONE}, 'null'))::bigint),
       case when (r->>${type})::int > 0 then coalesce((r->>${START})::bigint + ((r->>${COUNT})::int + 1) * ${WEEK}::bigint, 1e15) end
     from jsonb_array_elements($1::jsonb) r`,
    [JSON.stringify(rows)],
  );
  await client.query('create index on bench_minimum.month (folder_id, start_date) where series_end is null');
  await client.query('create index on bench_minimum.month (folder_id, series_end) where series_end is not null');
  await client.query('analyze bench_minimum.month');
}

/** Rows of a month in order. */
export function expandMonth(rows, from, to) {
  const found = [];
  for (const row of rows) {
    const start = row[START];
    if (row[names.indexOf('recurrence_type')] === 0) {
      found.push(row.slice(0, COUNT));
      continue;
    }
    const length = row[END] - start;
    const series = { start, zone: row[ZONE], count: row[COUNT], gone: row[GONE] };
    for (const instant of weeklyStarts(series, from, to)) {
      const copy = row.slice(0, COUNT);
      copy[START] = instant;
      copy[END] = instant + length;
      found.push(copy);
    }
  }
  return found.sort((left, right) => left[START] - right[START]);
}
