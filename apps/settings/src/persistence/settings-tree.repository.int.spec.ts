import type { ModuleDatabase } from '@groupware/persistence';
import { expectTenantIsolation, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { CreateSettingsTree1795400000000 } from '../migrations/1795400000000-create-settings-tree';
import { SettingsTreeRepository } from './settings-tree.repository';

const repository = new SettingsTreeRepository();
const key = { userId: 2, service: 's', id: 'x' };
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ settings: [CreateSettingsTree1795400000000] });
  database = await databases.of('settings');
}, 60_000);
afterAll(() => databases?.close());

describe('SettingsTreeRepository', () => {
  it('keeps trees of users apart, and removes them with their user', async () => {
    const store = (userId: number, id: string) =>
      database.transact({ contextId: 1 }, async (tx) => {
        await repository.lockTree(tx, { ...key, userId, id }, 5);
        await repository.storeTree(tx, { ...key, userId, id }, { owner: userId }, 6);
      });
    const find = (userId: number) =>
      database.read({ contextId: 1 }, (db) => repository.findTrees(db, userId, 's', ['a', 'b', 'c']));
    await store(2, 'a');
    await store(2, 'b');
    await store(3, 'a');
    expect((await find(2)).map(({ id, tree }) => [id, tree]).sort()).toEqual([
      ['a', { owner: 2 }],
      ['b', { owner: 2 }],
    ]);
    await database.transact({ contextId: 1 }, (tx) => repository.removeUser(tx, 2));
    expect([await find(2), await find(3)]).toEqual([[], [{ id: 'a', tree: { owner: 3 } }]]);
  });

  it('keeps tenants apart', () =>
    expectTenantIsolation({
      database,
      fill: async (tx, { contextId }) => {
        await repository.lockTree(tx, key, 5);
        await repository.storeTree(tx, key, { secret: `of ${contextId}` }, 5);
      },
      methods: {
        findTrees: (tx) => repository.findTrees(tx, 2, 's', ['x']),
        listIds: (tx) => repository.listIds(tx, 2, 's'),
        measureTrees: (tx) => repository.measureTrees(tx, 2),
        lockTree: (tx) => repository.lockTree(tx, key, 6),
        storeTree: (tx) => repository.storeTree(tx, key, { more: 1 }, 6),
        removeTree: (tx) => repository.removeTree(tx, key),
        removeUser: (tx) => repository.removeUser(tx, 2),
        removeContext: (tx) => repository.removeContext(tx),
      },
      secrets: ({ contextId }) => [`of ${contextId}`],
    }));
});
