import { event, eventCatalog, RequestErrors, type EventMessage } from '@groupware/contracts';
import { dropDatabases, sentStatements } from '@groupware/test-kit';
import { Client } from 'pg';
import { constraintOf } from './constraint';
import { consumeOnce } from './consumed-events';
import { describeSchema } from './describe-schema';
import { migrate, rollback } from './migrate';
import type { Migration, MigrationRunner } from './migration';
import { ModuleDatabase } from './module-database';
import { OutboxRelay } from './outbox-relay';
import type { Reader } from './reader';
import { ShardRegistry } from './shard-registry';

class CreateThings1700000000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.extension('btree_gist');
    await db.query(`
      create table thing (context_id int, id int, name text, at bigint, amount numeric, data jsonb, big bigint[],
        primary key (context_id, id));
      create unique index thing_name on thing (context_id, name);
    `);
  }
  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table thing');
  }
}
class AddNote1700000000001 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`alter table thing add note text`);
  }
  async down(db: MigrationRunner): Promise<void> {
    await db.query(`alter table thing drop note`);
  }
}
class Fails1700000000002 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`create table half_done (id int)`);
    await db.query(`select no_such_function()`);
  }
  async down(): Promise<void> {}
}

const migrations = [CreateThings1700000000000, AddNote1700000000001];
const events = eventCatalog('persistence-spec', { 'thing.made': event<{ id: number }>('made') });
const adminUrl = process.env['DATABASE_URL']!;
const name = `persistence_${process.pid}_${Date.now()}`;
const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).toString();
const shardUrl = Object.assign(new URL(adminUrl), { pathname: `/${name}_b` }).toString();
const one = { contextId: 1 };
const two = { contextId: 2 };

async function administer(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

describe('a module database', () => {
  let registry: ShardRegistry;
  let database: ModuleDatabase;
  const problems: string[] = [];

  beforeAll(async () => {
    await administer(`create database ${name}`, `create database ${name}_b`);
    registry = await ShardRegistry.open({ url, leaseMs: 200 });
    database = await ModuleDatabase.open({
      module: 'spec-module',
      registry,
      settings: { url, poolSize: 6, lockTimeoutMs: 2_000, statementTimeoutMs: 3_000 },
      migrations,
      onProblem: (what) => problems.push(what),
    });
  });

  beforeEach(async () => {
    await database.acrossContexts('a test looks at all', (db) =>
      db.run('truncate thing, outbox, sent_event, consumed_event'),
    );
  });

  afterAll(async () => {
    await database?.close();
    await registry?.close();
    await dropDatabases(name, `${name}_b`);
  });

  const insert = (tenant: { contextId: number }, id: number, label: string) =>
    database.transact(tenant, (tx) =>
      tx.run('insert into thing (context_id, id, name, at) values ($1, $2, $3, 5)', id, label),
    );
  const labels = (tenant: { contextId: number }) =>
    database.read(tenant, async (db) =>
      (await db.rows('select name from thing where context_id = $1 order by id')).flat(),
    );

  it('binds every statement to the context of its tenant', async () => {
    await insert(one, 1, 'mine');
    await insert(two, 1, 'theirs');
    expect(await labels(one)).toEqual(['mine']);
    expect(await labels(two)).toEqual(['theirs']);
  });

  it('reaches other contexts by a door that says so, which ends with the reader', async () => {
    await insert(one, 1, 'mine');
    await insert(two, 1, 'theirs');
    const read = () =>
      database.read(one, async (db) => {
        const door = db.acrossContexts('a test looks at all');
        return { door, found: await door.rows('select name from thing where id = $1 order by name', 1) };
      });
    const { door, found } = await read();
    expect(found).toEqual([['mine'], ['theirs']]);
    await expect(door.rows('select 1')).rejects.toThrow(/after its callback had ended/);
  });

  it('refuses a statement that does not name the context, and a tenant without one', async () => {
    await expect(database.read(one, (db) => db.rows('select name from thing'))).rejects.toThrow(/context/);
    await expect(database.read(one, (db) => db.rows('select $2::int, $10::int', 1))).rejects.toThrow();
    const unproven = 'select name from thing where $1::int > 0';
    await expect(database.read(one, (db) => db.rows(unproven))).rejects.toThrow(/other contexts: thing: not bound/);
    await expect(
      database.transact(one, async (tx) => tx.enqueue('update thing set at = 0 where id = $1 and id > 0')),
    ).rejects.toThrow(/other contexts: thing: not bound/);
    for (const contextId of [0, -1, NaN, undefined, '1'])
      await expect(database.read({ contextId } as any, async () => 1)).rejects.toThrow(/no context id/);
  });

  it('leaves plans to Postgres, but for transactions and snapshots that ask for generic ones', async () => {
    const plans = (db: Reader) =>
      db.rows(`select current_setting('plan_cache_mode'), current_setting('enable_seqscan') where $1::int > 0`);
    const usual = [['auto', 'on']];
    expect(await database.transact(one, plans, { plans: 'generic' })).toEqual([['force_generic_plan', 'off']]);
    expect(await database.transact(one, plans)).toEqual(usual);
    expect(await database.read(one, plans)).toEqual(usual);
    expect(await database.read(one, plans, { snapshot: true })).toEqual(usual);
    expect(await database.read(one, plans, { snapshot: true, plans: 'generic' })).toEqual([
      ['force_generic_plan', 'off'],
    ]);
  });

  it('delivers numbers, json and arrays as values, and a number beyond 2^53 as an error', async () => {
    await database.transact(one, (tx) =>
      tx.run(`insert into thing values ($1, 1, 'x', $2, 12.5, $3, $4)`, 1_763_700_000_123, JSON.stringify({ a: [1] }), [
        1,
        2 ** 52,
      ]),
    );
    const sql = 'select at, amount, data, big, now()::timestamp::date is null from thing where context_id = $1';
    expect(await database.read(one, (db) => db.rows(sql))).toEqual([
      [1_763_700_000_123, 12.5, { a: [1] }, [1, 2 ** 52], false],
    ]);
    await expect(database.read(one, (db) => db.rows('select 9007199254740993::bigint where $1 = 1'))).rejects.toThrow(
      /9007199254740993/,
    );
    expect(await labels(one)).toEqual(['x']);
  });

  it('gives rows as arrays, objects, a first object and unparsed text', async () => {
    await insert(one, 1, 'a');
    await insert(one, 2, 'b');
    await database.read(one, async (db) => {
      expect(await db.rows('select id, name from thing where context_id = $1 order by 1')).toEqual([
        [1, 'a'],
        [2, 'b'],
      ]);
      expect(await db.objects('select id from thing where context_id = $1 order by 1')).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await db.first('select id from thing where context_id = $1 and name = $2', 'b')).toEqual({ id: 2 });
      expect(await db.first('select id from thing where context_id = $1 and name = $2', 'c')).toBeUndefined();
      const sql =
        'select json_agg(json_build_array(id, name) order by id) from thing where context_id = $1 and id < $2';
      expect(await db.text(sql, 9)).toBe('[[1, "a"], [2, "b"]]');
      expect(await db.text(sql, 0)).toBeUndefined();
    });
  });

  it('answers the same when a text is prepared under a name', async () => {
    await insert(one, 1, 'a');
    for (let round = 0; round < 5; round++) expect(await labels(one)).toEqual(['a']);
    const [row] = await database.acrossContexts('a test looks at all', (db) =>
      db.rows(`select count(*) from pg_stat_activity where application_name like 'groupware spec-module %'`),
    );
    expect(row![0]).toBeGreaterThan(0);
  });

  it('reads results the same way at the first call of a text and at all later ones', async () => {
    await insert(one, 1, 'a');
    const select = 'select at, amount, data, big, name, id from thing where context_id = $1 and id = $2';
    const update = 'update thing set at = $2, amount = 1.5, data = $3, big = $4 where context_id = $1';
    for (let round = 0; round < 5; round++) {
      const found = await database.transact(one, async (tx) => {
        expect(await tx.run(update, 2 ** 52 + round, JSON.stringify([null]), [round])).toBe(1);
        expect(await tx.run(`${update} and id = $5`, 0, '{}', [], 99)).toBe(0);
        return [
          await tx.rows(select, 1),
          await tx.objects(select, 1),
          await tx.text(select, 1),
          await tx.first(select, 9),
        ];
      });
      const values = { at: 2 ** 52 + round, amount: 1.5, data: [null], big: [round], name: 'a', id: 1 };
      expect(found).toEqual([[Object.values(values)], [values], String(values.at), undefined]);
      const big = database.read(one, (db) => db.rows('select 9007199254740993::bigint, 1 where $1 = 1'));
      await expect(big).rejects.toThrow(/9007199254740993/);
      const failing = database.read(one, (db) => db.rows('select 1 / $2::int where $1 = 1', 0));
      await expect(failing).rejects.toThrow(/division by zero/);
      const circular: unknown[] = [];
      circular.push({ circular });
      const unwritable = database.read(one, (db) => db.rows('select $2::jsonb where $1 = 1', circular[0]));
      await expect(unwritable).rejects.toThrow(/circular/i);
    }
  });

  it('goes on when a migration changed the type of a prepared result', async () => {
    const sql = 'select * from thing where context_id = $1';
    await insert(one, 1, 'a');
    for (let round = 0; round < 8; round++) await database.read(one, (db) => db.objects(sql));
    await database.transact(one, async (tx) => {
      await tx.objects(sql);
    });
    await database.acrossContexts('a test looks at all', (db) => db.run('alter table thing add extra int default 7'));
    for (let round = 0; round < 8; round++)
      expect(await database.read(one, (db) => db.objects(sql))).toEqual([expect.objectContaining({ extra: 7 })]);
    expect(await database.transact(one, (tx) => tx.objects(sql))).toHaveLength(1);
    await database.acrossContexts('a test looks at all', (db) => db.run('alter table thing drop extra'));
  });

  it('refuses a reader or a transaction after its callback ended', async () => {
    let kept!: Reader;
    await database.read(one, async (db) => void (kept = db));
    await expect(kept.rows('select $1')).rejects.toThrow(/ended/);
    await database.transact(one, async (tx) => void (kept = tx));
    await expect(kept.rows('select $1')).rejects.toThrow(/ended/);
    await database.read(one, async (db) => void (kept = db), { snapshot: true });
    await expect(kept.rows('select $1')).rejects.toThrow(/ended/);
  });

  it('sees one moment in a snapshot, and refuses to write there', async () => {
    await insert(one, 1, 'a');
    const count = 'select count(*) from thing where context_id = $1';
    await database
      .read(
        one,
        async (db) => {
          expect(await db.rows(count)).toEqual([[1]]);
          await insert(one, 2, 'b');
          expect(await db.rows(count)).toEqual([[1]]);
          await expect(db.rows('delete from thing where context_id = $1')).rejects.toThrow(/read-only/);
        },
        { snapshot: true },
      )
      .catch((error: Error) => expect(error.message).toMatch(/rolled back|aborted/));
    expect(await labels(one)).toEqual(['a', 'b']);
  });

  it('undoes everything when the work throws, and runs no effect', async () => {
    const effect = jest.fn();
    await expect(
      database.transact(one, async (tx) => {
        await tx.run(`insert into thing (context_id, id) values ($1, 1)`);
        await tx.publish(events['thing.made'], { id: 1 });
        tx.afterCommit(effect);
        throw RequestErrors.badRequest('no');
      }),
    ).rejects.toMatchObject({ code: 'SVL-0020' });
    expect(await labels(one)).toEqual([]);
    expect(effect).not.toHaveBeenCalled();
    expect(await new OutboxRelay({ database, publish: async () => {} }).pending()).toBe(0);
  });

  it('runs effects after the commit; a failing one is reported and fails nothing', async () => {
    const seen: unknown[] = [];
    problems.length = 0;
    await database.transact(one, async (tx) => {
      tx.afterCommit(() => {
        throw new Error('effect');
      });
      tx.afterCommit(() => void seen.push('second'));
      await tx.run(`insert into thing (context_id, id) values ($1, 1)`);
    });
    expect(seen).toEqual(['second']);
    expect(problems).toHaveLength(1);
  });

  it('waits for effects after the commit that callers are to know of; neither a failing one nor an undone one counts', async () => {
    const seen: unknown[] = [];
    problems.length = 0;
    const later = async (what: string): Promise<void> => {
      await new Promise((done) => setTimeout(done, 20));
      seen.push(what, await labels(one));
    };
    await database.transact(one, async (tx) => {
      tx.awaitAfterCommit(() => Promise.reject(new Error('effect')));
      tx.awaitAfterCommit(() => later('done'));
      await tx
        .savepoint(async () => {
          tx.awaitAfterCommit(() => later('undone'));
          throw RequestErrors.badRequest('no');
        })
        .catch(() => undefined);
      await tx.run(`insert into thing (context_id, id, name) values ($1, 7, 'seven')`);
    });
    expect(seen).toEqual(['done', ['seven']]);
    expect(problems).toHaveLength(1);
  });

  it('never acknowledges a transaction that the server rolled back', async () => {
    await expect(
      database.transact(one, async (tx) => {
        await tx.run(`insert into thing (context_id, id) values ($1, 1)`);
        await tx.run('select 1 / 0 where $1 > 0').catch(() => undefined);
      }),
    ).rejects.toThrow(/rolled back/);
    expect(await labels(one)).toEqual([]);
  });

  it('names the violated constraint, and a savepoint lets the transaction go on without the events of the failure', async () => {
    await insert(one, 1, 'taken');
    const outcome = await database.transact(one, async (tx) => {
      await tx.publish(events['thing.made'], { id: 2 });
      const failure = await tx
        .savepoint(async () => {
          await tx.publish(events['thing.made'], { id: 99 });
          await tx.run(`insert into thing (context_id, id, name) values ($1, 3, 'taken')`);
        })
        .catch((error: unknown) => error);
      await tx.run(`insert into thing (context_id, id, name) values ($1, 4, 'free')`);
      return failure;
    });
    expect(constraintOf(outcome)).toBe('thing_name');
    expect(constraintOf(new Error('x', { cause: outcome }))).toBe('thing_name');
    expect(constraintOf(new Error('x'))).toBeUndefined();
    expect(await labels(one)).toEqual(['taken', 'free']);
    expect(await database.acrossContexts('a test looks at all', (db) => db.rows('select payload from outbox'))).toEqual(
      [[{ id: 2 }]],
    );
  });

  it('repeats a transaction that lost a deadlock', async () => {
    await insert(one, 1, 'a');
    await insert(one, 2, 'b');
    let attempts = 0;
    const both = async (first: number, second: number) =>
      database.transact(one, async (tx) => {
        attempts++;
        const sql = `update thing set at = at + 1 where context_id = $1 and id = $2`;
        await tx.run(sql, first);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await tx.run(sql, second);
      });
    await Promise.all([both(1, 2), both(2, 1)]);
    expect(attempts).toBeGreaterThan(2);
    expect(await database.read(one, (db) => db.rows('select at from thing where context_id = $1'))).toEqual([[7], [7]]);
  });

  it('repeats a read that lost a deadlock, as against a migration of two tables', async () => {
    await insert(one, 1, 'a');
    const migrating = new Client({ connectionString: url });
    await migrating.connect();
    try {
      await migrating.query('begin; lock table spec_module.outbox in access exclusive mode');
      const reading = database.read(one, (db) =>
        db.rows('select t.name from thing t left join outbox o using (context_id) where t.context_id = $1'),
      );
      // Long before it looks for a deadlock, which is after a second.
      const waiting = `select from pg_locks where relation = 'spec_module.outbox'::regclass
        and not granted and waitstart < clock_timestamp() - interval '0.5 s'`;
      while (!(await migrating.query(waiting)).rowCount);
      // It has waited for longer than the other is going to: Postgres ends it.
      await migrating.query('lock table spec_module.thing in access exclusive mode');
      await migrating.query('commit');
      expect(await reading).toEqual([['a']]);
    } finally {
      await migrating.end();
    }
  });

  it('repeats a serializable transaction until nobody interfered', async () => {
    await insert(one, 1, 'a');
    await Promise.all(
      Array.from({ length: 4 }, () =>
        database.transact(
          one,
          async (tx) => {
            const [[at]] = (await tx.rows('select at from thing where context_id = $1')) as [[number]];
            await tx.run('update thing set at = $2 where context_id = $1', at + 1);
          },
          { isolation: 'serializable' },
        ),
      ),
    );
    expect(await database.read(one, (db) => db.rows('select at from thing where context_id = $1'))).toEqual([[9]]);
  });

  it('answers a lock or a statement that takes too long with a catalogue error', async () => {
    await insert(one, 1, 'a');
    const slow = database.read(one, (db) => db.rows('select pg_sleep(20) where $1 = 1'));
    await expect(slow).rejects.toMatchObject({ code: RequestErrors.deadlinePassed.entry.code });
    await database.transact(one, async (tx) => {
      await tx.run('update thing set at = 1 where context_id = $1');
      const other = database.transact(one, (waiting) => waiting.run('update thing set at = 2 where context_id = $1'));
      await expect(other).rejects.toMatchObject({ code: RequestErrors.deadlinePassed.entry.code });
    });
  });

  it.each([
    ['NUL in a text', 'select $2::text, $1::int', 'a\0b'],
    ['NUL inside JSON', `select $2::jsonb->>'a', $1::int`, JSON.stringify({ a: '\0' })],
    ['half of a surrogate pair inside JSON', 'select $2::jsonb, $1::int', JSON.stringify(['\ud800'])],
  ])('answers %s with a catalogue error', async (_what, sql, text) => {
    await expect(database.read(one, (db) => db.rows(sql, text))).rejects.toMatchObject({ code: 'SVL-0031' });
  });

  it('survives connections that the server closed', async () => {
    await Promise.all(Array.from({ length: 4 }, () => labels(one)));
    await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    expect(await labels(one)).toEqual([]);
    await insert(one, 1, 'a');
    const broken = database.transact(one, async (tx) => {
      await tx.run(`insert into thing (context_id, id) values ($1, 2)`);
      await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      await tx.run(`insert into thing (context_id, id) values ($1, 3)`);
    });
    await expect(broken).rejects.toMatchObject({ code: RequestErrors.serviceUnavailable.entry.code });
    expect(await labels(one)).toEqual(['a']);
  });

  it('survives that its first connection breaks inside a transaction that does nothing at the moment', async () => {
    const fresh = await ModuleDatabase.open({
      module: 'spec-module',
      registry,
      settings: { url, poolSize: 1 },
      migrations,
    });
    try {
      const broken = fresh.transact(one, async (tx) => {
        const [[pid]] = (await tx.rows('select pg_backend_pid() where $1::int > 0')) as [[number]];
        await administer(`select pg_terminate_backend(${pid})`);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await tx.rows('select $1::int');
      });
      await expect(broken).rejects.toThrow();
      expect(await fresh.read(one, (reader) => reader.rows('select $1::int'))).toEqual([[1]]);
    } finally {
      await fresh.close();
    }
  });

  it('does not run out of connections when reads are nested deeper than the pool', async () => {
    const nested = async (depth: number): Promise<unknown> =>
      database.read(one, async (db) => {
        await db.rows('select $1::int');
        if (depth > 0) await nested(depth - 1);
      });
    await Promise.all(Array.from({ length: 20 }, () => nested(10)));
  });

  describe('outbox', () => {
    const make = (tenant: { contextId: number }, id: number) =>
      database.transact(tenant, (tx) => tx.publish(events['thing.made'], { id }));

    it('sends each event once, in order, with its tenant, however many relays there are', async () => {
      for (let id = 1; id <= 30; id++) await make(id % 2 ? one : two, id);
      const sent: EventMessage<any>[] = [];
      const publish = async (message: EventMessage) => void sent.push(message);
      const relays = [1, 2, 3].map(() => new OutboxRelay({ database, publish, batchSize: 7 }));
      await Promise.all(relays.map((relay) => relay.drain()));
      await relays[0]!.drain();
      expect(sent.map((message) => message.payload.id).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 30 }, (_, index) => index + 1),
      );
      expect(new Set(sent.map((message) => message.id)).size).toBe(30);
      expect(sent.every((message) => message.contextId === (message.payload.id % 2 ? 1 : 2))).toBe(true);
      expect(Object.keys(sent[0]!).sort()).toEqual(['contextId', 'id', 'name', 'occurredAt', 'payload']);
      expect(await relays[0]!.pending()).toBe(0);
    });

    it('keeps events while the broker is down and sends them when it is back; what was taken is not sent again', async () => {
      for (let id = 1; id <= 5; id++) await make(one, id);
      let down = true;
      const sent: number[] = [];
      const reported: string[] = [];
      const relay = new OutboxRelay({
        database,
        pollMs: 20,
        publish: async (message) => {
          if (down && (message.payload as { id: number }).id > 2) throw new Error('no broker');
          sent.push((message.payload as { id: number }).id);
        },
        onProblem: (what) => reported.push(what),
      });
      relay.start();
      await until(() => reported.length > 0);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(sent).toEqual([1, 2]);
      expect(reported).toHaveLength(1);
      down = false;
      await until(async () => (await relay.pending()) === 0);
      expect(sent).toEqual([1, 2, 3, 4, 5]);
      await relay.stop();
    });

    it('keeps confirmed events for a while, and sends again what the broker may have lost, in order', async () => {
      const sent: number[] = [];
      let generation = 'a';
      const publish = async (message: EventMessage) => {
        sent.push((message.payload as { id: number }).id);
        return { generation, seq: sent.length };
      };
      const relay = new OutboxRelay({ database, publish, keepSentMs: 60_000 });
      for (let id = 1; id <= 4; id++) await make(one, id);
      await relay.drain();
      expect(await relay.pending()).toBe(0);
      expect(await relay.receipts()).toEqual([{ generation: 'a', seq: 4 }]);
      expect(await relay.resend('a')).toBe(0);
      // The broker came back from a backup with the first two.
      generation = 'b';
      await make(one, 5);
      expect(await relay.resend('b', { generation: 'a', seq: 2 })).toBe(2);
      await relay.drain();
      expect(sent).toEqual([1, 2, 3, 4, 3, 4, 5]);
      // It came back empty.
      expect((await Promise.all([relay.resend('c'), relay.resend('c')])).reduce((a, b) => a + b)).toBe(5);
      await relay.drain();
      expect(sent.slice(7)).toEqual([1, 2, 3, 4, 5]);
      await database.acrossContexts('a test looks at all', (db) =>
        db.run('update sent_event set sent_at = sent_at - 60_000'),
      );
      relay.start();
      await until(async () => (await relay.receipts()).length === 0);
      await relay.stop();
    });

    it('is woken by a commit', async () => {
      const sent: number[] = [];
      const publish = async (message: EventMessage) => void sent.push((message.payload as { id: number }).id);
      const relay = new OutboxRelay({ database, publish, pollMs: 60_000 });
      relay.start();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await make(one, 1);
      await until(() => sent.length === 1);
      await relay.stop();
    });

    it('finds what others left, and asks for it by one statement without a transaction', async () => {
      await make(one, 1);
      const sent: number[] = [];
      const publish = async (message: EventMessage) => void sent.push((message.payload as { id: number }).id);
      const relay = new OutboxRelay({ database, publish, pollMs: 10, paceMs: 0 });
      relay.start();
      await until(async () => (await relay.pending()) === 0);
      const { texts } = await sentStatements(() => new Promise((resolve) => setTimeout(resolve, 300)));
      await relay.stop();
      expect(sent).toEqual([1]);
      const poll = 'select exists (select from outbox)';
      // The first round ends with a purge, which may still run here; the next poll follows it.
      const ofPolls = texts.slice(texts.indexOf(poll)).filter((text) => !text.includes('registry.shard'));
      expect(ofPolls.length).toBeGreaterThan(3);
      expect(new Set(ofPolls)).toEqual(new Set([poll]));
    });

    it('carries what is stored in quick succession together', async () => {
      const sent: number[] = [];
      const publish = async (message: EventMessage) => void sent.push((message.payload as { id: number }).id);
      const relay = new OutboxRelay({ database, publish, pollMs: 60_000, paceMs: 2_000 });
      const { texts } = await sentStatements(async () => {
        relay.start();
        for (let id = 1; id <= 6; id++) {
          await make(one, id);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        await until(() => sent.length === 6);
      });
      await relay.stop();
      expect(texts.filter((text) => text.includes('skip locked')).length).toBeLessThan(4);
    });

    it('gives up a batch that the broker never confirms', async () => {
      await make(one, 1);
      const relay = new OutboxRelay({ database, publishTimeoutMs: 50, publish: () => new Promise(() => {}) });
      await expect(relay.drain()).rejects.toThrow(/50 ms/);
      expect(await relay.pending()).toBe(1);
    });

    it('consumes a message once, also when it comes twice at the same time or its effect failed first', async () => {
      const message = {
        id: '00000000-0000-4000-8000-000000000001',
        name: 'x',
        contextId: 1,
        occurredAt: 0,
        payload: {},
      };
      let effects = 0;
      const failing = consumeOnce(database, 'c', message, async () => {
        throw RequestErrors.badRequest('x');
      });
      await expect(failing).rejects.toMatchObject({ code: 'SVL-0020' });
      const effect = async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        effects++;
      };
      const results = await Promise.all([1, 2, 3].map(() => consumeOnce(database, 'c', message, effect)));
      expect(results.sort()).toEqual([false, false, true]);
      expect(effects).toBe(1);
      expect(await consumeOnce(database, 'another', message, effect)).toBe(true);
    });
  });

  describe('migrations', () => {
    it('run once when four processes start together', async () => {
      const target = { url, schema: 'race', migrations };
      const ran = await Promise.all([1, 2, 3, 4].map(() => migrate(target)));
      expect(ran.filter((names) => names.length > 0)).toEqual([
        [
          'CreateOutbox1000000000001',
          'CreateSentEvents1000000000002',
          'CreateCallKeys1000000000003',
          'CreateThings1700000000000',
          'AddNote1700000000001',
        ],
      ]);
      expect(await migrate(target)).toEqual([]);
    });

    it('go back and forward again, and leave nothing behind', async () => {
      const target = { url, schema: 'back', migrations };
      await migrate(target);
      const before = await describeSchema(url, 'back');
      await rollback(target, 5);
      expect(await describeSchema(url, 'back')).not.toContain('## ');
      expect(await migrate(target)).toHaveLength(5);
      expect(await describeSchema(url, 'back')).toBe(before);
      expect(before).toContain('| note | text | yes |  |');
      expect(before).toContain('`thing_name`: `CREATE UNIQUE INDEX thing_name ON thing');
    });

    it('leave nothing of a step that failed, and keep the steps before', async () => {
      const target = { url, schema: 'fails', migrations: [...migrations, Fails1700000000002] };
      await expect(migrate(target)).rejects.toThrow(/no_such_function/);
      const report = await describeSchema(url, 'fails');
      expect(report).toContain('## thing');
      expect(report).not.toContain('half_done');
    });
  });

  describe('shards', () => {
    it('keep a context where it was assigned; the tables are made by the first use', async () => {
      await registry.addShard({ name: 'b', url: shardUrl });
      expect(await registry.assign(7, 'b')).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 450));
      expect(await registry.assign(7, 'b')).toBe(true);
      expect(await registry.assign(7, 'nowhere')).toBe(false);
      const seven = { contextId: 7 };
      await insert(seven, 1, 'on b');
      await insert(one, 1, 'at home');
      expect(await labels(seven)).toEqual(['on b']);
      const count = (db: { rows(sql: string): Promise<unknown[][]> }) =>
        db.rows('select count(*), max(name) from thing');
      expect(await database.acrossShards('a test looks at all', count)).toEqual([[[1, 'at home']], [[1, 'on b']]]);
      await database.transact(seven, (tx) => tx.publish(events['thing.made'], { id: 1 }));
      const sent: EventMessage[] = [];
      await new OutboxRelay({ database, publish: async (message) => void sent.push(message) }).drain();
      expect(sent).toEqual([expect.objectContaining({ contextId: 7 })]);
    });
  });

  it('says that it is unavailable when the server is not there', async () => {
    const nowhere = Object.assign(new URL(url), { port: '1' }).toString();
    await expect(ShardRegistry.open({ url: nowhere })).rejects.toMatchObject({ code: 'SVL-0032' });
  });
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 500; !(await condition()); left--) {
    if (left === 0) throw new Error('the condition was never met');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
