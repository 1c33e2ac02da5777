import type { Migration, MigrationRunner } from '@groupware/persistence';
import { expectTenantIsolation } from './tenant-isolation';
import { testDatabase, type TestDatabase } from './test-database';

class CreateNotes1700000000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create table note (context_id int, id int, body text, primary key (context_id, id))');
  }
  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table note');
  }
}

const modules = { notes: [CreateNotes1700000000000] };

describe('a test database', () => {
  it('is a fresh copy for each caller, also when many ask at once, and is gone afterwards', async () => {
    const databases = await Promise.all(Array.from({ length: 5 }, () => testDatabase(modules)));
    const counts = await Promise.all(
      databases.map(async (db, index) => {
        const notes = await db.of('notes');
        await notes.transact({ contextId: 1 }, (tx) => tx.run('insert into note values ($1, $2)', index));
        return notes.read({ contextId: 1 }, (reader) => reader.rows('select id from note where context_id = $1'));
      }),
    );
    expect(counts).toEqual([[[0]], [[1]], [[2]], [[3]], [[4]]]);
    const other = databases.pop()!;
    await Promise.all(databases.map((db) => db.close()));
    const left = await (
      await other.of('notes')
    ).acrossContexts('a test looks at all', (db) =>
      db.rows(
        'select 1 from pg_database where datname = any($1)',
        databases.map((each) => new URL(each.url).pathname.slice(1)),
      ),
    );
    await other.close();
    expect(left).toEqual([]);
  });
});

/** Statements of one context could not do these: they are refused before they are sent. */
const MISTAKE = 'a mistake that is to be found';

describe('expectTenantIsolation', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase(modules);
  });
  afterEach(() => db.close());

  const check = async (methods: Parameters<typeof expectTenantIsolation>[0]['methods']) =>
    expectTenantIsolation({
      database: await db.of('notes'),
      fill: async (tx, tenant) =>
        void (await tx.run(`insert into note values ($1, 1, $2)`, `body ${tenant.contextId}`)),
      secrets: (tenant) => [`body ${tenant.contextId}`],
      methods,
    });

  it('accepts methods that stay with their tenant', async () => {
    await check({
      find: (tx) => tx.rows('select body from note where context_id = $1 and id = 1'),
      change: (tx) => tx.run(`update note set body = 'x' where context_id = $1`),
      remove: (tx) => tx.run('delete from note where context_id = $1 and id = 1'),
    });
  });

  it('catches a read, a change and a removal across tenants', async () => {
    const find = check({ find: (tx) => tx.acrossContexts(MISTAKE).rows('select body from note') });
    await expect(find).rejects.toThrow(/find showed/);
    await db.close();
    db = await testDatabase(modules);
    const change = check({ change: (tx) => tx.acrossContexts(MISTAKE).run(`update note set body = 'x'`) });
    await expect(change).rejects.toThrow(/change changed rows of another tenant in note/);
    await db.close();
    db = await testDatabase(modules);
    await expect(check({ remove: (tx) => tx.acrossContexts(MISTAKE).run('delete from note') })).rejects.toThrow(
      /remove changed/,
    );
  });
});
