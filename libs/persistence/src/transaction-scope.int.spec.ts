import { assertOutsideTransaction } from '@groupware/contracts';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { ModuleDatabase } from './module-database';

const tenant = { contextId: 1 };
const failed: string[] = [];
let test: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  test = await testDatabase({});
  database = await ModuleDatabase.open({
    module: 'scope',
    registry: test.registry,
    settings: { url: test.url },
    migrations: [],
    inspect: true,
    onProblem: (what) => failed.push(what),
  });
}, 60_000);
afterAll(async () => {
  await database?.close();
  await test?.close();
});

const ask = () => assertOutsideTransaction('a question');

describe('requests to other servers, while tests run', () => {
  it('are refused inside a transaction, of a context and of none', async () => {
    await expect(database.transact(tenant, async () => ask())).rejects.toThrow('a question inside a transaction');
    await expect(database.acrossContexts('a test', async () => ask())).rejects.toThrow('a question inside');
  });

  it('are taken by reads, after the commit, and by work that outlives the transaction', async () => {
    await database.read(tenant, async () => ask());
    await database.transact(tenant, async (tx) => tx.afterCommit(ask));
    let end = (): void => undefined;
    const late = await database.transact(tenant, async () => ({
      work: new Promise<void>((done) => (end = done)).then(ask),
    }));
    end();
    await late.work;
    expect(failed).toEqual([]);
  });
});
