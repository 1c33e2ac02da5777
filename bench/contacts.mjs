// node bench/contacts.mjs: lists and completion of contacts beside one prepared query with the same result.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Redis from 'ioredis';
import { connectTo } from './lib/copy-rows.mjs';
import { start } from './lib/processes.mjs';
import { createUsers, enter, keep, requireBuild, runBench, servers, startSystem } from './lib/system.mjs';
import { Report } from './lib/turns.mjs';

const GOAL = 0.7;
const COLUMNS = '1,20,500,501,502,555,607';
const CELLS =
  'json_build_array(a.id::text, a.folder_id::text, a.display_name, a.first_name, a.last_name, a.email1, a.sort_name)::text';
const ROWS = (where, order) => `select '[' || coalesce(string_agg(r.cells, ','), '') || ']'
  from (select ${CELLS} as cells from contact a where a.context_id = $1 and a.folder_id = $2 and ${where} order by ${order}) r`;
const BEGINS = (field) => `(a.${field} is not null and lower(a.${field} collate "und-x-icu") ~>=~ $3 and
  lower(a.${field} collate "und-x-icu") ~<~ ($3 || chr(1114111)))`;
const FIELDS = ['first_name', 'last_name', 'display_name', 'email1', 'email2', 'email3'];
const SPECIAL = 'a.sort_name collate people_en nulls first, a.id';

/** So many contacts of a folder, whose names begin with 676 pairs of letters. */
const FILL = `insert into contact (context_id, id, folder_id, uid, created_by, modified_by, created, last_modified,
    first_name, last_name, display_name, email1)
  select $1::int, 1000001 + 2 * n + $5::int, $2::int, 'bench-' || n || '-' || $2::int, $3::int, $3::int, n, n,
    chr(97 + n % 26) || chr(97 + n / 26 % 26) || substr(md5(n::text), 1, 6),
    chr(97 + n / 7 % 26) || chr(97 + n / 182 % 26) || substr(md5('l' || n), 1, 8), 'Person ' || n,
    'x' || substr(md5('m' || n), 1, 8) || '@host' || n % 100 || '.example'
  from generate_series(1, $4::int) as s (n)`;

/** Asks prepared queries as the system would at least: http, a session, the bus. */
async function composedMinimum(environment, statements, contextId) {
  const session = randomBytes(16).toString('hex');
  const redis = new Redis(environment.REDIS_URL);
  await redis.set(`bench-minimum:${session}`, JSON.stringify({ user: 3, context: contextId }), 'EX', 3600);
  await redis.quit();
  const settings = {
    ...environment,
    BENCH_STATEMENTS: JSON.stringify(statements),
    PGOPTIONS: '-c search_path=contacts',
  };
  const program = (name) => fileURLToPath(new URL(`minimum/${name}.mjs`, import.meta.url));
  keep(await start('minimum service', program('service'), settings));
  const gateway = keep(await start('minimum gateway', program('gateway'), settings));
  const [, url] = gateway.line.split(' ');
  return async (name, values) => {
    const query = new URLSearchParams({ session, name, values: JSON.stringify([contextId, ...values]) });
    const text = Buffer.from(await (await fetch(`${url}/query?${query}`)).arrayBuffer());
    if (!text.includes('"data":[')) throw new Error(text.toString('utf8', 0, 500));
    return text;
  };
}

async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      list: { type: 'string', default: '10000' },
      contacts: { type: 'string', default: '100000' },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
    },
  });
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment, { more: ['contacts'] });
  const [login] = await createUsers(system.internalUrl, {}, ['ann']);
  const { client } = await enter(system.publicUrl, login);
  const contextId = Number(login.split('@')[1]);
  const folderOf = async () =>
    Number(
      (
        await client.call(
          'PUT',
          'folders',
          { action: 'new', folder_id: 1 },
          { title: `f${Math.random()}`, module: 'contacts' },
        )
      ).data,
    );
  const [short, long] = [await folderOf(), await folderOf()];
  const database = await connectTo(environment, 'contacts');
  const { rows } = await database.query('select created_by from folder where context_id = $1 and id = $2', [
    contextId,
    short,
  ]);
  console.log(`contacts: making ${values.list} and ${values.contacts} …`);
  await database.query(FILL, [contextId, short, rows[0].created_by, Number(values.list), 0]);
  await database.query(FILL, [contextId, long, rows[0].created_by, Number(values.contacts), 10_000_000]);
  await database.query('vacuum analyze contact');

  const prepared = (name, text, parameters) => () =>
    database.query({ name, text, values: [contextId, ...parameters], rowMode: 'array' });
  const all = ROWS('true', SPECIAL);
  const begins = ROWS(`(${FIELDS.map(BEGINS).join(' or ')})`, SPECIAL);
  const like = (name, parameter) => `lower(a.${name} collate "und-x-icu") like ${parameter}`;
  const term = ROWS(`(${like('first_name', '$3')} or (${like('last_name', '$4')} and not a.email1 is null))`, SPECIAL);
  const changed = ROWS('a.last_modified > $3', SPECIAL);
  const composed = await composedMinimum(environment, { begins, changed }, contextId);
  const prefixOf = (turn) => `${String.fromCharCode(97 + (turn % 26))}${String.fromCharCode(97 + ((turn >> 3) % 26))}`;
  const report = new Report(values);
  const ask = (parameters) => client.answer('GET', 'contacts', { columns: COLUMNS, ...parameters });
  await report.compare(`all, special order, ${values.list}`, GOAL, [
    () => ask({ action: 'all', folder: short }),
    prepared('all', all, [short]),
  ]);
  const completed = (turn) => composed('begins', [long, `${prefixOf(turn)}${turn % 10}`]);
  const complete = (folder) => (turn) =>
    ask({ action: 'autocomplete', query: `${prefixOf(turn)}${turn % 10}`, ...folder });
  await report.compare(`autocomplete over ${values.contacts}, composed`, GOAL, [complete({ folder: long }), completed]);
  await report.compare(`the same in all folders, composed`, undefined, [complete({}), completed]);
  await report.compare('what nobody is called, composed', undefined, [
    () => ask({ action: 'autocomplete', query: '~nobody', folder: long }),
    () => composed('begins', [long, '~nobody']),
  ]);
  const [first] = report.rows.filter(({ title }) => title.startsWith('autocomplete'));
  report.note('autocomplete, p50', { value: first.product.p50, limit: 5, unit: 'ms' });
  report.note('autocomplete, p99', { value: first.product.p99, limit: 25, unit: 'ms' });

  // Three terms in one another: half of the contacts are read, and some 1,500 found.
  const field = (name) => ({ field: name });
  const filter = [
    'and',
    ['=', field('folder_id'), String(long)],
    [
      'or',
      ['=', field('first_name'), 'a*'],
      ['and', ['=', field('last_name'), 'q*'], ['not', ['isNull', field('email1')]]],
    ],
  ];
  const found = await client.call('PUT', 'contacts', { columns: COLUMNS, action: 'advancedSearch' }, { filter });
  const { rows: least } = await prepared('term', term, [long, 'a%', 'q%'])();
  assert.deepEqual(JSON.parse(least[0][0]), found.data, 'the query finds others than the product');
  await report.compare(`advancedSearch, three terms over ${values.contacts}: ${found.data.length}`, GOAL, [
    () => client.answer('PUT', 'contacts', { columns: COLUMNS, action: 'advancedSearch' }, { filter }),
    prepared('term', term, [long, 'a%', 'q%']),
  ]);
  // The stamps of the contacts are their numbers.
  const since = Number(values.contacts) - 100;
  await report.compare(`updates, 100 changes of ${values.contacts}, composed`, GOAL, [
    () => ask({ action: 'updates', folder: long, timestamp: since }),
    () => composed('changed', [long, since]),
  ]);
  await database.end();

  report.finish();
}

await runBench(main, { minutes: 4 });
