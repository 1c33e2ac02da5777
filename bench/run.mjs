// npm run bench: the system and the composed minimum side by side, on the same servers and data. See README.md.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Redis from 'ioredis';
import pg from 'pg';
import { bootBench } from './boot.mjs';
import { freeBusyBench } from './freebusy.mjs';
import { inParallel } from './lib/client.mjs';
import { compare } from './lib/load.mjs';
import { monthCalendar } from './lib/month-data.mjs';
import { start } from './lib/processes.mjs';
import {
  createUsers,
  enter,
  keep,
  requireBuild,
  serverProcesses,
  servers,
  startSystem,
  runBench,
} from './lib/system.mjs';
import { CONTEXT, prepareCreate } from './minimum/create.mjs';
import { fillMonth } from './minimum/month.mjs';
import { COLUMNS, fill } from './minimum/table.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const DAY = 86_400_000;
const BEGIN = Date.UTC(2026, 4, 1);
/** Two with appointments, two with a daily series: since 1900, and since last week. */
const USERS = ['ann', 'bob', 'carl', 'dora'];
const WEEK = { start: Date.UTC(2040, 0, 2), end: Date.UTC(2040, 0, 9), timezone: 'UTC' };

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '5' },
    warmup: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    appointments: { type: 'string', default: '2000' },
    only: { type: 'string' },
    /** Most people of the free/busy questions. */
    people: { type: 'string', default: '1000' },
    /** Folder for CPU profiles of every process. */
    profile: { type: 'string' },
    /** CPU time of each process, the servers included. */
    parts: { type: 'boolean', default: false },
    json: { type: 'string' },
    /** Fail when a ratio is below its goal. */
    check: { type: 'boolean', default: false },
  },
});
const load = {
  connections: Number(options.connections),
  seconds: Number(options.seconds),
  warmup: Number(options.warmup),
  rounds: Number(options.rounds),
};

const nodeOptions = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];

/** 100 single appointments in May 2026, the others spread over the years around it. */
async function createAppointments(client, folder, count) {
  const starts = Array.from({ length: count }, (_each, index) => {
    const inMay = index < 100;
    const day = inMay ? index % 28 : 60 + ((index * 7) % 1200);
    const hour = 7 + (inMay ? Math.floor(index / 28) * 2 : index % 10);
    return BEGIN + day * DAY + hour * 3_600_000;
  });
  await inParallel(starts, 4, async (begin, index) => {
    await client.call(
      'PUT',
      'calendar',
      { action: 'new', timezone: 'UTC' },
      {
        folder_id: folder,
        title: `Appointment ${index}`,
        start_date: begin,
        end_date: begin + 3_600_000,
        location: `Room ${index % 12}`,
        note: 'note',
        shown_as: 1,
        timezone: 'Europe/Berlin',
        ignore_conflicts: true,
      },
    );
  });
}

/** Bodies of new appointments: one half-hour after the other, so that none is in the way of another. */
function newBodies(folder, from) {
  let next = from;
  return () => {
    next += 1_800_000;
    return JSON.stringify({
      folder_id: folder,
      title: 'New appointment',
      start_date: next,
      end_date: next + 1_800_000,
      location: 'Room 1',
      note: 'note',
      shown_as: 1,
      timezone: 'Europe/Berlin',
    });
  };
}

/** Many new appointments; the answer must be an id. */
const creating = (folder, from) => {
  const body = newBodies(folder, from);
  return {
    method: 'PUT',
    requests: [{ setupRequest: (request) => ({ ...request, body: body() }) }],
    verifyBody: (text) => /"id":"\d+"/.test(text),
  };
};

/** A user with nothing but a daily series. */
async function withDailySeries(publicUrl, login, start) {
  const user = await enter(publicUrl, login);
  const parameters = { action: 'new', timezone: 'UTC' };
  await user.client.call('PUT', 'calendar', parameters, {
    folder_id: user.folder,
    title: 'Daily',
    start_date: start,
    end_date: start + 3_600_000,
    timezone: 'Europe/Berlin',
    recurrence_type: 1,
    interval: 1,
  });
  return user;
}

const sameRows = (left, right, columns) => {
  const text = (rows) => JSON.stringify(rows.map((row) => columns.map((column) => row[column]).join()).sort());
  return text(left) === text(right);
};

const number = (value, digits = 0) => (value === undefined ? '-' : value.toFixed(digits));

function print(title, goal, [minimum, system]) {
  const ratio = system.rps / minimum.rps;
  console.log(`\n${title}`);
  console.log('                    requests/s   (lowest..highest)   p50 ms   p99 ms   CPU µs/request   memory MiB');
  for (const each of [minimum, system])
    console.log(
      `  ${each.name.padEnd(18)}${number(each.rps).padStart(10)}   ${`(${number(each.low)}..${number(each.high)})`.padEnd(20)}` +
        `${number(each.p50, 1).padStart(6)}${number(each.p99, 1).padStart(9)}${number(each.cpu).padStart(17)}${number(each.memory).padStart(13)}`,
    );
  for (const each of options.parts ? [minimum, system] : [])
    console.log(
      `  ${each.name}, CPU µs/request: ${Object.entries(each.parts)
        .map(([name, us]) => `${name} ${us}`)
        .join(', ')}`,
    );
  const kept = ratio >= goal;
  console.log(`  ratio ${ratio.toFixed(2)} of '${minimum.name}', goal ${goal.toFixed(2)}: ${kept ? 'kept' : 'MISSED'}`);
  return { title, goal, ratio, kept, minimum, system };
}

function finish(results) {
  if (options.json) fs.writeFileSync(options.json, JSON.stringify(results, undefined, 2));
  if (options.check && results.some(({ kept }) => !kept)) process.exitCode = 1;
}

async function main() {
  // Makes 1,000 people of its own: not part of a run of everything.
  if (options.only === 'freebusy') return freeBusyBench(options);
  if (options.only === 'boot') {
    const results = [];
    for (const measure of await bootBench(nodeOptions)) {
      const { title, goal, results: pair } = await measure(load);
      results.push(print(title, goal, pair));
    }
    return finish(results);
  }
  // A program of its own: it needs other users, and has nothing to be compared with.
  if (options.only === 'push') return import('./push.mjs');
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment, { nodeOptions });
  const [ann, bob, carl, dora] = await createUsers(system.internalUrl, {}, USERS);
  const { client, folder } = await enter(system.publicUrl, ann);
  await createAppointments(client, folder, Number(options.appointments));
  const busy = await enter(system.publicUrl, bob);
  await busy.client.importCalendar(busy.folder, monthCalendar());
  const old = await withDailySeries(system.publicUrl, carl, Date.UTC(1900, 0, 1, 9));
  const young = await withDailySeries(system.publicUrl, dora, Date.now() - (Date.now() % DAY) - 7 * DAY);

  const may = { folder, start: BEGIN, end: BEGIN + 30 * DAY, timezone: 'UTC' };
  const all = { action: 'all', columns: COLUMNS.map(([column]) => column).join(',') };
  const everything = await client.call('GET', 'calendar', {
    ...all,
    ...may,
    start: BEGIN - 10 * DAY,
    end: BEGIN + 2000 * DAY,
  });
  const expected = await client.call('GET', 'calendar', { ...all, ...may });
  if (expected.data.length !== 100) throw new Error(`expected 100 rows, got ${expected.data.length}`);

  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  await database.connect();
  await fill(database, everything.data);
  const month = { folder: busy.folder, start: BEGIN, end: BEGIN + 31 * DAY, timezone: 'UTC' };
  const whole = await busy.client.call('GET', 'calendar', {
    action: 'all',
    columns: `${all.columns},222,211`,
    ...month,
    start: Date.UTC(2020, 0, 1),
    end: Date.UTC(2040, 0, 1),
    range: 'overlap',
    recurrence_master: true,
  });
  await fillMonth(database, whole.data);
  await prepareCreate(database);
  await database.query('analyze');
  await database.end();
  const redis = new Redis(environment.REDIS_URL);
  const session = randomBytes(16).toString('hex');
  await redis.set(
    `bench-minimum:${session}`,
    JSON.stringify({ folder, user: 3, context: CONTEXT, locale: 'en_US' }),
    'EX',
    3600,
  );
  await redis.set(
    `bench-minimum:${session}-month`,
    JSON.stringify({ folder: busy.folder, user: 4, context: 1 }),
    'EX',
    3600,
  );
  await redis.quit();
  const service = keep(
    await start('minimum service', path.join(here, 'minimum', 'service.mjs'), environment, nodeOptions),
  );
  const gateway = keep(
    await start('minimum gateway', path.join(here, 'minimum', 'gateway.mjs'), environment, nodeOptions),
  );
  const minimumUrl = gateway.line.split(' ')[1];
  const range = new URLSearchParams({ session, start: may.start, end: may.end });
  const same = await (await fetch(`${minimumUrl}/all?${range}`)).json();
  if (!sameRows(same.data, expected.data, [0])) throw new Error('the minimum answers other rows than the system');
  const monthRange = new URLSearchParams({ session: `${session}-month`, start: month.start, end: month.end });
  const monthOfMinimum = await (await fetch(`${minimumUrl}/month?${monthRange}`)).json();
  const monthOfSystem = await busy.client.call('GET', 'calendar', { ...all, ...month });
  if (!sameRows(monthOfMinimum.data, monthOfSystem.data, [0, 3, 4]))
    throw new Error('the month of the minimum has other rows than that of the system');

  const weekOf = ({ client: user, folder: calendar }) => ({
    request: { url: user.url('calendar', { ...all, ...WEEK, folder: calendar }), headers: user.headers },
    processes: [system.gateway, system.calendar],
  });
  for (const { client: user, folder: calendar } of [old, young]) {
    const { data } = await user.call('GET', 'calendar', { ...all, ...WEEK, folder: calendar });
    if (data.length !== 7) throw new Error(`expected a row for each day of the week, got ${data.length}`);
  }

  const behind = serverProcesses(environment);
  const minimumParts = [gateway, service, ...behind];
  const systemParts = [system.gateway, system.calendar, system.others, ...behind];
  const cases = [
    {
      key: 'all',
      title: 'calendar?action=all, 100 single appointments, 20 columns',
      goal: 0.75,
      candidates: [
        { name: 'minimum', request: { url: `${minimumUrl}/all?${range}` }, processes: [gateway, service] },
        {
          name: 'system',
          request: { url: client.url('calendar', { ...all, ...may }), headers: client.headers },
          processes: [system.gateway, system.calendar],
        },
      ],
    },
    {
      key: 'month',
      title: `month view of 9,500 appointments and 500 series, ${monthOfSystem.data.length} rows, series expanded in the service`,
      goal: 0.8,
      candidates: [
        { name: 'minimum', request: { url: `${minimumUrl}/month?${monthRange}` }, processes: [gateway, service] },
        {
          name: 'system',
          request: { url: busy.client.url('calendar', { ...all, ...month }), headers: busy.client.headers },
          processes: [system.gateway, system.calendar],
        },
      ],
    },
    {
      key: 'new',
      title: 'calendar?action=new, a single appointment, with its conflict look-up, rows and event',
      goal: 0.7,
      candidates: [
        {
          name: 'minimum',
          request: { url: `${minimumUrl}/new?session=${session}`, ...creating(folder, Date.UTC(2050, 0, 1)) },
          processes: [gateway, service],
        },
        {
          name: 'system',
          request: {
            url: client.url('calendar', { action: 'new', timezone: 'UTC' }),
            headers: client.headers,
            ...creating(folder, Date.UTC(2050, 0, 1)),
          },
          processes: [system.gateway, system.calendar],
        },
      ],
    },
    {
      key: 'series',
      title: 'one week of 2040 of a daily series since 1900, against one since last week',
      goal: 0.5,
      candidates: [
        { name: 'since last week', ...weekOf(young) },
        { name: 'since 1900', ...weekOf(old) },
      ],
    },
    {
      key: 'session',
      title: 'session check alone (an empty batch against http + Redis)',
      goal: 0.4,
      candidates: [
        { name: 'http + Redis', request: { url: `${minimumUrl}/session?${range}` }, processes: [gateway] },
        {
          name: 'system',
          request: { url: client.url('multiple', {}), method: 'PUT', body: '[]', headers: client.headers },
          processes: [system.gateway],
        },
      ],
    },
  ]
    .map(({ candidates, ...rest }) => ({
      ...rest,
      candidates: candidates.map((candidate) => ({
        ...candidate,
        parts: candidate.processes[0] === gateway ? minimumParts : systemParts,
      })),
    }))
    .filter(({ key }) => !options.only || options.only.split(',').includes(key));

  console.log(
    `${os.cpus().length} cores, Node ${process.version}, ${load.connections} connections, ${load.rounds} interleaved rounds of ${load.seconds} s, medians`,
  );
  const results = [];
  for (const { title, goal, candidates } of cases) results.push(print(title, goal, await compare(candidates, load)));
  finish(results);
}

await runBench(main);
