import { Client as Database } from 'pg';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { warned } from './folders';

const TIMEOUT_MS = 500;
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({ variables: { FOLDERS_OWNER_TIMEOUT_MS: String(TIMEOUT_MS) } });
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
      expect((await cast.U1.get('folders', 'root', { columns: '1' })).data).toEqual([['1'], ['2'], ['3']]);
      await database.query('rollback');
    } finally {
      await database.end();
    }
    expect(await modules()).toEqual(before);
  });
});
