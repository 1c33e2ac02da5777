import { AsyncLocalStorage } from 'node:async_hooks';
import { AccessRecord, defineRights, requireRights, writeRight, RequestErrors } from '@groupware/contracts';
import { BreakableLink, testDatabase, type TestDatabase } from '@groupware/test-kit';
import {
  ModuleDatabase,
  OutboxRelay,
  ShardRegistry,
  type Migration,
  type MigrationRunner,
  type TransactionKey,
} from '.';

class CreateLedger1763700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create table entry (context_id int, id int generated always as identity, text text)');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table entry');
  }
}

const migrations = [CreateLedger1763700000000];
const one = { contextId: 1 };
let test: TestDatabase;
let link: BreakableLink;
let registry: ShardRegistry;
let database: ModuleDatabase;
const keys = new AsyncLocalStorage<TransactionKey>();
const RIGHTS = defineRights('entry', { write: writeRight('a test says so') });
let access: AccessRecord | undefined;

const keyId = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Answers a call with a key, as the kit does each time it is sent. */
function answer<T>(number: number, work: () => Promise<T>, options: { isRepeat?: boolean; request?: string } = {}) {
  return keys.run(keyOf(number, options), work);
}
const repeat = <T>(number: number, work: () => Promise<T>) => answer(number, work, { isRepeat: true });

function keyOf(
  number: number,
  { isRepeat = false, request }: { isRepeat?: boolean; request?: string },
): TransactionKey {
  const steps = new Set<number>();
  return {
    id: keyId(number),
    isRepeat,
    ...(request === undefined ? {} : { request: Buffer.from(request) }),
    expiresAt: Date.now() + 60_000,
    takeStep: () => {
      let step = 1;
      while (steps.has(step)) step += 1;
      steps.add(step);
      return step;
    },
    releaseStep: (step) => void steps.delete(step),
  };
}

beforeAll(async () => {
  test = await testDatabase({ ledger: migrations });
  link = await BreakableLink.openTo(test.url);
  const url = link.url(test.url);
  registry = await ShardRegistry.open({ url });
  database = await ModuleDatabase.open({
    module: 'ledger',
    registry,
    settings: { url, poolSize: 4 },
    migrations,
    callKey: () => keys.getStore(),
    access: () => access,
  });
}, 60_000);
afterAll(async () => {
  await database?.close();
  await registry?.close();
  await link?.close();
  await test?.close();
});

/** Writes an entry and answers its number. */
const write = (text: string): Promise<number> =>
  database.transact(one, async (tx) => {
    const row = await tx.first<{ id: number }>(
      'insert into entry (context_id, text) values ($1, $2) returning id',
      text,
    );
    return row!.id;
  });
const count = (text: string): Promise<number> =>
  database.read(one, async (db) =>
    Number(await db.text('select count(*) from entry where context_id = $1 and text = $2', text)),
  );

describe('a transaction of a call with a key', () => {
  it('happens once and answers the same however often the call is sent, also after others wrote', async () => {
    const id = await answer(1, () => write('once'));
    await write('other');
    expect(await repeat(1, () => write('once'))).toBe(id);
    expect(await count('once')).toBe(1);
  });

  it('decides once what is to be done elsewhere, though it asks for nothing', async () => {
    const plans = ['first', 'second', 'third'];
    const decide = () => database.decide(one, () => plans.shift());
    expect([await answer(70, decide), await repeat(70, decide), await answer(71, decide)]).toEqual([
      ...['first', 'first', 'second'],
    ]);
    expect(await database.decide(one, () => plans.shift())).toBe('third');
  });

  it('is checked once: what a repeated call answers was checked when it was done', async () => {
    const record = () => (access = new AccessRecord('svc.ledger.new', requireRights(RIGHTS.write)));
    try {
      record();
      await expect(answer(20, () => write('unchecked'))).rejects.toThrow('never checked entry.write');
      record().add(RIGHTS.write);
      const id = await answer(21, () => write('checked'));
      const repeated = record();
      expect(await repeat(21, () => write('checked'))).toBe(id);
      expect(() => repeated.requireChecks()).not.toThrow();
    } finally {
      access = undefined;
    }
    expect([await count('unchecked'), await count('checked')]).toEqual([0, 1]);
  });

  it('happens once when two processes answer the same call at the same time', async () => {
    const results = await Promise.all([answer(2, () => write('double')), repeat(2, () => write('double'))]);
    expect(results[0]).toBe(results[1]);
    expect(await count('double')).toBe(1);
  });

  it('leaves its place to the next one when it was rolled back: that is found by a repetition', async () => {
    const refused = () =>
      database.transact(one, async (tx) => {
        await tx.run('insert into entry (context_id, text) values ($1, $2)', 'refused');
        throw new Error('refused');
      });
    const id = await answer(3, async () => {
      await expect(refused()).rejects.toThrow('refused');
      return write('second try');
    });
    expect(await repeat(3, () => write('second try'))).toBe(id);
    expect([await count('refused'), await count('second try')]).toEqual([0, 1]);
  });

  it('goes on where the call ended: what was not committed is done by the repetition', async () => {
    const first = await answer(4, () => write('part one'));
    const both = await repeat(4, async () => [await write('part one'), await write('part two')]);
    expect(both[0]).toBe(first);
    expect([await count('part one'), await count('part two')]).toEqual([1, 1]);
  });

  it('is refused when the key was used for a different request', async () => {
    await answer(5, () => write('mine'), { request: 'a' });
    await expect(answer(5, () => write('mine'), { request: 'b', isRepeat: true })).rejects.toMatchObject({
      code: RequestErrors.keyReused.entry.code,
    });
  });

  it('says that the reply is lost where the result cannot be kept, and does nothing again', async () => {
    const long = () =>
      database.transact(one, async (tx) => {
        await tx.run('insert into entry (context_id, text) values ($1, $2)', 'long');
        return 'x'.repeat(300_000);
      });
    expect(await answer(6, long)).toHaveLength(300_000);
    await expect(repeat(6, long)).rejects.toMatchObject({ code: RequestErrors.replyLost.entry.code });
    expect(await count('long')).toBe(1);
  });
});

describe('a commit whose answer is lost', () => {
  it('is found by its key: the call succeeds, once', async () => {
    // The note travels together with the commit.
    const lost = link.loseAnswerTo(keyId(7));
    expect(await answer(7, () => write('committed'))).toBeGreaterThan(0);
    await lost;
    expect(await count('committed')).toBe(1);
  });

  it('is told apart from a commit that never arrived: the transaction is done anew', async () => {
    const lost = link.loseAnswerTo(keyId(8), false);
    expect(await answer(8, () => write('anew'))).toBeGreaterThan(0);
    await lost;
    expect(await count('anew')).toBe(1);
  });

  it('is an unknown outcome without a key', async () => {
    const lost = link.loseAnswerTo('perhaps');
    const done = database.transact(one, async (tx) => {
      await tx.rows('select from entry where context_id = $1 limit 1');
      tx.enqueue('insert into entry (context_id, text) values ($1, $2)', 'perhaps');
    });
    await expect(done).rejects.toMatchObject({ code: RequestErrors.outcomeUnknown.entry.code });
    await lost;
    expect(await count('perhaps')).toBe(1);
  });
});

it('notes about calls go when their time is over', async () => {
  await database.acrossContexts('a test', (db) => db.run('update call_key set expires_at = 0'));
  const relay = new OutboxRelay({ database, publish: () => Promise.reject(new Error('nothing to send')) });
  relay.start();
  await relay.stop();
  expect(await database.acrossContexts('a test', (db) => db.rows('select 1 from call_key'))).toEqual([]);
});
