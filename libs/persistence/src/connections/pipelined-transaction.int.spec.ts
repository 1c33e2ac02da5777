import { type EventType } from '@groupware/contracts';
import { sentStatements, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { Client } from 'pg';
import { pipeline, type Migration, type MigrationRunner, type ModuleDatabase, type Transaction } from '..';

class CreateLines1763600000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create table line (context_id int, id int, note text, primary key (context_id, id))');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table line');
  }
}

const one = { contextId: 1 };
const event: EventType<{ id: number }> = { name: 'line.written' } as never;
const INSERT = 'insert into line (context_id, id, note) values ($1, $2, $3)';
const IDS = 'select id from line where context_id = $1 order by id';
let test: TestDatabase;
let database: ModuleDatabase;

beforeAll(async () => {
  test = await testDatabase({ line: [CreateLines1763600000000] });
  database = await test.of('line');
}, 60_000);
afterAll(() => test?.close());
beforeEach(() => database.transact(one, (tx) => tx.run('delete from line where context_id = $1')));

const ids = async (): Promise<unknown[]> => (await database.read(one, (db) => db.rows(IDS))).flat();

/** Sends another statement instead of `begin`. */
function replaceBegin(text: string): jest.SpyInstance {
  const query = Client.prototype.query;
  return jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, given, ...rest) {
    const isBegin = (given as { text?: string }).text?.startsWith('begin');
    return Reflect.apply(query, this, [isBegin ? { text } : given, ...rest]) as void;
  });
}

describe('the statements of a transaction', () => {
  it('travel together when nobody waits in between, the last ones with event and commit', async () => {
    const { roundTrips } = await sentStatements(() =>
      database.transact(one, async (tx) => {
        const [before, count] = await pipeline(
          tx.rows(IDS),
          tx.rows('select count(*) from line where context_id = $1'),
        );
        expect([before, count]).toEqual([[], [[0]]]);
        tx.enqueue(INSERT, 1, 'a');
        tx.enqueue(INSERT, 2, 'b');
        await tx.publish(event, { id: 1 });
      }),
    );
    expect(roundTrips).toHaveLength(2);
    expect(roundTrips[0]!.map((text) => text.slice(0, 6).trim())).toEqual(['begin', 'select', 'select']);
    expect(roundTrips[1]!.map((text) => text.slice(0, 6))).toEqual(['insert', 'insert', 'insert', 'commit']);
    expect(await ids()).toEqual([1, 2]);
  });

  it('take no connection when there are none', async () => {
    const { texts } = await sentStatements(() => database.transact(one, () => Promise.resolve('nothing')));
    expect(texts).toEqual([]);
  });

  it('fail with the first one that fails; those behind it do not run, nor does the commit', async () => {
    const twice = database.transact(one, async (tx) => {
      tx.enqueue(INSERT, 1, 'a');
      tx.enqueue({ sql: INSERT, explain: (cause) => new Error('taken', { cause }) }, 1, 'again');
      tx.enqueue(INSERT, 2, 'b');
    });
    await expect(twice).rejects.toThrow('taken');
    expect(await ids()).toEqual([]);
    const inOneGo = database.transact(one, async (tx) => {
      await pipeline(tx.run(INSERT, 1, 'a'), tx.rows('select 1 / ($1 - 1)'), tx.run(INSERT, 2, 'b'));
    });
    await expect(inOneGo).rejects.toThrow(/division by zero/);
    expect(await ids()).toEqual([]);
  });

  it('leave a connection that goes on working after a failure in a statement that was prepared for the first time', async () => {
    const text = 'select 6 / ($2::int) where $1 > 0';
    for (let round = 0; round < 6; round++) {
      await expect(database.transact(one, (tx) => tx.rows(text, 0))).rejects.toThrow(/division by zero/);
      expect(await database.transact(one, (tx) => tx.rows(text, 3))).toEqual([[2]]);
    }
    await expect(
      database.transact(one, (tx) => tx.rows('select nothing from line where context_id = $1')),
    ).rejects.toThrow(/nothing/);
    expect(await ids()).toEqual([]);
  });

  it('are prepared once, also when one that is new comes twice in the same message', async () => {
    const text = 'select $2::int + 1 where $1 > 0';
    for (let round = 0; round < 3; round++) {
      const twice = await database.transact(one, (tx) => pipeline(tx.rows(text, 1), tx.rows(text, 2)));
      expect(twice).toEqual([[[2]], [[3]]]);
    }
  });

  it('tell of a number that does not fit', async () => {
    const work = database.transact(one, async (tx) => {
      const [huge, rest] = await Promise.allSettled([
        tx.rows('select 9007199254740993 + $1 - $1'),
        tx.rows('select $1 + 1'),
      ]);
      expect(huge).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/without loss/) } });
      expect(rest).toMatchObject({ status: 'fulfilled', value: [[2]] });
    });
    await expect(work).resolves.toBeUndefined();
  });

  it('refuse a value that cannot be sent, with nothing behind it', async () => {
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    for (let round = 0; round < 3; round++) {
      const work = database.transact(one, async (tx) => {
        tx.enqueue(INSERT, 1, 'a');
        tx.enqueue(INSERT, 2, endless);
      });
      await expect(work).rejects.toThrow(/circular/);
      expect(await ids()).toEqual([]);
    }
    await database.transact(one, async (tx) => tx.enqueue(INSERT, 1, 'a'));
    expect(await ids()).toEqual([1]);
  });

  it('undo what was kept in a savepoint that fails, and only that', async () => {
    await database.transact(one, async (tx) => {
      tx.enqueue(INSERT, 1, 'a');
      const failed = tx.savepoint(async () => {
        tx.enqueue(INSERT, 2, 'b');
        tx.enqueue(INSERT, 1, 'again');
      });
      await expect(failed).rejects.toThrow(/duplicate/);
      await tx.savepoint(async () => tx.enqueue(INSERT, 3, 'c'));
      await tx.flush();
    });
    expect(await ids()).toEqual([1, 3]);
  });

  it.each<[string, (tx: Transaction) => Promise<unknown>]>([
    [
      'what is read',
      (tx: Transaction) => {
        tx.enqueue(INSERT, 7, 'x');
        return tx.rows(IDS);
      },
    ],
    ['nothing but what is kept', async (tx: Transaction) => tx.enqueue(INSERT, 7, 'x')],
  ])('begin anew on another connection when the first one died in the pool: %s', async (_name, work) => {
    await Promise.all([1, 2].map(() => database.transact(one, (tx) => tx.rows('select pg_sleep(0.05) where $1 = 1'))));
    const admin = new Client({ connectionString: test.url });
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name like 'groupware line%' and pid <> pg_backend_pid()`,
    );
    await admin.end();
    await database.transact(one, work);
    expect(await ids()).toEqual([7]);
  });

  it('leave nothing when `begin` fails, though they are on their way by then', async () => {
    const spy = replaceBegin('do $$ begin raise query_canceled; end $$');
    try {
      for (const work of [
        async (tx: Transaction) => tx.enqueue(INSERT, 1, 'a'),
        async (tx: Transaction) => void (await pipeline(tx.rows(IDS), tx.run(INSERT, 2, 'b'))),
        async (tx: Transaction) => void (await tx.rows('select id from line where context_id = $1 for update')),
      ])
        await expect(database.transact(one, work)).rejects.toMatchObject({ code: 'SVL-0033' });
    } finally {
      spy.mockRestore();
    }
    expect(await ids()).toEqual([]);
  });

  it('go to another connection after a server that takes no writes any more', async () => {
    const backend = () => database.transact(one, (tx) => tx.rows('select pg_backend_pid() where $1 = 1'));
    const before = await backend();
    expect(await backend()).toEqual(before);
    // Answer of a former primary to `begin read write`.
    const text = 'cannot set transaction read-write mode during recovery';
    const spy = replaceBegin(`do $$ begin raise feature_not_supported using message = '${text}'; end $$`);
    await expect(backend()).rejects.toThrow(text);
    spy.mockRestore();
    expect(await backend()).not.toEqual(before);
  });

  it('flush tells of what was kept', async () => {
    await database
      .transact(one, async (tx) => {
        await tx.flush();
        tx.enqueue(INSERT, 1, 'a');
        await tx.flush();
        tx.enqueue(INSERT, 1, 'a');
        await expect(tx.flush()).rejects.toThrow(/duplicate/);
      })
      .then(
        () => expect(true).toBe('the commit failed'),
        (error: Error) => expect(error.message).toMatch(/swallowed/),
      );
    expect(await ids()).toEqual([]);
  });
});
