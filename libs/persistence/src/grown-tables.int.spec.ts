import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { analyzeGrown, type Migration, type MigrationRunner, type ModuleDatabase } from '.';

class CreateEntries1763600000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`create table entry (context_id int, id int, note text, primary key (context_id, id));
      alter table entry set (autovacuum_enabled = false)`);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table entry');
  }
}

const one = { contextId: 1 };
let test: TestDatabase;
let database: ModuleDatabase;

beforeAll(async () => {
  test = await testDatabase({ entry: [CreateEntries1763600000000] });
  database = await test.of('entry');
}, 60_000);
afterAll(() => test?.close());

const insert = (from: number, to: number): Promise<number> =>
  database.transact(one, (tx) =>
    tx.run(`insert into entry select $1, n, repeat('x', 90) from generate_series($2::int, $3::int) n`, from, to),
  );

describe('tables that grow', () => {
  it('get statistics each time they doubled, small ones none', async () => {
    expect(await analyzeGrown(database)).toEqual([]);
    await insert(1, 100);
    expect(await analyzeGrown(database)).toEqual([]);
    await insert(101, 1_000);
    expect(await analyzeGrown(database)).toEqual(['entry']);
    expect(await analyzeGrown(database)).toEqual([]);
    await insert(1_001, 1_500);
    expect(await analyzeGrown(database)).toEqual([]);
    await insert(1_501, 2_500);
    expect(await analyzeGrown(database)).toEqual(['entry']);
    const [rows] = await database.acrossShards((db) =>
      db.rows(`select reltuples from pg_class where relname = 'entry'`),
    );
    expect(rows).toEqual([[2_500]]);
  });

  it('leaves one that is being changed to whoever changes it', async () => {
    await insert(2_501, 6_000);
    await database.acrossContexts(async (db) => {
      await db.run('lock table entry in share row exclusive mode');
      expect(await analyzeGrown(database)).toEqual(['entry']);
    });
    expect(await analyzeGrown(database)).toEqual(['entry']);
  });
});
