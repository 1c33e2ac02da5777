// Events of several calendars at their least: single ones of the range and series that may touch it, as arrays; weekly series
// are expanded here, on the wall clock of their zone. No rules but these, no permissions, no people.
import { offsetAt, weeklyStarts, zoneOf } from './weekly.mjs';

const DAY = 86_400_000;
const PLAIN = ['folder', 'id', 'summary', 'location', 'transp'];
const OTHERS = { timestamp: 'bigint', createdBy: 'json', flags: 'json' };
/** The fields that a web client asks for to show weeks; these events have all of them but the last three. */
export const FIELDS = [
  ...[...PLAIN, ...Object.keys(OTHERS), 'seriesId', 'recurrenceId', 'startDate', 'endDate'],
  ...['color', 'attendeePrivileges', 'rrule'],
];

const STORED = [...PLAIN, ...Object.keys(OTHERS)];
const COLUMNS = STORED.map((name) => `"${name}"`).join(', ');
const TABLE = 'bench_minimum_weeks.event';
const select = `select ${COLUMNS}, start_ms, end_ms, time_zone, occurrences, gone, series_end from ${TABLE} where folder = any($1)`;
/** $1 folders, $2 start, $3 end, ms. */
export const WEEKS = `${select} and series_end is null and start_ms < $3 and end_ms > $2
  union all ${select} and series_end > $2 and start_ms < $3`;

const wallOf = (text) =>
  Date.parse(
    `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 11)}:${text.slice(11, 13)}:${text.slice(13, 15)}Z`,
  );
const instantOf = ({ value, tzid }) => {
  const wall = wallOf(value);
  return wall - offsetAt(zoneOf(tzid), wall - offsetAt(zoneOf(tzid), wall));
};
const textOf = (ms) => {
  const text = new Date(ms).toISOString();
  return `${text.slice(0, 4)}${text.slice(5, 7)}${text.slice(8, 13)}${text.slice(14, 16)}${text.slice(17, 19)}`;
};

/** Makes the table and fills it with events as the system answers them, whole series among them. */
export async function fillWeeks(client, events) {
  await client.query(`drop schema if exists bench_minimum_weeks cascade; create schema bench_minimum_weeks;
    create table ${TABLE} (${PLAIN.map((name) => `"${name}" text`).join(', ')}, ${Object.entries(OTHERS)
      .map(([name, type]) => `"${name}" ${type}`)
      .join(', ')},
      start_ms bigint, end_ms bigint, time_zone text, occurrences int, gone bigint[], series_end bigint)`);
  const rows = events.map(({ rrule, deleteExceptionDates = [], startDate, endDate, ...rest }) => {
    const [start, end] = [instantOf(startDate), instantOf(endDate)];
    const count = Number(/COUNT=(\d+)/.exec(rrule ?? '')?.[1] ?? 0) || null;
    const dayOf = (ms) => Math.floor((ms + offsetAt(zoneOf(startDate.tzid), ms)) / DAY) * DAY;
    const gone = deleteExceptionDates.map((text) => dayOf(wallOf(text)));
    const ends = { start, zone: startDate.tzid, count, gone: [] };
    const last = count === null ? Infinity : Math.max(...weeklyStarts(ends, start, Infinity));
    const seriesEnd = rrule ? Math.min(last + end - start, Number.MAX_SAFE_INTEGER) : null;
    return { ...rest, start, end, zone: startDate.tzid, count, gone, seriesEnd };
  });
  await client.query(
    `insert into ${TABLE} select ${PLAIN.map((name) => `r->>'${name}'`).join(', ')}, ${Object.entries(OTHERS)
      .map(([name, type]) => `(r->>'${name}')::${type}`)
      .join(', ')},
       (r->>'start')::bigint, (r->>'end')::bigint, r->>'zone', (r->>'count')::int,
       array(select jsonb_array_elements_text(r->'gone')::bigint), (r->>'seriesEnd')::bigint
     from jsonb_array_elements($1::jsonb) r`,
    [JSON.stringify(rows)],
  );
  await client.query(`create index on ${TABLE} (folder, start_ms) where series_end is null;
    create index on ${TABLE} (folder, series_end) where series_end is not null; analyze ${TABLE}`);
}

/** Events of each calendar in order. */
export function expandWeeks(rows, folders, from, to) {
  const found = new Map(folders.map((folder) => [folder, []]));
  for (const row of rows) {
    const plain = {};
    for (let index = 0; index < STORED.length; index++) if (row[index] !== null) plain[STORED[index]] = row[index];
    const [start, end, zoneName, count, gone, lastEnd] = row.slice(STORED.length);
    const zone = zoneOf(zoneName);
    const textAt = (ms) => ({ value: textOf(ms + offsetAt(zone, ms)), tzid: zoneName });
    const length = end - start;
    const timesOf = (ms) => ({ startDate: textAt(ms), endDate: textAt(ms + length) });
    const list = found.get(plain.folder);
    if (lastEnd === null) list.push([start, { ...plain, ...timesOf(start) }]);
    else
      for (const instant of weeklyStarts({ start, zone: zoneName, count, gone }, from - length + 1, to)) {
        const flags = [...plain.flags];
        if (instant === start) flags.push('first_occurrence');
        if (count !== null && instant + length >= lastEnd) flags.push('last_occurrence');
        list.push([
          instant,
          { ...plain, flags, seriesId: plain.id, recurrenceId: `${textOf(instant)}Z`, ...timesOf(instant) },
        ]);
      }
  }
  return [...found].map(([folder, list]) => ({
    folder,
    events: list.sort(([left], [right]) => left - right).map(([, event]) => event),
  }));
}
