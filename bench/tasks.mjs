// node bench/tasks.mjs: lists and changes of tasks with participants beside one prepared query with the same rows. See README.md.
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { connectTo, copyRows, preparedQuery } from './lib/copy-rows.mjs';
import { createUsers, enter, requireBuild, runBench, servers, startSystem } from './lib/system.mjs';
import { Report } from './lib/turns.mjs';

const GOAL = 0.8;
const COLUMNS = '1,20,2,6,200,202,300,301,309,220';
/** Beyond the ids that calls make, and with the same rest by 16. */
const NEXT_ID = '1000000 + 16 * n';
const PARTICIPANTS = `(select json_agg(json_strip_nulls(json_build_object('type', p.type, 'id', p.entity,
    'mail', case when p.type = 5 then p.mail end, 'display_name', p.display_name)) order by p.position)
  from task_participant p where p.context_id = $1 and p.task_id = a.id and p.listed and not p.removed)`;
const ROWS = `select '[' || coalesce(string_agg(r.cells, ','), '') || ']' from (
    select json_build_array(a.id::text, l.folder_id::text, a.created_by::text, a.last_modified, a.title, a.end_ms, a.status,
      a.percent, a.priority, ${PARTICIPANTS})::text as cells
    from task_folder l join task a on a.context_id = $1 and a.id = l.task_id
    where l.context_id = $1 and l.folder_id = $2 and l.last_modified > $3 order by a.id) r`;

async function main() {
  const { values } = parseArgs({
    options: {
      tasks: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '20' },
      json: { type: 'string' },
      /** Fail when a goal is missed. */
      check: { type: 'boolean', default: false },
    },
  });
  const tasks = Number(values.tasks);
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment, { more: ['tasks'] });
  const names = ['ann', 'bob', 'carl', 'dora'];
  const [ann, ...others] = await createUsers(system.internalUrl, {}, names);
  const contextId = Number(ann.split('@')[1]);
  const { client } = await enter(system.publicUrl, ann);
  const participants = [{ type: 5, mail: 'guest@far.example', display_name: 'Guest' }];
  for (const login of others) participants.push({ type: 1, id: (await enter(system.publicUrl, login)).client.userId });
  const fresh = { title: 'Tasks of the bench', module: 'tasks' };
  const { data: folder } = await client.call('PUT', 'folders', { action: 'new', folder_id: 1 }, fresh);
  const fields = {
    title: 'Task 0',
    folder_id: folder,
    end_date: Date.UTC(2031, 0, 1),
    status: 2,
    percent_completed: 50,
  };
  const made = await client.call('PUT', 'tasks', { action: 'new' }, { ...fields, priority: 2, participants });

  const database = await connectTo(environment, 'tasks');
  const id = Number(made.data.id);
  const copy = (table, key, changes) =>
    copyRows(database, table, `t.context_id = $2 and t.${key} = $3`, changes, tasks - 1, [contextId, id]);
  await copy('task', 'id', `'id', t.id + ${NEXT_ID}, 'uid', 'bench-' || n, 'title', 'Task ' || n`);
  for (const table of ['task_folder', 'task_participant'])
    await copy(table, 'task_id', `'task_id', t.task_id + ${NEXT_ID}`);
  await database.query('vacuum analyze task, task_folder, task_participant');

  const query = (since) => preparedQuery(database, 'tasks', ROWS, [contextId, folder, since]);
  const ask = (parameters) => () =>
    client.answer('GET', 'tasks', { columns: COLUMNS, folder, timezone: 'UTC', ...parameters });
  const all = ask({ action: 'all' });
  const updates = ask({ action: 'updates', timestamp: 1 });
  const expected = JSON.parse(await query(0)());
  assert.equal(expected.length, tasks);
  for (const product of [all, updates]) {
    const byId = (rows) => rows.toSorted(([left], [right]) => left - right);
    assert.deepEqual(byId(JSON.parse(await product()).data), expected, 'the query has other rows than the product');
  }
  const report = new Report(values);
  await report.compare(`all of ${tasks} tasks with 4 participants`, GOAL, [all, query(0)]);
  await report.compare(`updates with ${tasks} changed tasks`, GOAL, [updates, query(1)]);
  await database.end();
  report.finish();
}

await runBench(main, { minutes: 4 });
