// node bench/contacts.mjs: lists and completion of contacts beside one prepared query with the same result.
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createUsers, enter, requireBuild, runBench, servers, startSystem } from './lib/system.mjs';

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

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** Asks both by turns; ms of each. */
async function compare(candidates, seconds) {
  const times = candidates.map(() => []);
  for (let warmup = 0; warmup < 30; warmup++) for (const ask of candidates) await ask(warmup);
  const end = performance.now() + seconds * 1000;
  for (let turn = 0; performance.now() < end; turn++)
    for (const [index, ask] of candidates.entries()) {
      const begin = performance.now();
      await ask(turn);
      times[index].push(performance.now() - begin);
    }
  return times.map((each) => {
    each.sort((left, right) => left - right);
    return { count: each.length, p50: at(each, 0.5), p99: at(each, 0.99) };
  });
}

await runBench(async () => {
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
  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  await database.connect();
  await database.query('set search_path to contacts');
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
  const prefixOf = (turn) => `${String.fromCharCode(97 + (turn % 26))}${String.fromCharCode(97 + ((turn >> 3) % 26))}`;
  const results = [];
  const measure = async (title, system_, minimum) => {
    const [product, query] = await compare([system_, minimum], Number(values.seconds));
    results.push({ title, product, query, ratio: query.p50 / product.p50 });
  };
  const ask = (parameters) => client.text('GET', 'contacts', { columns: COLUMNS, ...parameters });
  await measure(
    `all, special order, ${values.list}`,
    () => ask({ action: 'all', folder: short }),
    prepared('all', all, [short]),
  );
  await measure(
    `autocomplete over ${values.contacts}`,
    (turn) => ask({ action: 'autocomplete', query: `${prefixOf(turn)}${turn % 10}`, folder: long }),
    (turn) => prepared('begins', begins, [long, `${prefixOf(turn)}${turn % 10}`])(),
  );
  await measure(
    `autocomplete over ${values.contacts}, all folders`,
    (turn) => ask({ action: 'autocomplete', query: `${prefixOf(turn)}${turn % 10}` }),
    (turn) => prepared('begins', begins, [long, `${prefixOf(turn)}${turn % 10}`])(),
  );
  await measure(
    'autocomplete of what nobody is called',
    () => ask({ action: 'autocomplete', query: '~nobody', folder: long }),
    prepared('begins', begins, [long, '~nobody']),
  );
  await database.end();

  console.log(
    '\none question at a time, ms; share: time of the prepared query alone, of that of the product through HTTP',
  );
  for (const { title, product, query, ratio } of results)
    console.log(
      `  ${title.padEnd(42)} product p50 ${product.p50.toFixed(2)} p99 ${product.p99.toFixed(2)}, query p50 ${query.p50.toFixed(2)} p99 ${query.p99.toFixed(2)}, share ${ratio.toFixed(2)}`,
    );
  if (values.json) fs.writeFileSync(values.json, JSON.stringify(results, undefined, 2));
  if (values.check && results[0].ratio < GOAL) process.exitCode = 1;
});
