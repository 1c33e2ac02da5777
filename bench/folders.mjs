// node bench/folders.mjs: folder calls of a user with few folders, and of one with many. See README.md.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createUsers, enter, requireBuild, runBench, servers, startSystem } from './lib/system.mjs';

const { values: options } = parseArgs({
  options: {
    /** Folders of the small and of the large tree. */
    few: { type: 'string', default: '100' },
    many: { type: 'string', default: '20000' },
    /** Users who share the folders of a shared tree. */
    owners: { type: 'string', default: '500' },
    /** Folders below the one that is listed. */
    children: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    calls: { type: 'string', default: '20' },
    /** Exit code 1 when a list of one parent takes more than 1.3 times as long in the large tree. */
    check: { type: 'boolean', default: false },
  },
});
const [few, many, owners, children, rounds, calls] = ['few', 'many', 'owners', 'children', 'rounds', 'calls'].map(
  (name) => Number(options[name]),
);
const GOAL = 1.3;
const ALL = 403710016;
const VIEWER = 257;
/** Ids of calendars. */
const idOf = (number) => number * 16 + 2;
/** Columns that the web client asks for. */
const columns =
  '1,2,3,4,5,6,20,23,51,52,300,301,302,304,305,306,307,308,309,310,311,312,313,314,315,316,317,318,319,321,3010,3020,3030,3031,3050,3201,3203,3204,3205,3220,3301';

/** Shapes of trees: the parent and the owner of the folder with a number, of so many. */
const SHAPES = {
  wide: { parent: '1', owner: '$2' },
  deep: { parent: 'case when n % 500 = 0 then 1 else (n - 1) * 16 + 2 end', owner: '$2' },
  shared: { parent: '1', owner: '100000 + n % $3' },
};

/** Stores a tree for a user: some folders of the shape, and one parent with children; answers the parent. */
async function plant(database, { contextId, userId, shape, size }) {
  const { parent, owner } = SHAPES[shape];
  const first = 1_000;
  const last = first + size - 1;
  const add = (text, parameters) => database.query(text, parameters);
  const insert = (above, by) => `insert into calendar.folder
    (context_id, id, parent, type, title, created_by, modified_by, created, last_modified, changed)
    select $1, n * 16 + 2, ${above}, 1, 'Folder ' || n, ${by}, ${by}, 1, 1, 1 from generate_series($4::int, $5::int) n
    where $2::int is not null and $3::int is not null`;
  await add(insert(parent, owner), [contextId, userId, owners, first, last]);
  await add(insert(String(idOf(last)), owner.replace('n %', `${last} %`)), [
    contextId,
    userId,
    owners,
    last + 1,
    last + children,
  ]);
  await add(
    `insert into calendar.folder_permission (context_id, folder_id, entity, is_group, bits)
     select context_id, id, created_by, false, ${ALL} from calendar.folder where context_id = $1 and id >= $2
     union all select context_id, id, $3, false, ${VIEWER} from calendar.folder
       where context_id = $1 and id >= $2 and created_by <> $3`,
    [contextId, idOf(first), userId],
  );
  return { parent: String(idOf(last)), deepest: String(idOf(last + children)) };
}

const median = (values) => [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];

async function main() {
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment);
  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  database.on('error', () => undefined);
  await database.connect();
  let failed = false;
  for (const shape of Object.keys(SHAPES)) {
    const trees = [];
    for (const size of [few, many]) {
      const [login] = await createUsers(system.internalUrl, {}, ['ann']);
      const { client } = await enter(system.publicUrl, login);
      const me = await client.call('GET', 'user', { action: 'get' });
      const tree = { contextId: Number(login.split('@')[1]), userId: Number(me.data.id), shape, size };
      trees.push({ client, ...tree, ...(await plant(database, tree)) });
    }
    await database.query('analyze calendar.folder, calendar.folder_permission');
    const top = shape === 'shared' ? '3' : '1';
    const hot = {
      'list of a parent': ({ client, parent }) => client.text('GET', 'folders', { action: 'list', parent, columns }),
      [`list of ${top}`]: ({ client }) => client.text('GET', 'folders', { action: 'list', parent: top, columns }),
      'list of 2': ({ client }) => client.text('GET', 'folders', { action: 'list', parent: '2', columns }),
      get: ({ client, deepest }) => client.text('GET', 'folders', { action: 'get', id: deepest }),
      path: ({ client, deepest }) => client.text('GET', 'folders', { action: 'path', id: deepest, columns }),
      updates: ({ client }) =>
        client.text('GET', 'folders', { action: 'updates', timestamp: Date.now() - 1000, columns }),
      allVisible: ({ client }) =>
        client.text('GET', 'folders', { action: 'allVisible', content_type: 'event', columns }),
    };
    console.log(`${shape}: p50 ms of a call, ${few} and ${many} folders`);
    for (const [name, call] of Object.entries(hot)) {
      const times = trees.map(() => []);
      for (let round = 0; round < rounds; round += 1)
        for (const [index, tree] of trees.entries()) {
          const count = name === 'allVisible' ? 1 : calls;
          for (let turn = 0; turn < count; turn += 1) {
            const begun = performance.now();
            await call(tree);
            if (round > 0) times[index].push(performance.now() - begun);
          }
        }
      const [small, large] = times.map(median);
      const ratio = large / small;
      failed ||= name === 'list of a parent' && ratio > GOAL;
      console.log(
        `  ${name.padEnd(18)} ${small.toFixed(1).padStart(8)} ${large.toFixed(1).padStart(8)}  ${ratio.toFixed(2)}`,
      );
    }
  }
  await database.end();
  if (options.check && failed) process.exitCode = 1;
}

await runBench(main);
