// npm run bench -- --only freebusy: server time of free/busy questions about many busy people, and how it grows.
import fs from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';
import { cpuOf, memoryOf } from './lib/processes.mjs';
import { administer, createUsers, enter, keep, requireBuild, servers, startSystem } from './lib/system.mjs';

const DAY = 86_400_000;
const FROM = Date.UTC(2026, 4, 4);
const SINGLES = 1_000;
const SERIES = 50;
const GOAL_MS = 150;

const stamp = (ms) => new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, '');

/** 1,000 appointments and 50 weekly series over two years around the four weeks, as iCalendar text. */
function calendarText() {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//bench//EN'];
  for (let index = 0; index < SINGLES + SERIES; index++) {
    const start = FROM - 364 * DAY + ((index * 37) % 728) * DAY + (28 + ((index * 7) % 44)) * 900_000;
    lines.push('BEGIN:VEVENT', `UID:busy-${index}`, 'DTSTAMP:20260101T000000Z', `SUMMARY:Busy ${index}`);
    lines.push(`DTSTART;TZID=Europe/Berlin:${stamp(start)}`, `DTEND;TZID=Europe/Berlin:${stamp(start + 3_600_000)}`);
    if (index >= SINGLES) lines.push(index % 5 === 0 ? 'RRULE:FREQ=WEEKLY' : 'RRULE:FREQ=WEEKLY;COUNT=60');
    lines.push('END:VEVENT');
  }
  return `${[...lines, 'END:VCALENDAR'].join('\r\n')}\r\n`;
}

/** Gives the appointments of one user to others, each moved by some minutes, with rows of their own. */
async function copyToOthers(databaseUrl, contextId, template, others) {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('set search_path to calendar');
  const { rows } = await database.query(
    `select table_name, column_name from information_schema.columns
     where table_schema = 'calendar' and table_name in ('appointment', 'attendee') and is_generated = 'NEVER'
     order by ordinal_position`,
  );
  const columnsOf = (table) => rows.filter((row) => row.table_name === table).map((row) => row.column_name);
  // The first 100 people have everything; of the others what lies far from the four weeks is left out to save time.
  const near = (column) => `(o.n < 100 or s.${column} > ${FROM - 60 * DAY} and s.start_ms < ${FROM + 90 * DAY})`;
  const copy = async (table, changed, condition) => {
    const columns = columnsOf(table);
    await database.query(
      `insert into ${table} (${columns.join(', ')})
       select ${columns.map((column) => changed[column] ?? `s.${column}`).join(', ')}
       from ${table} s, unnest($1::int[]) with ordinality as o (user_id, n)
       where s.context_id = $2 and ${near('range_end_ms')} and ${condition}`,
      [others, contextId],
    );
  };
  // Ids of the template are below 10,000; hidden in the order of the other users.
  const moved = (column) => `case when s.${column} > 4e15 then s.${column} else s.${column} + (o.n % 240) * 60000 end`;
  const times = { start_ms: moved('start_ms'), range_end_ms: moved('range_end_ms') };
  await copy(
    'appointment',
    {
      id: 's.id + o.n * 10000',
      series_id: 's.series_id + o.n * 10000',
      uid: "s.uid || '-' || o.n",
      owner: 'o.user_id',
      created_by: 'o.user_id',
      end_ms: moved('end_ms'),
      ...times,
    },
    `s.owner = ${Number(template)} and s.id < 10000`,
  );
  await copy(
    'attendee',
    { appointment_id: 's.appointment_id + o.n * 10000', entity: 'o.user_id', ...times },
    `s.entity = ${Number(template)} and s.type = 1 and s.appointment_id < 10000`,
  );
  await database.query('analyze appointment, attendee');
  await database.end();
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** CPU time so far of the server processes behind the connections to our database, in µs; undefined when they are elsewhere. */
async function cpuOfDatabase(database) {
  const { rows } = await database.query(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  try {
    return rows.reduce((sum, { pid }) => {
      return sum + Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
    }, 0);
  } catch {
    return undefined;
  }
}

/**
 * Asks one question after the other; ms of each until its last byte is here, CPU time of each part for one, in ms, and memory in
 * MiB afterwards. What the client does with an answer (`verify`) is no time of the server.
 */
async function measure(ask, verify, seconds, parts, database) {
  const cpu = async () => [...parts.map((part) => cpuOf([part])), await cpuOfDatabase(database)];
  // Connections are opened and code is compiled before.
  for (let warmup = 0; warmup < 20; warmup++) verify(await ask());
  const times = [];
  const before = await cpu();
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end || times.length < 20) {
    const begin = performance.now();
    const answer = await ask();
    times.push(performance.now() - begin);
    verify(answer);
  }
  const used = (await cpu()).map((each, index) => (each - before[index]) / 1000 / times.length);
  times.sort((left, right) => left - right);
  return { count: times.length, p50: at(times, 0.5), p99: at(times, 0.99), cpu: used, memory: memoryOf(parts) };
}

/** A server of free/busy pages with so many periods each, which overlap all the time. */
async function pagesElsewhere(periods) {
  const lines = Array.from({ length: periods }, (_each, index) => {
    const start = FROM + Math.floor((index * 27 * DAY) / periods);
    return `FREEBUSY:${stamp(start)}Z/${stamp(start + DAY)}Z`;
  });
  const page = ['BEGIN:VCALENDAR', 'BEGIN:VFREEBUSY', ...lines, 'END:VFREEBUSY', 'END:VCALENDAR', ''].join('\r\n');
  const server = createServer((_request, response) => response.end(page));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  keep({ stop: () => server.close() });
  return `http://127.0.0.1:${server.address().port}`;
}

/** Questions in a second, of so many askers at once. */
async function throughput(ask, askers, seconds) {
  let answered = 0;
  const work = async (end) => {
    while (performance.now() < end) {
      await ask();
      answered += 1;
    }
  };
  const during = (ms) => {
    answered = 0;
    const end = performance.now() + ms;
    return Promise.all(Array.from({ length: askers }, () => work(end)));
  };
  // Every process fetches the pages and compiles its code before.
  await during(3_000);
  const begin = performance.now();
  await during(seconds * 1000);
  return answered / ((performance.now() - begin) / 1000);
}

/**
 * One process of free/busy against three, by questions of which it has most of the work: a user with calendars elsewhere,
 * whose many times are kept and merged there.
 */
async function replicaBench({ system, client, contextId, id, seconds }) {
  const url = await pagesElsewhere(5_000);
  const value = [1, 2, 3, 4].map((page) => `${url}/${page}`).join(' ');
  const key = 'com.example.calendar.freeBusyFeeds';
  await administer(system.internalUrl, 'PUT', `/admin/v1/contexts/${contextId}/users/${id}/config/${key}`, { value });
  const parameters = { action: 'freeBusy', from: '20260504', until: '20260601', merge: true };
  const ask = async () => {
    const { data } = await client.call('PUT', 'chronos', parameters, { attendees: [{ entity: id }] });
    if (data[0].warnings || !data[0].freeBusyTime) throw new Error(`not all are there: ${JSON.stringify(data)}`);
  };
  const one = await throughput(ask, 12, seconds);
  await Promise.all([system.replica('freebusy'), system.replica('freebusy')]);
  const three = await throughput(ask, 12, seconds);
  console.log('\nquestions about somebody with four calendars elsewhere, 12 at once, in a second');
  console.log(`  one process ${one.toFixed(1)}, three ${three.toFixed(1)}: ${(three / one).toFixed(2)} times as many`);
  return { one, three };
}

/** Measures questions about 1, 100 and more people; `people` is the most. */
export async function freeBusyBench({ people, seconds, json, check, profile }) {
  requireBuild();
  const most = Number(people);
  const sizes = [1, 100, 300, 1_000].filter((size) => size <= most);
  const environment = await servers();
  const nodeOptions = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const settings = {
    GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
    GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
    FREEBUSY_SOURCE_ALLOW_PLAIN: 'true',
  };
  const system = await startSystem(environment, { more: ['freebusy'], nodeOptions, settings });
  console.log(`free/busy: making ${most} people with busy calendars …`);
  const names = Array.from({ length: most }, (_each, index) => `p${index}`);
  const logins = await createUsers(system.internalUrl, {}, names);
  const { client, folder } = await enter(system.publicUrl, logins[0]);
  await client.importCalendar(folder, calendarText());
  const contextId = Number(logins[0].split('@')[1]);
  // The administrator of the context is user 2.
  const ids = names.map((_each, index) => index + 3);
  await copyToOthers(environment.DATABASE_URL, contextId, ids[0], ids.slice(1));
  const parts = [system.gateway, system.freebusy, system.calendar, system.others];
  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  await database.connect();
  const results = [];
  for (const size of sizes) {
    const attendees = ids.slice(0, size).map((entity) => ({ entity }));
    const parameters = { action: 'freeBusy', from: '20260504', until: '20260601', merge: true };
    const ask = () => client.text('PUT', 'chronos', parameters, { attendees });
    const verify = (answer) => {
      const { data } = JSON.parse(answer);
      const idle = data.filter(({ freeBusyTime }) => !(freeBusyTime?.length > 20));
      if (data.length !== size || idle.length > 0) throw new Error(`${idle.length} of ${data.length} are not busy`);
    };
    results.push({ size, ...(await measure(ask, verify, Number(seconds), parts, database)) });
  }
  await database.end();
  console.log(
    '\nchronos?action=freeBusy, 4 weeks merged, 1,000 appointments and 50 series each, one question at a time',
  );
  console.log('  CPU ms of one question in each part; memory of the four services in MiB');
  console.log(
    '  attendees   questions   p50 ms   p99 ms   gateway   freebusy   calendar   directory   postgres   together   of one   memory',
  );
  for (const { size, count, p50, p99, cpu, memory } of results) {
    const together = cpu.reduce((sum, each) => sum + each, 0);
    const cells = [
      [size, 11],
      [count, 12],
      [p50.toFixed(1), 9],
      [p99.toFixed(1), 9],
      ...cpu.map((each, index) => [each.toFixed(1), [10, 11, 11, 12, 11][index]]),
      [together.toFixed(1), 11],
      [(together / size).toFixed(2), 9],
      [memory?.toFixed(0) ?? '-', 9],
    ];
    console.log(cells.map(([text, width]) => String(text).padStart(width)).join(''));
  }
  const hundred = results.find(({ size }) => size === 100);
  const kept = hundred !== undefined && hundred.p99 <= GOAL_MS;
  const replicas = await replicaBench({ system, client, contextId, id: ids[1] ?? ids[0], seconds: Number(seconds) });
  if (hundred) console.log(`\n  p99 of 100 attendees, goal ${GOAL_MS} ms: ${kept ? 'kept' : 'MISSED'}`);
  if (json)
    fs.writeFileSync(
      json,
      JSON.stringify([{ title: 'free/busy', goal: GOAL_MS, kept, results, replicas }], undefined, 2),
    );
  if (check && !kept) process.exitCode = 1;
}
