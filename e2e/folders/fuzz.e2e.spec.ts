import {
  fieldsOf,
  FolderCreationBody,
  folders,
  operationsOf,
  type FieldDescription,
  type Model,
  type Operation,
} from '@groupware/contracts';
import * as fc from 'fast-check';
import { Client as Database } from 'pg';
import { createFixtures, type Fixtures } from '../fixtures';
import { callOperation } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { ALL, freshName, made, permissionsFor, SUBFOLDERS } from './folders';

/** How long requests are made up, ms. */
const BUDGET_MS = 15_000;
const SEED = Number(process.env.SEED ?? 7);
let world: TestEnvironment;
let cast: Fixtures;
let database: Database;
let ids: string[];

beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFixtures(world);
  database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  const own = await made(cast.U1);
  const common = await made(cast.U1, { permissions: permissionsFor(cast.U1, [cast.U2, SUBFOLDERS]) });
  const open = await made(cast.U2, { permissions: [{ entity: cast.U1.userId, bits: ALL }] }, 2);
  ids = [own, common, open, await made(cast.U1, {}, own), cast.U1.folder, cast.U2.folder];
}, 120_000);
afterAll(async () => {
  await database?.end();
  await world?.close();
});

const oddText = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1',
    '2',
    '3',
    '9',
    '6',
    'u:1',
    'u:999999999',
    'default0',
    '99986',
    '2147483647',
    '9'.repeat(30),
  ),
  fc.constantFrom(
    'NaN',
    'null',
    'true',
    "';--",
    '%00',
    '\u0000',
    '\ud800',
    '../x',
    'calendar',
    'infostore',
    'a'.repeat(300),
  ),
  fc.string({ maxLength: 20, unit: 'binary' }),
);
const someId = () => fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: oddText });
const oddJson = fc.jsonValue({ maxDepth: 2 });

/** Values of texts that mean something. */
const MEANT: Record<string, readonly string[]> = {
  tree: ['0', '1'],
  timezone: ['Europe/Berlin', 'UTC'],
  language: ['de_DE', 'en_US'],
  content_type: ['calendar', '2', 'mail', 'tasks'],
  allowed_modules: ['calendar', 'calendar,mail', '3'],
  module: ['calendar'],
  ignore: ['deleted'],
  transport: ['mail'],
  title: ['a', 'b', 'A', 'Calendar', 'x'.repeat(255)],
  type: ['filestorage'],
};
/** One value in so many is odd. */
const ODD = 24;

/** A value that fits a field, or nearly, or not at all. */
function valueOf(field: FieldDescription, depth = 0): fc.Arbitrary<unknown> {
  if (/^(id|parent|folder_id)$/.test(field.wireName)) return someId();
  const odd = fc.oneof(oddText, oddJson);
  const right = ((): fc.Arbitrary<unknown> => {
    const meant = field.type === 'text' ? MEANT[field.wireName] : undefined;
    if (meant) return fc.constantFrom(...meant);
    if (field.allowed) return fc.constantFrom(...field.allowed);
    switch (field.type) {
      case 'boolean':
        return fc.boolean();
      case 'int':
      case 'number':
        return fc.oneof(
          fc.integer(),
          fc.constantFrom(0, 1, 257, ALL, cast.U1.userId, cast.U2.userId, cast.team, 2 ** 40),
        );
      case 'timestamp':
      case 'time':
      case 'date':
        return fc.oneof(fc.constantFrom(0, 9e12, -1, 1e300), fc.integer());
      case 'columns':
        return fc.constantFrom('1', '1,300,306', 'all', '3060,3201', 'list');
      case 'object':
        return depth > 2 ? oddJson : bodyOf(field.model!(), depth + 1);
      case 'list':
        return field.model && depth <= 2
          ? fc.array(bodyOf(field.model(), depth + 1), { maxLength: 4 })
          : fc.array(fc.oneof(fc.constantFrom(cast.U1.userId, cast.U2.userId, cast.team), fc.integer()), {
              maxLength: 5,
            });
      default:
        return fc.oneof(fc.constantFrom('calendar', 'mail', 'name', 'deleted', 'Europe/Berlin', 'de_DE'), oddText);
    }
  })();
  return fc.oneof({ weight: ODD, arbitrary: right }, { weight: 1, arbitrary: odd });
}

const bodyOf = (model: Model, depth = 0): fc.Arbitrary<object> =>
  fc
    .subarray([...fieldsOf(model)], { maxLength: Math.min(5, fieldsOf(model).length) })
    .chain((fields) => fc.record(Object.fromEntries(fields.map((field) => [field.wireName, valueOf(field, depth)]))))
    // Adds what a permission needs to be one.
    .map((body) => ('bits' in body ? { entity: cast.U1.userId, ...body } : body))
    .map((body) =>
      model === FolderCreationBody && depth === 0 ? { title: freshName(), module: 'calendar', ...body } : body,
    );

function requestOf(operation: Operation): fc.Arbitrary<{ query: Record<string, string>; body: string | undefined }> {
  const fields = fieldsOf(operation.query!);
  const needed = fields.filter(({ optional }) => !optional);
  const free = fields.filter(({ optional }) => optional);
  const query = fc
    .subarray(free, { maxLength: Math.min(3, free.length) })
    .chain((some) =>
      fc.record(Object.fromEntries([...needed, ...some].map((field) => [field.wireName, valueOf(field)]))),
    )
    .map((values) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
        ]),
      ),
    );
  if (!operation.body) return fc.record({ query, body: fc.constant(undefined) });
  const right = operation.body.model ? bodyOf(operation.body.model) : fc.array(someId(), { maxLength: 6 });
  const body = fc.oneof(
    { weight: ODD, arbitrary: right.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: oddJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: oddText },
  );
  return fc.record({ query, body });
}

/** Everything stored about folders, without counters, which every try may move. */
async function stored(): Promise<string> {
  const { rows } = await database.query(
    `select (select json_agg(f order by context_id, id) from calendar.folder f)::text
       || (select json_agg(p order by context_id, folder_id, is_group, entity) from calendar.folder_permission p)::text
       || coalesce((select json_agg(u order by context_id, folder_id, user_id) from calendar.folder_unsubscribed u)::text, '')
       || coalesce((select json_agg(l order by context_id, folder_id, is_group, entity, parent) from calendar.folder_loss l)::text, '')
       as content`,
  );
  return rows[0].content;
}

describe('folders: requests made up by chance', () => {
  it('are answered, never by an unexpected error, and a refused one changes nothing', async () => {
    const operations = operationsOf(folders);
    const end = Date.now() + BUDGET_MS;
    const answered = new Map<string, number>();
    let successes = 0;
    for (let round = 0; Date.now() < end && round < 60; round += 1)
      for (const operation of operations) {
        if (Date.now() >= end) break;
        // Most rounds need something that is left.
        if (operation.name === 'delete' && round % 5 !== 4) continue;
        const [request] = fc.sample(requestOf(operation), {
          numRuns: 1,
          seed: SEED * 100_000 + round * 100 + operations.indexOf(operation),
        });
        const { query, body } = request!;
        const before = await stored();
        const answer = await callOperation(
          cast.U1,
          operation,
          query,
          body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } },
        );
        const what = { name: operation.name, query, body, answer: answer.body };
        expect({ ...what, fine: answer.status < 500 }).toEqual({ ...what, fine: true });
        expect({ ...what, code: answer.body?.code }).not.toMatchObject({ code: 'SVL-0011' });
        expect({ ...what, category: answer.body?.category }).not.toMatchObject({ category: 5 });
        const failed = typeof answer.body?.error === 'string' && answer.body.category !== 13;
        // The others are deleted all the same.
        const isPartial = operation.name === 'delete' && 'failOnError' in what.query;
        if (failed && !isPartial)
          expect({ ...what, same: (await stored()) === before }).toEqual({ ...what, same: true });
        else successes += 1;
        if (operation.name === 'new' && !failed) ids[round % ids.length] = answer.body.data;
        answered.set(operation.name, (answered.get(operation.name) ?? 0) + 1);
      }
    // A folder that is needed may be deleted by chance: what matters is that all actions were tried.
    expect([...answered.keys()].sort()).toEqual(operations.map(({ name }) => name).sort());
    expect(successes).toBeGreaterThan(10);
  }, 60_000);

  it('leave a tree that can be read', async () => {
    for (const tree of ['0', '1']) {
      const answer = await cast.U1.get('folders', 'allVisible', {
        content_type: 'calendar',
        columns: 'all',
        tree,
        all: 1,
      });
      expect(answer.error).toBeUndefined();
      expect(answer.data.private.length).toBeGreaterThan(0);
    }
  });
});
