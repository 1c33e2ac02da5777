import { BreakableLink, testDatabase, until, type TestDatabase } from '@groupware/test-kit';
import { ModuleDatabase, ShardRegistry, type Migration, type MigrationRunner } from '..';

class CreateLedger1763700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create table entry (context_id int, id int, primary key (context_id, id))');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table entry');
  }
}

const migrations = [CreateLedger1763700000000];
const one = { contextId: 1 };
const INSERT = 'insert into entry values ($1, $2)';
/** So long that a busy machine is not taken for a silent server, ms. */
const SILENCE_MS = 1_000;

let test: TestDatabase;
let link: BreakableLink;
let registry: ShardRegistry;
let database: ModuleDatabase;
const problems: string[] = [];

beforeAll(async () => {
  test = await testDatabase({ ledger: migrations });
  link = await BreakableLink.openTo(test.url);
  const url = link.url(test.url);
  registry = await ShardRegistry.open({ url });
  database = await ModuleDatabase.open({
    module: 'ledger',
    registry,
    settings: { url, poolSize: 4, silenceMs: SILENCE_MS },
    migrations,
    migration: { mode: 'none' },
    onProblem: (what) => problems.push(what),
  });
}, 60_000);
beforeEach(() => (problems.length = 0));
afterAll(async () => {
  await database?.close();
  await registry?.close();
  await link?.close();
  await test?.close();
});

const write = (id: number): Promise<number> => database.transact(one, (tx) => tx.run(INSERT, id));
const ids = (): Promise<unknown[]> =>
  database
    .read(one, (db) => db.rows('select id from entry where context_id = $1 order by id'))
    .then((rows) => rows.flat());

describe('the first connection', () => {
  const openBy = (connectTimeoutMs: number): Promise<ModuleDatabase> =>
    ModuleDatabase.open({
      module: 'ledger',
      registry,
      settings: { url: link.url(test.url), connectTimeoutMs },
      migrations,
      migration: { mode: 'none' },
    });
  afterEach(() => link.slow(0));

  it('is tried again when it was not made in time', async () => {
    link.slow(1_000);
    const opening = openBy(400);
    setTimeout(() => link.slow(0), 500);
    const opened = await opening;
    expect(await opened.read(one, (db) => db.rows('select 1 where $1::int = 1'))).toEqual([[1]]);
    await opened.close();
  });

  it('is given up when that does not help', async () => {
    link.slow(1_000);
    await expect(openBy(50)).rejects.toMatchObject({ code: 'SVL-0032' });
  });
});

describe('connections that fall silent', () => {
  it('are ended: reads and transactions that just begin notice nothing but a pause', async () => {
    await Promise.all([write(1), write(2), write(3), write(4)]);
    expect(link.silence()).toBeGreaterThan(1);
    await Promise.all([write(5), write(6), ids()]);
    // Those not used meanwhile are silent as well; no statement waits for them again.
    await Promise.all([7, 8, 9, 10].map(write));
    expect(await ids()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(problems.filter((what) => what === 'database connections fell silent')).toHaveLength(1);
  }, 20_000);

  it('hold no locks for long: a transaction in which it happens fails, and others get its rows', async () => {
    await expect(
      database.transact(one, async (tx) => {
        await tx.run('update entry set id = id where context_id = $1 and id = $2', 1);
        link.silence();
        await tx.run(INSERT, 11);
      }),
    ).rejects.toMatchObject({ code: 'SVL-0032' });
    await database.transact(one, (tx) => tx.run('update entry set id = id where context_id = $1 and id = $2', 1));
    expect(await ids()).not.toContain(11);
  }, 20_000);

  it('are told from a pause of this process', async () => {
    const touch = 'update entry set id = id where context_id = $1 and id = $2';
    await database.transact(one, async (tx) => {
      const answer = tx.run(touch, 1);
      await new Promise(setImmediate);
      const end = performance.now() + 3 * SILENCE_MS;
      while (performance.now() < end);
      await answer;
      while (performance.now() < end + 2 * SILENCE_MS) await tx.run(touch, 1);
    });
    expect(problems).toEqual([]);
  }, 20_000);

  it('are told from those whose statement takes long', async () => {
    await database.read(one, (db) => db.rows('select pg_sleep(3) where $1::int = 1'));
    expect(problems).toEqual([]);
  }, 20_000);

  it('do not keep a statement under way: it is answered by the next connection', async () => {
    const reading = database.read(one, (db) => db.first('select 1 as one from pg_sleep(0.4) where $1::int = 1'));
    await until(async () => database.load.default!.open > database.load.default!.idle, 5_000);
    link.silence();
    expect(await reading).toEqual({ one: 1 });
  }, 20_000);
});
