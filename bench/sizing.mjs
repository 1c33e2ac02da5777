// node bench/sizing.mjs: what calls, objects, events and sessions cost, for docs/how-to/sizing.md and bench/simulate.mjs.
import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Redis from 'ioredis';
import pg from 'pg';
import { inParallel } from './lib/client.mjs';
import { costOf } from './lib/cost.mjs';
import { startMailSystem } from './lib/mail-servers.mjs';
import { fillMailbox } from './lib/mailbox-files.mjs';
import { memoryOf, peakMemoryOf } from './lib/processes.mjs';
import { enter, requireBuild, serverProcesses, servers, runBench } from './lib/system.mjs';
import { connectBus } from './minimum/connect-bus.mjs';

const { values: options } = parseArgs({
  options: {
    /** Calls of each kind that are counted. */
    calls: { type: 'string', default: '1000' },
    /** Objects of each kind whose rows and bytes are counted. */
    objects: { type: 'string', default: '1000' },
    /** Mails of the mailbox. */
    mails: { type: 'string', default: '5000' },
    /** Of one user, who may have a hundred. */
    sessions: { type: 'string', default: '80' },
    json: { type: 'string' },
  },
});
const [calls, objects, mails, sessions] = ['calls', 'objects', 'mails', 'sessions'].map((name) =>
  Number(options[name]),
);
const HOUR = 3_600_000;
const WEEK = 168 * HOUR;
const BEGIN = Date.UTC(2031, 0, 1);
/** Rows of a list that a screen shows. */
const PAGE = 50;
const MAILS = 'default0/Mails';
const NOTE = 'a note of some length, as people write them';
/** Of a document, bytes. */
const FILE = 'x'.repeat(10_000);

const round = (value, digits = 2) => Number(value.toFixed(digits));
const textOf = (ms) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');

/** Ways to make objects of every kind, each in a folder of its own; `number` tells them apart. */
async function makers(client, calendar) {
  const folderOf = async (module, parent) => {
    const fresh = { title: `Sizing of ${module}`, module };
    return (await client.call('PUT', 'folders', { action: 'new', folder_id: parent }, fresh)).data;
  };
  const [contacts, tasks] = [await folderOf('contacts', 1), await folderOf('tasks', 1)];
  const documents = await folderOf('infostore', (await client.call('GET', 'config/folder/infostore', {})).data);
  const put = (module, parameters, body) => client.call('PUT', module, { action: 'new', ...parameters }, body);
  const folders = { calendar, contacts, tasks, documents };
  const make = {
    appointment: (number) => {
      const start_date = BEGIN + number * HOUR;
      const fields = { title: `Appointment ${number}`, location: 'Room 1', note: NOTE, folder_id: calendar };
      const times = { start_date, end_date: start_date + HOUR / 2 };
      return put('calendar', { timezone: 'UTC' }, { ...fields, ...times, ignore_conflicts: true });
    },
    event: (number) => {
      const start = BEGIN + number * HOUR;
      const [startDate, endDate] = [start, start + HOUR / 2].map((ms) => ({ value: textOf(ms), tzid: 'UTC' }));
      const event = { summary: `Event ${number}`, location: 'Room 1', description: NOTE, startDate, endDate };
      return put('chronos', { folder: `cal://0/${calendar}`, checkConflicts: false }, event);
    },
    contact: (number) =>
      put(
        'contacts',
        {},
        {
          folder_id: contacts,
          first_name: 'Person',
          last_name: `Number ${number}`,
          display_name: `Person Number ${number}`,
          email1: `person${number}@far.example`,
          telephone_business1: '+49 30 1234567',
          note: NOTE,
        },
      ),
    task: (number) =>
      put('tasks', {}, { folder_id: tasks, title: `Task ${number}`, note: NOTE, end_date: BEGIN + number * HOUR }),
    document: async (number) => {
      const form = new FormData();
      form.set('json', JSON.stringify({ folder_id: documents, description: NOTE }));
      form.append('file', new Blob([`${number} ${FILE}`], { type: 'text/plain' }), `file ${number}.txt`);
      const answer = await client.text('POST', 'infostore', { action: 'new', plainJson: true }, form);
      const { data, code } = JSON.parse(answer);
      if (!data) throw new Error(`infostore: ${code} ${answer}`);
      return data;
    },
  };
  return { folders, make };
}

async function main() {
  requireBuild();
  const environment = await servers();
  const { system, clients, dovecot } = await startMailSystem(environment, {
    users: { ann: 'ann' },
    more: ['push', 'contacts', 'tasks', 'files'],
  });
  await fillMailbox(dovecot.homes, 'ann', 'Mails', mails);
  const { ann: client } = clients;
  const login = `ann@${client.contextId}`;
  const { folder: calendar } = await enter(system.publicUrl, login);
  const processes = {
    gateway: system.gateway,
    'identity, folders': system.others,
    ...Object.fromEntries(
      ['calendar', 'contacts', 'tasks', 'files', 'mail', 'mail-account', 'settings', 'push'].map((name) => [
        name,
        system[name],
      ]),
    ),
  };
  const parts = [
    ...Object.entries(processes).map(([name, { pid }]) => ({ name, pid })),
    ...serverProcesses(environment),
  ];
  const memories = (measure) =>
    Object.fromEntries(Object.entries(processes).map(([name, each]) => [name, round(measure([each]), 0)]));
  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  database.on('error', () => undefined);
  await database.connect();
  const idleMiB = memories(memoryOf);

  const { folders, make } = await makers(client, calendar);
  let next = 0;
  const create = (kind) => () => make[kind]((next += 1));

  // The rows first: what is counted is what one kind of call leaves.
  const size = async (schema) => {
    const { rows } = await database.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1
       and tablename not in ('outbox', 'sent_event', 'consumed_event', 'call_key', 'migration')`,
      [schema],
    );
    const total = { bytes: 0, rows: 0 };
    for (const { name } of rows) {
      const query = `select count(*)::float8 as rows, pg_total_relation_size('${name}')::float8 as bytes from ${name}`;
      const [found] = (await database.query(query)).rows;
      total.rows += found.rows;
      total.bytes += found.bytes;
    }
    return total;
  };
  const sizeOf = async (kind, schema) => {
    for (let warm = 0; warm < 100; warm++) await create(kind)();
    const before = await size(schema);
    await inParallel(Array.from({ length: objects }), 16, create(kind));
    const after = await size(schema);
    return {
      rows: round((after.rows - before.rows) / objects),
      bytes: Math.round((after.bytes - before.bytes) / objects),
    };
  };
  const logBefore = fs.statSync(system.gateway.output).size;
  const appointment = await sizeOf('appointment', 'calendar');
  await wait(1_000); // the log is written in batches
  const logBytes = (fs.statSync(system.gateway.output).size - logBefore) / (objects + 100);

  const bus = await connectBus(environment.NATS_URL);
  const manager = await bus.jetstreamManager();
  const { state } = await manager.streams.info(`${environment.name}-events`);
  await bus.close();
  const sent = await database.query(
    `select pg_total_relation_size('calendar.sent_event')::float8 / greatest(count(*), 1) as bytes from calendar.sent_event`,
  );
  const sizes = {
    appointment,
    event: await sizeOf('event', 'calendar'),
    contact: await sizeOf('contact', 'contacts'),
    task: await sizeOf('task', 'tasks'),
    document: await sizeOf('document', 'files'),
  };

  const redis = new Redis(environment.REDIS_URL);
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))[1]);
  const redisBefore = await used();
  await inParallel(Array.from({ length: sessions }), 8, () => enter(system.publicUrl, login));
  const sessionBytes = ((await used()) - redisBefore) / sessions;
  redis.disconnect();

  const get = (module, parameters) => client.answer('GET', module, parameters);
  const week = (index) => {
    const start = BEGIN + (index % 2) * WEEK; // an appointment every hour
    const range = { start, end: start + WEEK, columns: '1,20,200,201,202,206,207,208,209,220,221' };
    return get('calendar', { action: 'all', ...range, folder: calendar, recurrence_master: false });
  };
  const chronosWeek = (index) => {
    const start = BEGIN + (index % 2) * WEEK;
    const range = { rangeStart: textOf(start), rangeEnd: textOf(start + WEEK) };
    return get('chronos', { action: 'all', ...range, folder: `cal://0/${calendar}`, expand: true });
  };
  const page = (module, folder, columns, sort) => () =>
    get(module, { action: 'all', folder, columns, sort, order: 'asc', left_hand_limit: 0, right_hand_limit: PAGE });
  const files = page('infostore', folders.documents, '1,20,2,6,700,702,703,704,705,711', 700);
  const [[firstFile]] = JSON.parse(await files()).data;
  const mailPage = page('mail', MAILS, '600,601,602,603,604,607,608,609,610,611,651,652', 610);
  const mailIds = JSON.parse(await mailPage()).data.map(([id]) => id);
  const mail = (index) => get('mail', { action: 'get', folder: MAILS, id: mailIds[index % mailIds.length] });
  const complete = (index) =>
    get('contacts', { action: 'autocomplete', query: `person${index % 100}`, columns: '1,555' });
  const download = () =>
    client.text('GET', 'infostore', { action: 'document', folder: folders.documents, id: firstFile });

  const cost = {};
  for (const [name, call] of Object.entries({
    'session check': () => client.text('GET', 'user/me', {}),
    'folder list': () => get('folders', { action: 'allVisible', content_type: 'calendar', columns: '1,300,308' }),
    week,
    'new appointment': create('appointment'),
    'week of events': chronosWeek,
    'new event': create('event'),
    'page of mails': mailPage,
    mail,
    'page of contacts': page('contacts', folders.contacts, '1,20,500,501,502,555,607', 607),
    completion: complete,
    'new contact': create('contact'),
    'page of tasks': page('tasks', folders.tasks, '1,20,2,6,200,202,300,301,309', 202),
    'new task': create('task'),
    'page of files': files,
    upload: create('document'),
    download,
  })) {
    cost[name] = await costOf(parts, calls, call);
    console.error(`sizing: ${name}: ${JSON.stringify(cost[name])}`);
  }
  const { rows: connections } = await database.query(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await database.end();

  const figures = {
    machine: `${os.cpus().length} cores, Node ${process.version}, load ${os.loadavg()[0].toFixed(1)} at the end`,
    cost,
    idleMiB,
    busyMiB: memories(peakMemoryOf),
    sizes,
    eventBytes: { jetStream: Math.round(state.bytes / state.messages), sentInPostgres: Math.round(sent.rows[0].bytes) },
    logBytesOfCall: Math.round(logBytes),
    sessionBytes: Math.round(sessionBytes),
    connectionsOfPostgres: connections[0].n,
  };
  console.log(JSON.stringify(figures, undefined, 2));
  if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(figures, undefined, 2)}\n`);
}

await runBench(main);
