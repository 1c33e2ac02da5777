import { sentStatements, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { Client } from 'pg';
import { ModuleDatabase, type Migration, type MigrationRunner } from '.';
import type { DatabaseSettings } from './database-settings';

class CreateShelves1763700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create table shelf (context_id int primary key)');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table shelf');
  }
}

const migrations = [CreateShelves1763700000000];
const one = { contextId: 1 };
const NUMBER = 'select $2::int where $1::int = 1';
const SLEEP = 'select pg_sleep($2::float) where $1::int = 1';
let test: TestDatabase;
let databases: ModuleDatabase[] = [];

beforeAll(async () => {
  test = await testDatabase({ shelf: migrations });
}, 60_000);
afterEach(async () => {
  for (const database of databases) await database.close();
  databases = [];
});
afterAll(() => test?.close());

async function opened(settings: Partial<DatabaseSettings> = {}): Promise<ModuleDatabase> {
  const { url, registry } = test;
  const database = await ModuleDatabase.open({
    module: 'shelf',
    registry,
    settings: { url, ...settings },
    migrations,
    migration: { mode: 'none' },
  });
  databases.push(database);
  return database;
}

const read = (database: ModuleDatabase, sql: string, ...params: unknown[]): Promise<unknown[]> =>
  database.read(one, (db) => db.rows(sql, ...params)).then((rows) => rows.flat());

const numbers = (count: number): number[] => Array.from({ length: count }, (_each, index) => index);

/** How long something takes, ms. */
async function timed(work: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
}

async function administer(sql: string, ...params: unknown[]): Promise<void> {
  const client = new Client({ connectionString: test.url });
  await client.connect();
  await client.query(sql, params);
  await client.end();
}

describe('reads outside of transactions', () => {
  it('travel at once and alone while few are asked for', async () => {
    const database = await opened();
    const { roundTrips } = await sentStatements(() =>
      Promise.all([read(database, NUMBER, 1), read(database, NUMBER, 2), read(database, NUMBER, 3)]),
    );
    expect(roundTrips.map((texts) => texts.length)).toEqual([1, 1, 1]);
  });

  it('share a few connections and round trips while many are asked for, each with its own answer', async () => {
    const database = await opened({ poolSize: 8, readConnections: 2, readsTogether: 5 });
    const { roundTrips, texts } = await sentStatements(async () => {
      const answers = await Promise.all(numbers(40).map((number) => read(database, NUMBER, number)));
      expect(answers).toEqual(numbers(40).map((number) => [number]));
    });
    expect(texts).toHaveLength(40);
    expect(Math.max(...roundTrips.map((trip) => trip.length))).toBe(5);
    expect(roundTrips.length).toBeLessThan(15);
    expect(Object.values(await database.load())).toMatchObject([{ open: 2, waiting: 0 }]);
  });

  it('fail one by one: those that travel with a failing one get their answers', async () => {
    const database = await opened({ readConnections: 1 });
    const answers = await Promise.allSettled(
      numbers(20).map((number) => read(database, 'select 1 / $2::int where $1::int = 1', number % 5)),
    );
    for (const [index, answer] of answers.entries())
      expect(answer).toMatchObject(
        index % 5 === 0
          ? { status: 'rejected', reason: expect.objectContaining({ message: 'division by zero' }) as unknown }
          : { status: 'fulfilled', value: [Math.floor(1 / (index % 5))] },
      );
  });

  it('fail alone also when their values cannot be sent', async () => {
    const database = await opened({ readConnections: 1 });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const answers = await Promise.allSettled([
      read(database, NUMBER, 1),
      read(database, NUMBER, 2),
      read(database, 'select $2::jsonb where $1::int = 1', circular),
      read(database, NUMBER, 3),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('do not wait for a slow one: neither those that travel with it nor those behind', async () => {
    const database = await opened({ poolSize: 4, readConnections: 1, readsTogether: 4, readPatienceMs: 50 });
    // Holds the only connection until the others wait together.
    const first = read(database, SLEEP, 0.02);
    const slow = read(database, SLEEP, 2);
    const others = Promise.all(numbers(12).map((number) => read(database, NUMBER, number)));
    expect(await timed(others)).toBeLessThan(1_500);
    await first;
    expect(await slow).toHaveLength(1);
  });

  it('that are slow take more connections, up to all', async () => {
    const database = await opened({ poolSize: 4, readConnections: 1, readPatienceMs: 20 });
    expect(await timed(Promise.all(numbers(4).map(() => read(database, SLEEP, 1))))).toBeLessThan(3_700);
    expect(Object.values(await database.load())).toMatchObject([{ open: 4, waiting: 0 }]);
  });

  it('leave connections to transactions, however many reads there are', async () => {
    const database = await opened({ poolSize: 1 });
    let isOver = false;
    const reading = Promise.all(
      numbers(8).map(async () => {
        while (!isOver) await read(database, NUMBER, 1);
      }),
    );
    await database.transact(one, (tx) => tx.run('insert into shelf values ($1)'));
    isOver = true;
    await reading;
    expect(await read(database, 'select context_id from shelf where context_id = $1')).toEqual([1]);
  });

  it('get answers when the server closes their connections', async () => {
    const database = await opened({ readConnections: 2 });
    await read(database, NUMBER, 1);
    const answers = Promise.all(
      numbers(30).map((number) => read(database, `${NUMBER} and pg_sleep(0.01)::text = ''`, number)),
    );
    await administer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like '% shelf %'`,
    );
    expect(await answers).toEqual(numbers(30).map((number) => [number]));
  });

  it('fail in time when no connection comes free', async () => {
    const database = await opened({ poolSize: 1, connectTimeoutMs: 200 });
    const answers = await database.transact(one, async (tx) => {
      await tx.rows('select $1::int');
      return Promise.allSettled(numbers(10).map((number) => read(database, NUMBER, number)));
    });
    for (const answer of answers) expect(answer).toMatchObject({ reason: { code: 'SVL-0032' } });
    expect(await read(database, NUMBER, 7)).toEqual([7]);
  });
});
