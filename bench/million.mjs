// node bench/million.mjs: hot calls of one user alone, and among a million others. See README.md.
import { parseArgs } from 'node:util';
import Redis from 'ioredis';
import pg from 'pg';
import { inParallel } from './lib/client.mjs';
import { costOf } from './lib/cost.mjs';
import { createUsers, enter, requireBuild, serverProcesses, servers, startSystem, runBench } from './lib/system.mjs';

const { values: options } = parseArgs({
  options: {
    /** Copying ends after so long, with as many as there are by then. */
    minutes: { type: 'string', default: '10' },
    /** Copies of the context that is made by calls; it has 20 users and as many sessions. */
    contexts: { type: 'string', default: '50000' },
    /** Of these contexts' users, appointments of each. */
    appointments: { type: 'string', default: '2' },
    /** Sessions in Redis. */
    sessions: { type: 'string', default: '300000' },
    calls: { type: 'string', default: '400' },
  },
});
const [minutes, contexts, appointments, sessions, calls] = [
  'minutes',
  'contexts',
  'appointments',
  'sessions',
  'calls',
].map((name) => Number(options[name]));
const USERS = 20;
const HOUR = 3_600_000;
const BEGIN = Date.UTC(2031, 0, 1);
/** Contexts that are copied by one statement. */
const STEP = 1_000;
const OWN_TABLES = ['outbox', 'sent_event', 'consumed_event', 'migration', 'audit_entry'];
/** Texts that no other context may have. */
const UNIQUE = new Set(['context.name', 'login_mapping.mapping', 'mail_address.address']);
const FOREIGN_KEY_VIOLATION = '23503';
const quoted = (name) => `"${name}"`;

/** Copies all rows of a context into many others, by SQL: none of the product's checks are run a million times. */
async function copyContext(database, seed) {
  const { rows: columns } = await database.query(
    `select n.nspname as schema, c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity <> 'a'
       and n.nspname in ('identity', 'calendar', 'mail_account') and c.relname <> all($1)
     group by 1, 2 having 'context_id' = any(array_agg(a.attname::text))`,
    [OWN_TABLES],
  );
  const copied = {};
  const copy = async ({ schema, table, columns: names }, first) => {
    const target = `${quoted(schema)}.${quoted(table)}`;
    const values = names.map((name) => {
      if (name === 'context_id') return 's.context_id + g';
      return UNIQUE.has(`${table}.${name}`) ? `s.${quoted(name)} || '-' || g` : `s.${quoted(name)}`;
    });
    const { rowCount } = await database.query(
      `insert into ${target} (${names.map(quoted).join(', ')})
       select ${values.join(', ')} from ${target} s cross join generate_series($2::int, $3::int) g where s.context_id = $1`,
      [seed, first, Math.min(first + STEP - 1, contexts)],
    );
    copied[`${schema}.${table}`] = (copied[`${schema}.${table}`] ?? 0) + rowCount;
  };
  // Those that others point to come first, which the first round finds out.
  let inOrder = columns;
  const end = performance.now() + minutes * 60_000;
  for (let first = 1; first <= contexts && performance.now() < end; first += STEP) {
    const waiting = [...inOrder];
    inOrder = [];
    for (let tries = waiting.length ** 2; waiting.length > 0; tries--) {
      const table = waiting.shift();
      try {
        await copy(table, first);
        inOrder.push(table);
      } catch (error) {
        if (error.code !== FOREIGN_KEY_VIOLATION || tries <= 0) throw error;
        waiting.push(table);
      }
    }
  }
  await database.query('analyze');
  return Object.fromEntries(Object.entries(copied).filter(([, count]) => count > 0));
}

/** Copies keys of sessions under other names of the same length; they end with those that they were copied from. */
async function copySessions(redis, prefix) {
  const keys = [];
  for await (const found of redis.scanStream({ match: `${prefix}:session:*`, count: 1_000 })) keys.push(...found);
  if (keys.length === 0) throw new Error('there are no sessions to copy');
  for (let made = 0; made < sessions;) {
    const pipeline = redis.pipeline();
    for (let step = 0; step < 1_000 && made < sessions; step++, made++)
      pipeline.copy(keys[made % keys.length], `${prefix}:copied:${String(made).padStart(32, '0')}`);
    const failed = (await pipeline.exec()).find(([error]) => error);
    if (failed) throw failed[0];
  }
}

async function main() {
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment);
  const names = Array.from({ length: USERS - 1 }, (_each, index) => `user${index}`); // and the administrator
  const logins = await createUsers(system.internalUrl, {}, names);
  const [own] = await createUsers(system.internalUrl, {}, ['ann']);
  const people = [];
  for (const login of logins) people.push(await enter(system.publicUrl, login));
  const create = ({ client, folder }, hour) => {
    const [start_date, end_date] = [BEGIN + hour * HOUR, BEGIN + (hour + 0.5) * HOUR];
    const body = { folder_id: folder, title: `Appointment ${hour}`, start_date, end_date, ignore_conflicts: true };
    return client.call('PUT', 'calendar', { action: 'new', timezone: 'UTC' }, body);
  };
  await inParallel(people, 4, async (person) => {
    for (let hour = 0; hour < appointments; hour++) await create(person, hour);
  });
  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  database.on('error', () => undefined);
  await database.connect();
  const redis = new Redis(environment.REDIS_URL);
  const parts = [system.gateway, system.calendar, system.others, ...serverProcesses(environment)];
  // The measured user is in no copied context: his appointments would be copied as well.
  const ann = await enter(system.publicUrl, own);
  const { client, folder } = ann;
  let hour = 0;
  while (hour < 168) await create(ann, (hour += 1));
  const range = { start: BEGIN, end: BEGIN + 168 * HOUR, columns: '1,20,200,201,202,220,221' };
  const hot = {
    'session check': () => client.text('GET', 'user/me', {}),
    week: () => client.call('GET', 'calendar', { action: 'all', folder, ...range }),
    'week of all calendars': () => client.call('GET', 'calendar', { action: 'all', ...range }),
    'new appointment': () => create(ann, (hour += 1)),
    'folder list': () =>
      client.call('GET', 'folders', { action: 'allVisible', content_type: 'calendar', columns: '1,300,308' }),
  };
  const measure = async () => {
    const results = {};
    for (const [name, call] of Object.entries(hot)) results[name] = await costOf(parts, calls, call);
    results['log-in'] = await costOf(parts, 20, (index) => enter(system.publicUrl, logins[index % logins.length]));
    return results;
  };
  const scansOf = async () =>
    (
      await database.query(
        `select format('%s.%s', schemaname, relname) as name, seq_scan::int as scans, n_live_tup::int as rows
         from pg_stat_user_tables`,
      )
    ).rows;

  const alone = await measure();
  const seed = Number(logins[0].split('@')[1]);
  let begun = performance.now();
  const copied = await copyContext(database, seed);
  console.log(
    `${copied['identity.directory_user']} users in ${((performance.now() - begun) / 1000).toFixed(0)} s:`,
    copied,
  );
  begun = performance.now();
  await copySessions(redis, environment.name);
  const memory = /used_memory_human:(\S+)/.exec(await redis.info('memory'))[1];
  console.log(`${sessions} sessions in ${((performance.now() - begun) / 1000).toFixed(0)} s, Redis has ${memory}`);
  const { rows: size } = await database.query('select pg_size_pretty(pg_database_size(current_database())) as size');
  console.log(`the database has ${size[0].size}`);
  const before = new Map((await scansOf()).map(({ name, scans }) => [name, scans]));
  const among = await measure();
  const scanned = (await scansOf()).filter(({ name, scans, rows }) => rows > 10_000 && scans > (before.get(name) ?? 0));
  console.log(`  ${'CPU ms of a call'.padEnd(24)}${parts.map(({ name }) => name.padStart(18)).join('')}      1/s`);
  for (const name of Object.keys(alone))
    for (const [when, { cpuMs, perSecond }] of Object.entries({ alone: alone[name], among: among[name] }))
      console.log(
        `  ${`${name}, ${when}`.padEnd(24)}${parts.map((part) => String(cpuMs[part.name]).padStart(18)).join('')} ${String(perSecond).padStart(8)}`,
      );
  console.log(scanned.length === 0 ? 'no large table was read as a whole' : 'read as a whole:', ...scanned);
  redis.disconnect();
  await database.end();
}

await runBench(main);
