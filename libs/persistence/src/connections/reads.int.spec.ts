import { isDeepStrictEqual } from 'node:util';
import { sentStatements, testDatabase, until, type TestDatabase } from '@groupware/test-kit';
import { Client } from 'pg';
import { ModuleDatabase, type Migration, type MigrationRunner } from '..';
import type { DatabaseSettings } from '../database-settings';

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

async function administer(sql: string, ...params: unknown[]): Promise<void> {
  const client = new Client({ connectionString: test.url });
  await client.connect();
  await client.query(sql, params);
  await client.end();
}

describe('reads outside of transactions', () => {
  it('take a connection each, as far as these go; what waits then travels together', async () => {
    const database = await opened({ readConnections: 2 });
    await read(database, SLEEP, 0.01);
    const { roundTrips } = await sentStatements(async () => {
      await Promise.all(numbers(2).map(() => read(database, SLEEP, 0.01)));
      await Promise.all(numbers(20).map(() => read(database, SLEEP, 0.01)));
    });
    expect(roundTrips.map((texts) => texts.length)).toEqual([1, 1, 4, 4, 4, 4, 4]);
    expect(Object.values(database.load)).toMatchObject([{ open: 2, waiting: 0 }]);
  });

  it('travel behind brief ones of the same turn while connections are free', async () => {
    const database = await opened({ readConnections: 3 });
    const lengths = async (...reads: readonly (readonly [sql: string, value: number])[]): Promise<number[]> => {
      const { roundTrips } = await sentStatements(() =>
        Promise.all(reads.map(([sql, value]) => read(database, sql, value))),
      );
      return roundTrips.map((texts) => texts.length);
    };
    const [brief, lasting] = [[NUMBER, 1] as const, [SLEEP, 0.01] as const];
    await read(database, ...lasting);
    await until(async () => isDeepStrictEqual(await lengths(brief, brief, lasting), [3]));
    expect(await lengths(lasting, brief)).toEqual([1, 1]);
    expect(await lengths(lasting, lasting, lasting)).toEqual([1, 1, 1]);
  });

  it('travel alone until their text is known, and when it took long', async () => {
    const database = await opened({ readConnections: 1 });
    const lengths = async (sql: string, value: number): Promise<number[]> => {
      const { roundTrips } = await sentStatements(() => Promise.all(numbers(3).map(() => read(database, sql, value))));
      return roundTrips.map((texts) => texts.length);
    };
    const [unknown, long] = [`${NUMBER} and true`, `${SLEEP} and true`];
    expect(await lengths(unknown, 1)).toEqual([1, 2]);
    expect(await lengths(unknown, 1)).toEqual([3]);
    await read(database, long, 0);
    expect(await lengths(long, 0)).toEqual([3]);
    await read(database, long, 0.3);
    expect(await lengths(long, 0)).toEqual([1, 1, 1]);
  });

  it('fail one by one', async () => {
    const database = await opened({ poolSize: 1 });
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
    const database = await opened({ poolSize: 1 });
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

  it('fail alone also in a message with others, before and behind', async () => {
    const database = await opened({ readConnections: 1 });
    const text = 'select 6 / ($2::jsonb)::int where $1::int = 1';
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (let round = 0; round < 3; round++) {
      await read(database, text, 3);
      const answers = await Promise.allSettled([1, 0, 2, circular, 3, 6].map((value) => read(database, text, value)));
      expect(answers).toMatchObject([
        { value: [6] },
        { reason: { message: 'division by zero' } },
        { value: [3] },
        { reason: { message: expect.stringMatching(/circular/) as unknown } },
        { value: [2] },
        { value: [1] },
      ]);
    }
  });

  it('are sent once, however long they take; the others do not wait for long ones', async () => {
    const database = await opened({ poolSize: 3, readConnections: 2, silenceMs: 100 });
    const { texts } = await sentStatements(async () => {
      const long = Promise.all([read(database, SLEEP, 2), read(database, SLEEP, 2)]).then(() => 'long');
      const short = Promise.all(numbers(12).map((number) => read(database, NUMBER, number))).then(() => 'short');
      expect(await Promise.race([long, short])).toBe('short');
      await long;
    });
    expect(texts.filter((text) => text === SLEEP)).toHaveLength(2);
    expect(texts.filter((text) => text === NUMBER)).toHaveLength(12);
  });

  it('are few at the same time, unless they are long', async () => {
    const database = await opened({ poolSize: 6, readConnections: 2 });
    await Promise.all(numbers(40).map((number) => read(database, NUMBER, number)));
    expect(Object.values(database.load)).toMatchObject([{ open: 2, waiting: 0 }]);
    await Promise.all(numbers(4).map(() => read(database, SLEEP, 1)));
    expect(Object.values(database.load)).toMatchObject([{ open: 4, waiting: 0 }]);
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
    const database = await opened({ poolSize: 2 });
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
