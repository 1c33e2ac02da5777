// npm run bench -- --only boot: what a client asks when it starts, against a composed minimum that is asked for the same parts.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hash } from '@node-rs/argon2';
import pg from 'pg';
import { compare } from './lib/load.mjs';
import { start } from './lib/processes.mjs';
import { createUsers, enter, keep, PASSWORD, requireBuild, servers, startSystem } from './lib/system.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const GOAL = 0.7;
const TREES = ['caldav', 'calendar', 'contacts', 'core', 'core/updates', 'files', 'mail', 'tasks'];
const FOLDER_COLUMNS =
  '1,2,3,4,5,6,20,23,300,301,302,304,305,306,307,308,309,310,311,312,313,314,315,316,317,318,3010,3020,3030';
const LIST = { module: 'folders', action: 'list', tree: '1', altNames: true, timezone: 'UTC', columns: FOLDER_COLUMNS };

/** Calls that the log-in lacked (API page "Client behaviour", 2.4 row 8); `fixed` needs no database. */
const BOOT = [
  ...TREES.map((name) => ({ call: { module: 'jslob', action: 'list', data: [`io.ox/${name}`] } })),
  { call: { module: 'apps/manifests', action: 'config' }, fixed: true },
  { call: { module: 'oauth/accounts', action: 'all' }, fixed: true },
  { call: { module: 'oauth/services', action: 'all' }, fixed: true },
  { call: { module: 'onboarding', action: 'config' }, fixed: true },
  { call: { module: 'user', action: 'get' } },
  { call: { module: 'account', action: 'all' } },
];
/** Processes of both sides: modules as they are deployed here, beside the gateway. */
const SHARED = ['identity,folders', 'calendar'];
const MORE = ['settings,sso', 'contacts,mail-account,admin', 'tasks,files', 'mail'];
/** The module that answers a call, where it is not that of its name. */
const ANSWERED_BY = {
  jslob: 'settings',
  'apps/manifests': 'admin',
  'oauth/accounts': 'sso',
  'oauth/services': 'sso',
  onboarding: 'settings',
  user: 'identity',
  account: 'mail-account',
  chronos: 'calendar',
  infostore: 'files',
};
/** Modules that each keep the folders of theirs. */
const FOLDER_MODULES = ['calendar', 'contacts', 'tasks', 'infostore', 'mail'];
/** Calls of every five minutes (row 17); `modules` answer their share each. */
const REFRESH = [
  ...['1', '2', '3'].map((parent) => ({ call: { ...LIST, parent }, modules: FOLDER_MODULES })),
  { call: { ...LIST, action: 'allVisible', content_type: 'event', all: true } },
  { call: { module: 'chronos', action: 'needsAction', rangeStart: '20310101T000000Z', rangeEnd: '20311201T000000Z' } },
  { call: { module: 'reminder', action: 'range', end: 0 }, modules: ['calendar', 'tasks'] },
];
const MODULE = 9;
/** What each module contributes to an answer: the folders of its own, or nothing. */
const sharesOf = ({ name, call, body, fixed, modules }) =>
  modules?.map((module) => ({
    name: `${name}/${module}`,
    process: processOf(module),
    body: JSON.stringify(JSON.parse(body).data.filter((row) => row[MODULE] === module)),
  })) ?? [{ name, process: processOf(call?.module ?? 'identity'), body, fixed }];
/** The position of the process that answers for a module. */
function processOf(name) {
  const module = ANSWERED_BY[name] ?? name;
  const position = [...SHARED, ...MORE].findIndex((modules) => modules.split(',').includes(module));
  if (position < 0) throw new Error(`no process has ${module}`);
  return position;
}
const named = (prefix, parts) => parts.map((part, index) => ({ ...part, name: `${prefix}${index}` }));

/**
 * Prepares the three cases; each is a function that measures it.
 * @param {string[]} nodeOptions for every process of the system
 */
export async function bootBench(nodeOptions = []) {
  requireBuild();
  const environment = await servers();
  const limits = { GATEWAY_LOGINS_PER_MINUTE: '10000000', GATEWAY_MAX_CONCURRENT_PER_ADDRESS: '2000' };
  const system = await startSystem(environment, { nodeOptions, settings: limits, more: MORE });
  const [login] = await createUsers(system.internalUrl, {}, ['ann']);
  const { client } = await enter(system.publicUrl, login);
  const context = Number(login.split('@')[1]);
  const form = new URLSearchParams({
    name: login,
    password: PASSWORD,
    client: 'bench',
    rampup: 'true',
    rampUpFor: 'bench',
  });

  const boot = named('boot', BOOT);
  const refresh = named('refresh', REFRESH);
  const bodyOf = (parts) => JSON.stringify(parts.map(({ call }) => call));
  const answersOf = async (parts) => {
    const answers = await client.call('PUT', 'multiple', {}, JSON.parse(bodyOf(parts)));
    const failed = answers.findIndex(({ code }) => code);
    if (failed >= 0) throw new Error(`${JSON.stringify(parts[failed].call)}: ${JSON.stringify(answers[failed])}`);
    return answers.map((answer, index) => ({ ...parts[index], body: JSON.stringify(answer) }));
  };
  const opened = await (
    await fetch(`${system.publicUrl}/login?action=login`, { method: 'POST', body: form, headers: client.headers })
  ).json();
  if (!opened.rampup || opened.rampup.errors) throw new Error(`log-in: ${JSON.stringify(opened).slice(0, 500)}`);
  const rampup = Object.entries(opened.rampup).map(([key, value]) => ({
    name: `rampup-${key}`,
    body: JSON.stringify(value),
    fixed: key === 'serverConfig' || key === 'oauth',
  }));

  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  await database.connect();
  await database.query(`
    create table bench_part (context_id int, name text, body text, fixed boolean, primary key (context_id, name));
    create table bench_user (context_id int, name text, hash text, primary key (context_id, name))`);
  const answered = [await answersOf(boot), await answersOf(refresh), rampup];
  const [bootParts, refreshParts, rampupParts] = answered.map((each) => each.flatMap(sharesOf));
  const parts = [...bootParts, ...refreshParts, ...rampupParts];
  for (const { name, body, fixed = false } of parts)
    await database.query('insert into bench_part values ($1, $2, $3, $4)', [context, name, body, fixed]);
  // As costly as those of the system.
  const hashed = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await database.query('insert into bench_user values ($1, $2, $3)', [context, 'ann', hashed]);
  await database.end();

  const toQuestion = ({ name, process }) => ({ name, process });
  const env = { ...environment, RAMPUP: JSON.stringify(rampupParts.map(toQuestion)) };
  const services = [];
  for (const [position, modules] of [...SHARED, ...MORE].entries()) {
    const file = path.join(here, 'minimum', 'boot-service.mjs');
    services.push(keep(await start(`minimum of ${modules}`, file, { ...env, SERVICE: String(position) })));
  }
  const gateway = keep(await start('minimum gateway', path.join(here, 'minimum', 'boot-gateway.mjs'), env));
  const minimumUrl = gateway.line.split(' ')[1];
  const minimum = await (await fetch(`${minimumUrl}/login`, { method: 'POST', body: form })).json();
  if (!minimum.session) throw new Error(`the minimum refuses the log-in: ${JSON.stringify(minimum)}`);

  const processes = [system.gateway, system.calendar, system.others, ...MORE.map((name) => system[name])];
  const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };
  const batch = (parts, shares) => ({
    candidates: [
      {
        name: 'minimum',
        request: {
          url: `${minimumUrl}/multiple?session=${minimum.session}`,
          method: 'PUT',
          body: JSON.stringify(shares.map(toQuestion)),
        },
        processes: [gateway, ...services],
      },
      {
        name: 'system',
        request: { url: client.url('multiple', {}), method: 'PUT', body: bodyOf(parts), headers: client.headers },
        processes,
      },
    ],
  });
  return [
    {
      title: 'log-in with the whole start data',
      goal: GOAL,
      candidates: [
        {
          name: 'minimum',
          request: { url: `${minimumUrl}/login`, method: 'POST', body: String(form), headers: formHeaders },
          processes: [gateway, ...services],
        },
        {
          name: 'system',
          request: {
            url: `${system.publicUrl}/login?action=login`,
            method: 'POST',
            body: String(form),
            headers: { ...formHeaders, 'user-agent': client.userAgent },
          },
          processes,
        },
      ],
    },
    { title: `batch of ${boot.length} calls of a start`, goal: GOAL, ...batch(boot, bootParts) },
    { title: `batch of ${refresh.length} calls of a refresh`, goal: GOAL, ...batch(refresh, refreshParts) },
  ].map(({ title, goal, candidates }) => async (load) => {
    const withParts = candidates.map((each) => ({ ...each, parts: each.processes }));
    return { title, goal, results: await compare(withParts, load) };
  });
}
