// The month view at its least: single appointments of the range and series that may touch it, as arrays; weekly series are
// expanded here, on the wall clock of their zone. No rules but these, no positions, no permissions.
import { COLUMNS } from './table.mjs';

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

const zones = new Map();

/** Changes of the clocks of a zone from 2020 to 2040, found by asking ICU, with the offsets after them. */
function zoneOf(name) {
  let zone = zones.get(name);
  if (zone) return zone;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const read = (ms) => {
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(ms));
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  };
  zone = { starts: [-Infinity], offsets: [read(Date.UTC(2020, 0, 1))] };
  for (let hour = Date.UTC(2020, 0, 1); hour < Date.UTC(2040, 0, 1); hour += 3_600_000) {
    const offset = read(hour);
    if (offset === zone.offsets.at(-1)) continue;
    zone.starts.push(hour);
    zone.offsets.push(offset);
  }
  zones.set(name, zone);
  return zone;
}

function offsetAt({ starts, offsets }, ms) {
  let index = starts.length - 1;
  while (starts[index] > ms) index--;
  return offsets[index];
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
    const zone = zoneOf(row[ZONE]);
    const length = row[END] - start;
    const wall = start + offsetAt(zone, start);
    const count = row[COUNT] ?? Infinity;
    for (let index = Math.max(0, Math.floor((from - length - start) / WEEK) - 1); index < count; index++) {
      const local = wall + index * WEEK;
      const instant = local - offsetAt(zone, local - offsetAt(zone, local));
      if (instant >= to) break;
      if (instant < from || row[GONE].includes(Math.floor(local / 86_400_000) * 86_400_000)) continue;
      const copy = row.slice(0, COUNT);
      copy[START] = instant;
      copy[END] = instant + length;
      found.push(copy);
    }
  }
  return found.sort((left, right) => left[START] - right[START]);
}
