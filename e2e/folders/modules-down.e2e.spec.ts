import { until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { Client } from '../client';
import { createFixtures, PASSWORD, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { made, permissionsFor, VIEWER, warned } from './folders';

const TIMEOUT_MS = 1_500;
const MAX_LISTED = 12;
/** Position of the module among the columns of start data. */
const FOLDER_MODULE_INDEX = 9;
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: {
      FOLDERS_OWNER_TIMEOUT_MS: String(TIMEOUT_MS),
      FOLDERS_MAX_LISTED: String(MAX_LISTED),
      IDENTITY_START_DATA_TIMEOUT_MS: String(TIMEOUT_MS),
    },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const visible = (type: string) => cast.U1.get('folders', 'allVisible', { content_type: type, columns: '1' });
const modules = async () => {
  const answer = await cast.U1.get('folders', 'list', { parent: 1, columns: '301' });
  return { found: answer.data.flat(), warned: warned(answer) };
};

describe('one module after another that does not answer', () => {
  it.each([
    ['calendar', 'contacts'],
    ['contacts', 'calendar'],
  ])('%s takes only its own branch with it, says so, and is back by itself', async (stopped, other) => {
    const before = await modules();
    expect(before).toMatchObject({ found: expect.arrayContaining([stopped, other]), warned: [] });
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    try {
      await database.query('begin');
      await database.query(`lock table ${stopped}.folder in access exclusive mode`);
      expect(await modules()).toEqual({
        found: before.found.filter((name: string) => name !== stopped),
        warned: ['SVL-0032'],
      });
      const missing = await visible(stopped);
      expect([missing.data, warned(missing)]).toEqual([{}, ['SVL-0032']]);
      const there = await visible(other);
      expect(there.data.private.length).toBeGreaterThan(0);
      expect(there.error).toBeUndefined();
      expect((await cast.U1.get('folders', 'root', { columns: '1' })).data).toEqual([['1'], ['2'], ['3'], ['9']]);
      await database.query('rollback');
    } finally {
      await database.end();
    }
    expect(await modules()).toEqual(before);
  });
});

describe('the start data of a client', () => {
  it('PY-05 have the folders of all other modules, also when a module is slower than they may be', async () => {
    const { U1 } = cast;
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    try {
      await database.query('begin');
      await database.query('lock table calendar.folder in access exclusive mode');
      const client = new Client(world.publicUrl);
      const { rampup } = await client.login(U1.loginName, PASSWORD, { rampup: 'true' });
      expect(rampup.folder['1']).toMatchObject({ id: '1' });
      const listed = rampup.folderlist['1'].map((row: unknown[]) => row[FOLDER_MODULE_INDEX]);
      expect(listed).toContain('contacts');
      expect(listed).not.toContain('calendar');
      await database.query('rollback');
    } finally {
      await database.end();
    }
  });
});

describe('changes in a module that does not answer', () => {
  it('are told when it is back', async () => {
    const { U1 } = cast;
    const since = (await U1.get('folders', 'list', { parent: 1, columns: '1' })).timestamp!;
    const [late, early] = [await made(U1), await made(U1, { module: 'contacts' })];
    const updates = async (timestamp: number) => {
      const answer = await U1.get('folders', 'updates', { timestamp, columns: '1' });
      return { ...answer, ids: answer.data.flat() as string[] };
    };
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    try {
      await database.query('begin');
      await database.query('lock table calendar.folder in access exclusive mode');
      const partial = await updates(since);
      expect(partial.ids).toContain(early);
      expect(partial.ids).not.toContain(late);
      expect([partial.timestamp, warned(partial)]).toEqual([since, ['SVL-0032']]);
      await database.query('rollback');
    } finally {
      await database.end();
    }
    // Statements that waited behind the lock run first.
    let whole = await updates(since);
    await until(async () => warned((whole = await updates(since))).length === 0);
    expect(whole.ids).toEqual(expect.arrayContaining([late, early]));
    expect(whole.timestamp).toBeGreaterThan(since);
  });
});

describe('a folder whose module answers too late for its branch', () => {
  it.each([
    ['get', { id: 'folder' }],
    ['path', { id: 'folder', columns: '1' }],
    ['list', { parent: 'folder', columns: '1' }],
  ])('is waited for by %s: it is never said to be gone', async (action, parameters: Record<string, string>) => {
    const { U1 } = cast;
    const id = await made(U1);
    const inside = await made(U1, {}, id);
    const query = Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, value === 'folder' ? id : value]),
    );
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    try {
      await database.query('begin');
      await database.query('lock table calendar.folder in access exclusive mode');
      const asked = U1.get('folders', action, query);
      // It was asked later, so the branch of the first one is given up, too.
      expect((await modules()).warned).toEqual(['SVL-0032']);
      await database.query('rollback');
      const { data, code } = await asked;
      expect(code).toBeUndefined();
      const found = { get: () => data.id, path: () => data[0][0], list: () => data[0][0] }[action]!();
      expect(found).toBe(action === 'list' ? inside : id);
    } finally {
      await database.end();
    }
  });
});

describe('more folders than one answer may have', () => {
  it('are left out, which is told', async () => {
    const { U2, U3 } = cast;
    const top = await made(U2);
    const fill = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => made(U2, { permissions: permissionsFor(U2, [U3, VIEWER]) }, top)),
      );
    const lists = (): Promise<[number, string[]][]> =>
      Promise.all(
        [
          U2.get('folders', 'list', { parent: top, columns: '1' }),
          U2.get('folders', 'shares', { content_type: 'calendar', columns: '1' }),
          U3.get('folders', 'allVisible', { content_type: 'calendar', columns: '1' }),
        ].map(async (asked) => {
          const answer = await asked;
          return [Object.values<unknown[]>(answer.data).flat(answer.data.length ? 0 : 1).length, warned(answer)];
        }),
      );
    await fill(MAX_LISTED - 1);
    expect(await lists()).toEqual([
      [MAX_LISTED - 1, []],
      [MAX_LISTED - 1, []],
      [MAX_LISTED, []],
    ]);
    await fill(2);
    expect(await lists()).toEqual([1, 2, 3].map(() => [MAX_LISTED, ['FLD-9001']]));
  });
});
