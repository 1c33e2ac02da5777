// node bench/files.mjs: lists of files beside one prepared query with the same rows, moves of folders with many documents
// below them, and archives. See README.md.
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { inParallel } from './lib/client.mjs';
import { connectTo, copyRows, preparedQuery } from './lib/copy-rows.mjs';
import { createUsers, enter, requireBuild, runBench, servers, startSystem } from './lib/system.mjs';
import { Report } from './lib/turns.mjs';

/** Share of the list; longest time of a move, s. */
const GOALS = { list: 0.8, move: 2 };
const COLUMNS = '1,20,2,6,700,702,703,704,705,711';
/** Beyond the ids that calls make, and with the same rest by 16. */
const NEXT_ID = (first) => `${1_000_000 + 16 * first} + 16 * n`;
const ROWS = `select '[' || coalesce(string_agg(r.cells, ','), '') || ']' from (
    select json_build_array(d.folder_id || '/' || d.id, d.folder_id::text, d.created_by::text, d.last_modified, v.title, v.filename,
      v.mime_type, v.size_bytes, v.version::text, d.versions)::text as cells
    from document d join document_version v on v.context_id = $1 and v.document_id = d.id and v.version = d.version
    where d.context_id = $1 and d.folder_id = $2 order by d.id) r`;
/** Later than any change. */
const FAR = Number.MAX_SAFE_INTEGER;

async function main() {
  const { values } = parseArgs({
    options: {
      /** In the listed folder. */
      list: { type: 'string', default: '10000' },
      /** Below the moved folder. */
      objects: { type: 'string', default: '100000' },
      /** Folders below the moved one. */
      folders: { type: 'string', default: '100' },
      /** Files of the archive. */
      zip: { type: 'string', default: '5000' },
      /** Moves and archives. */
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '20' },
      json: { type: 'string' },
      /** Fail when a goal is missed. */
      check: { type: 'boolean', default: false },
    },
  });
  const [list, objects, folders, zip, rounds] = ['list', 'objects', 'folders', 'zip', 'rounds'].map((name) =>
    Number(values[name]),
  );
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment, { more: ['files', 'settings'] });
  const [login] = await createUsers(system.internalUrl, { quotaMb: -1 }, ['ann']);
  const contextId = Number(login.split('@')[1]);
  const { client } = await enter(system.publicUrl, login);
  const { data: home } = await client.call('GET', 'config/folder/infostore', {});
  const folderBelow = async (parent, title) =>
    (await client.call('PUT', 'folders', { action: 'new', folder_id: parent }, { title, module: 'infostore' })).data;
  const upload = async (folder) => {
    const form = new FormData();
    form.set('json', JSON.stringify({ folder_id: folder }));
    form.append('file', new Blob([`content of ${folder} `.repeat(200)], { type: 'text/plain' }), 'file 0.txt');
    const parameters = { action: 'new', plainJson: true };
    const { data } = JSON.parse(await client.text('POST', 'infostore', parameters, form));
    return Number(data.split('/')[1]);
  };
  const database = await connectTo(environment, 'files');
  let copies = 0;
  /** Fills a folder: one file by a call, the others as copies of its rows. */
  const fill = async (folder, count) => {
    const id = await upload(folder);
    const next = NEXT_ID(copies);
    copies += count;
    const copy = (table, key, changes) =>
      copyRows(database, table, `t.context_id = $2 and t.${key} = $3`, changes, count - 1, [contextId, id]);
    await copy('document', 'id', `'id', t.id + ${next}, 'filename', 'file ' || n || '.txt'`);
    const named = `'filename', 'file ' || n || '.txt', 'title', 'file ' || n || '.txt'`;
    await copy('document_version', 'document_id', `'document_id', t.document_id + ${next}, ${named}`);
  };
  const [listed, packed, moved, target] = await Promise.all(
    ['listed', 'packed', 'moved', 'target'].map((title) => folderBelow(home, title)),
  );
  console.log(`files: making ${list}, ${objects} and ${zip} …`);
  await fill(listed, list);
  await fill(packed, zip);
  const below = Array.from({ length: folders }, (_each, index) => index);
  await inParallel(below, 4, async (index) =>
    fill(await folderBelow(moved, `part ${index}`), Math.ceil(objects / folders)),
  );
  await database.query('vacuum analyze document, document_version');

  const query = preparedQuery(database, 'files', ROWS, [contextId, listed]);
  const all = () =>
    client.answer('GET', 'infostore', { action: 'all', columns: COLUMNS, folder: listed, timezone: 'UTC' });
  const expected = JSON.parse(await query());
  assert.equal(expected.length, list);
  const numberOf = ([id]) => Number(id.split('/')[1]);
  const byId = (rows) => rows.toSorted((left, right) => numberOf(left) - numberOf(right));
  assert.deepEqual(byId(JSON.parse(await all()).data), expected, 'the query has other rows than the product');
  const report = new Report(values);
  await report.compare(`all of ${list} files`, GOALS.list, [all, query]);
  await database.end();

  const places = [target, home];
  const [moves, waits] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const parameters = { action: 'update', id: moved, timestamp: FAR };
    const begin = performance.now();
    await client.call('PUT', 'folders', parameters, { folder_id: places[round % places.length] });
    moves.push((performance.now() - begin) / 1000);
    const took = await client.timeFirstBytes('GET', 'infostore', { action: 'zipfolder', folder: packed });
    waits.push(took / 1000);
  }
  report.note(`longest move of ${objects} in ${folders} folders`, {
    value: Math.max(...moves),
    limit: GOALS.move,
    unit: 's',
  });
  report.note(`longest wait for the first byte of ${zip} files`, { value: Math.max(...waits), unit: 's' });
  report.finish();
}

await runBench(main, { minutes: 4 });
