// node bench/chronos.mjs: events of several calendars, and events with attendees, beside the composed minimum. See README.md.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Redis from 'ioredis';
import pg from 'pg';
import { compare } from './lib/load.mjs';
import { monthCalendars } from './lib/month-data.mjs';
import { start } from './lib/processes.mjs';
import {
  createUsers,
  enter,
  keep,
  requireBuild,
  runBench,
  serverProcesses,
  servers,
  startSystem,
} from './lib/system.mjs';
import { CONTEXT, prepareCreate } from './minimum/create.mjs';
import { FIELDS, fillWeeks } from './minimum/weeks.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const CALENDARS = 5;
const DAY = 86_400_000;
const BEGIN = Date.UTC(2026, 4, 4);
const END = BEGIN + 42 * DAY;
/** The first one has the calendars; the second one invites the others. */
const USERS = ['ann', 'bob', 'carl', 'dora', 'eve', 'fred', 'gina', 'hans', 'ina', 'jan', 'kim'];

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '5' },
    warmup: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    /** Folder for CPU profiles of every process. */
    profile: { type: 'string' },
    json: { type: 'string' },
    /** Fail when a share is below its goal. */
    check: { type: 'boolean', default: false },
  },
});
const load = Object.fromEntries(
  ['connections', 'seconds', 'warmup', 'rounds'].map((name) => [name, Number(options[name])]),
);
const nodeOptions = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
const textOf = (ms) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');

const rangeOf = (from, to) => ({ rangeStart: textOf(from), rangeEnd: textOf(to) });

/** Calendars with 9,500 single events and 500 weekly series. */
async function fillCalendars(client, first) {
  const folders = [`cal://0/${first}`];
  while (folders.length < CALENDARS) {
    const title = `Calendar ${folders.length}`;
    const made = await client.call('PUT', 'folders', { action: 'new', folder_id: 1 }, { title, module: 'calendar' });
    folders.push(`cal://0/${made.data}`);
  }
  for (const [index, text] of monthCalendars(CALENDARS).entries())
    await client.importCalendar(folders[index].split('/').at(-1), text);
  return folders;
}

/** Half an hour after the other, so that none is in the way of another. */
function creating(write) {
  let next = Date.UTC(2050, 0, 1);
  return {
    method: 'PUT',
    requests: [{ setupRequest: (request) => ({ ...request, body: JSON.stringify(write((next += 1_800_000))) }) }],
    verifyBody: (text) => /"id":"\d+"/.test(text),
  };
}

async function main() {
  requireBuild();
  const environment = await servers();
  // All events at once fill the minimum's table.
  const properties = { 'com.example.calendar.maxEventResults': '1000000' };
  const system = await startSystem(environment, { nodeOptions, properties });
  const logins = await createUsers(system.internalUrl, {}, USERS);
  const people = [];
  for (const login of logins) people.push(await enter(system.publicUrl, login));
  const [{ client, folder: first }, ...invited] = people;
  const [{ client: organizer, folder }] = invited;
  const folders = await fillCalendars(client, first);

  const all = (more) => ({ action: 'all', fields: FIELDS.join(), timezone: 'UTC', ...more });
  const weeks = all({ ...rangeOf(BEGIN, END), expand: true });
  const everything = all({
    ...rangeOf(Date.UTC(2020, 0, 1), Date.UTC(2040, 0, 1)),
    fields: `${FIELDS.join()},rrule,deleteExceptionDates`,
  });
  const read = async (query) => (await client.call('PUT', 'chronos', query, { folders })).data;
  const expected = await read(weeks);
  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  // It is cut off at the end of a benchmark that failed.
  database.on('error', () => undefined);
  await database.connect();
  await fillWeeks(
    database,
    (await read(everything)).flatMap(({ events }) => events),
  );
  await prepareCreate(database);
  await database.query('analyze');
  await database.end();

  const session = randomBytes(16).toString('hex');
  const redis = new Redis(environment.REDIS_URL);
  const remember = (name, value) => redis.set(`bench-minimum:${name}`, JSON.stringify(value), 'EX', 3600);
  await remember(`${session}-weeks`, { folder: folders });
  await remember(session, {
    folder: Number(folder),
    user: organizer.userId,
    context: CONTEXT,
    people: invited.map((each) => each.client.userId),
    folders: invited.map((each, index) => (index === 0 ? null : Number(each.folder))),
  });
  await redis.quit();
  const service = keep(
    await start('minimum service', path.join(here, 'minimum', 'service.mjs'), environment, nodeOptions),
  );
  const gateway = keep(
    await start('minimum gateway', path.join(here, 'minimum', 'gateway.mjs'), environment, nodeOptions),
  );
  const minimumUrl = gateway.line.split(' ')[1];
  const weeksOfMinimum = `${minimumUrl}/weeks?${new URLSearchParams({ session: `${session}-weeks`, start: BEGIN, end: END })}`;
  const { data: same } = await (await fetch(weeksOfMinimum)).json();
  const comparable = (list) =>
    list.map(({ folder: name, events }) => ({
      name,
      events: events.map((event) => JSON.stringify(event, FIELDS.concat('value', 'tzid').sort())).sort(),
    }));
  assert.deepEqual(comparable(same), comparable(expected), 'the minimum answers other events than the system');
  const count = expected.reduce((sum, { events }) => sum + events.length, 0);

  const behind = serverProcesses(environment);
  const minimum = (request) => ({
    name: 'minimum',
    request,
    processes: [gateway, service],
    parts: [gateway, service, ...behind],
  });
  const product = (request) => ({
    name: 'system',
    request: { method: 'PUT', ...request },
    processes: [system.gateway, system.calendar],
    parts: [system.gateway, system.calendar, system.others, ...behind],
  });
  const jsonOf = (user) => ({ ...user.headers, 'content-type': 'application/json' });
  const cases = [
    {
      key: 'all',
      title: `PUT chronos all, ${CALENDARS} folders, 42 days, ${FIELDS.length} fields, expanded: ${count} events`,
      goal: 0.8,
      candidates: [
        minimum({ url: weeksOfMinimum }),
        product({ url: client.url('chronos', weeks), headers: jsonOf(client), body: JSON.stringify({ folders }) }),
      ],
    },
    {
      key: 'new',
      title: `chronos new with ${invited.length} attendees, conflicts looked for`,
      goal: 0.7,
      candidates: [
        minimum({
          url: `${minimumUrl}/invite?session=${session}`,
          ...creating((begin) => ({
            ...{ title: 'New event', location: 'Room 1', note: 'note', shown_as: 1, timezone: 'UTC' },
            ...{ start_date: begin, end_date: begin + 1_800_000 },
          })),
        }),
        product({
          url: organizer.url('chronos', {
            ...{
              action: 'new',
              folder: `cal://0/${folder}`,
              fields: 'folder,id',
              checkConflicts: true,
              timezone: 'UTC',
            },
          }),
          headers: jsonOf(organizer),
          ...creating((begin) => ({
            ...{ summary: 'New event', location: 'Room 1', description: 'note', transp: 'OPAQUE' },
            ...{ startDate: { value: textOf(begin) }, endDate: { value: textOf(begin + 1_800_000) } },
            attendees: invited.map((each) => ({ entity: each.client.userId, cuType: 'INDIVIDUAL' })),
          })),
        }),
      ],
    },
  ].filter(({ key }) => !options.only || options.only.split(',').includes(key));

  console.log(
    `${os.cpus().length} cores, Node ${process.version}, ${load.connections} connections, ${load.rounds} interleaved rounds of ${load.seconds} s, medians`,
  );
  const results = [];
  for (const { title, goal, candidates } of cases) {
    const pair = await compare(candidates, load);
    const [least, own] = pair;
    const share = own.rps / least.rps;
    console.log(`\n${title}\n  share ${share.toFixed(2)}, goal ${goal}: ${share >= goal ? 'kept' : 'MISSED'}`);
    for (const { name, rps, low, high, p50, p99, parts } of pair)
      console.log(
        `  ${name}: ${rps.toFixed(0)}/s (${low.toFixed(0)} to ${high.toFixed(0)}), p50 ${p50} ms, p99 ${p99} ms, CPU µs: ${JSON.stringify(parts)}`,
      );
    results.push({ title, goal, share, kept: share >= goal, pair });
  }
  if (options.json) fs.writeFileSync(options.json, JSON.stringify(results, undefined, 2));
  if (options.check && results.some(({ kept }) => !kept)) process.exitCode = 1;
}

await runBench(main, { minutes: 6 });
