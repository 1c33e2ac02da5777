// node bench/sizing.mjs: what a call, an event, an appointment and a session cost, for docs/how-to/sizing.md and bench/simulate.mjs.
import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Redis from 'ioredis';
import pg from 'pg';
import { inParallel } from './lib/client.mjs';
import { costOf } from './lib/cost.mjs';
import { memoryOf, peakMemoryOf } from './lib/processes.mjs';
import { createUsers, enter, requireBuild, serverProcesses, servers, startSystem, runBench } from './lib/system.mjs';
import { connectBus } from './minimum/connect-bus.mjs';

const { values: options } = parseArgs({
  options: {
    /** Calls of each kind that are counted. */
    calls: { type: 'string', default: '1500' },
    /** Appointments whose rows and bytes are counted. */
    appointments: { type: 'string', default: '2000' },
    /** Of one user, who may have a hundred. */
    sessions: { type: 'string', default: '80' },
    json: { type: 'string' },
  },
});
const [calls, appointments, sessions] = ['calls', 'appointments', 'sessions'].map((name) => Number(options[name]));
const HOUR = 3_600_000;
const BEGIN = Date.UTC(2031, 0, 1);

const round = (value, digits = 2) => Number(value.toFixed(digits));

async function main() {
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment, { more: ['push'] });
  const [login] = await createUsers(system.internalUrl);
  const { client, folder } = await enter(system.publicUrl, login);
  const processes = {
    gateway: system.gateway,
    calendar: system.calendar,
    'identity, folders': system.others,
    push: system.push,
  };
  const parts = [
    ...Object.entries(processes).map(([name, { pid }]) => ({ name, pid })),
    ...serverProcesses(environment),
  ];
  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  database.on('error', () => undefined);
  await database.connect();
  const idleMiB = Object.fromEntries(
    Object.entries(processes).map(([name, each]) => [name, round(memoryOf([each]), 0)]),
  );

  let next = 0;
  const create = () => {
    const start_date = BEGIN + (next += 1) * HOUR;
    const fields = {
      title: `Appointment ${next}`,
      location: 'Room 1',
      note: 'a note of some length, as people write them',
    };
    const body = { folder_id: folder, ...fields, start_date, end_date: start_date + HOUR / 2, ignore_conflicts: true };
    return client.call('PUT', 'calendar', { action: 'new', timezone: 'UTC' }, body);
  };
  const week = (index) => {
    const start = BEGIN + (index % 2) * 168 * HOUR; // an appointment every hour
    const range = { start, end: start + 168 * HOUR, columns: '1,20,200,201,202,206,207,208,209,220,221' };
    return client.call('GET', 'calendar', { action: 'all', ...range, folder, recurrence_master: false });
  };

  // The rows first: what is counted is what one kind of call leaves.
  const size = async () => {
    const { rows } = await database.query(
      `select sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass))::float8 as bytes
       from pg_tables where schemaname = 'calendar' and tablename not in ('outbox', 'sent_event', 'consumed_event')`,
    );
    const tables = await database.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname = 'calendar' and tablename not in ('outbox', 'sent_event', 'consumed_event', 'migration')`,
    );
    let count = 0;
    for (const { name } of tables.rows)
      count += Number((await database.query(`select count(*) as n from ${name}`)).rows[0].n);
    return { bytes: rows[0].bytes, rows: count };
  };
  for (let warm = 0; warm < 100; warm++) await create();
  const [sizeBefore, logBefore] = [await size(), fs.statSync(system.gateway.output).size];
  await inParallel(Array.from({ length: appointments }), 16, create);
  await wait(1_000); // the log is written in batches
  const sizeAfter = await size();
  const logBytes = (fs.statSync(system.gateway.output).size - logBefore) / appointments;

  const bus = await connectBus(environment.NATS_URL);
  const manager = await bus.jetstreamManager();
  const { state } = await manager.streams.info(`${environment.name}-events`);
  await bus.close();
  const sent = await database.query(
    `select pg_total_relation_size('calendar.sent_event')::float8 / greatest(count(*), 1) as bytes from calendar.sent_event`,
  );

  const redis = new Redis(environment.REDIS_URL);
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))[1]);
  const redisBefore = await used();
  await inParallel(Array.from({ length: sessions }), 8, () => enter(system.publicUrl, login));
  const sessionBytes = ((await used()) - redisBefore) / sessions;
  redis.disconnect();

  const cost = {
    'session check': await costOf(parts, calls, () => client.text('GET', 'user/me', {})),
    week: await costOf(parts, calls, week),
    'new appointment': await costOf(parts, calls, create),
    'folder list': await costOf(parts, calls, () =>
      client.call('GET', 'folders', { action: 'allVisible', content_type: 'calendar', columns: '1,300,308' }),
    ),
  };
  const { rows: connections } = await database.query(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await database.end();

  const figures = {
    machine: `${os.cpus().length} cores, Node ${process.version}, load ${os.loadavg()[0].toFixed(1)} at the end`,
    cost,
    idleMiB,
    busyMiB: Object.fromEntries(
      Object.entries(processes).map(([name, each]) => [name, round(peakMemoryOf([each]), 0)]),
    ),
    appointment: {
      rows: round((sizeAfter.rows - sizeBefore.rows) / appointments),
      bytes: Math.round((sizeAfter.bytes - sizeBefore.bytes) / appointments),
    },
    eventBytes: { jetStream: Math.round(state.bytes / state.messages), sentInPostgres: Math.round(sent.rows[0].bytes) },
    logBytesOfCall: Math.round(logBytes),
    sessionBytes: Math.round(sessionBytes),
    connectionsOfPostgres: connections[0].n,
  };
  console.log(JSON.stringify(figures, undefined, 2));
  if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(figures, undefined, 2)}\n`);
}

await runBench(main);
