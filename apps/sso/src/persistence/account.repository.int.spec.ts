import type { ModuleDatabase } from '@groupware/persistence';
import { expectTenantIsolation, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { CreateOAuthAccounts1795450500000 } from '../migrations/1795450500000-create-oauth-accounts';
import { AccountRepository, type AccountRow } from './account.repository';

const repository = new AccountRepository();
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ sso: [CreateOAuthAccounts1795450500000] });
  database = await databases.of('sso');
}, 60_000);
afterAll(() => databases?.close());

const accountOf = (id: number, sealed = 'sealed'): AccountRow => ({
  id,
  service: 'work',
  displayName: 'Mine',
  scopes: ['mail'],
  sealed,
  isEnded: false,
  createdAt: 1,
});

describe('AccountRepository', () => {
  it('never uses an id again', async () => {
    const ids = await database.transact({ contextId: 7 }, async (tx) => {
      const first = await repository.allocateId(tx, 2);
      await repository.insert(tx, 2, accountOf(first));
      await repository.remove(tx, 2, first);
      return [first, await repository.allocateId(tx, 2), await repository.allocateId(tx, 3)];
    });
    expect(ids).toEqual([1, 2, 1]);
  });

  it('leaves tokens alone that were granted while others were refreshed', async () => {
    const tenant = { contextId: 8 };
    const found = await database.transact(tenant, async (tx) => {
      await repository.insert(tx, 2, accountOf(1, 'old'));
      await repository.replaceGrant(tx, 2, { id: 1, sealed: 'granted', scopes: ['mail', 'drive'] });
      await repository.refresh(tx, 2, { id: 1, sealed: 'old' }, { sealed: 'refreshed', isEnded: true });
      const kept = await repository.find(tx, 2, 1);
      await repository.refresh(tx, 2, { id: 1, sealed: 'granted' }, { sealed: 'granted', isEnded: true });
      const ended = await repository.find(tx, 2, 1);
      await repository.replaceGrant(tx, 2, { id: 1, sealed: 'again', scopes: ['mail'] });
      return [kept, ended, await repository.find(tx, 2, 1)];
    });
    expect(found).toEqual([
      { ...accountOf(1, 'granted'), scopes: ['mail', 'drive'] },
      { ...accountOf(1, 'granted'), scopes: ['mail', 'drive'], isEnded: true },
      accountOf(1, 'again'),
    ]);
  });

  it('keeps tenants apart', () =>
    expectTenantIsolation({
      database,
      fill: async (tx, { contextId }) => {
        await repository.allocateId(tx, 2);
        await repository.insert(tx, 2, accountOf(5, `secret of ${contextId}`));
      },
      methods: {
        listByUser: (tx) => repository.listByUser(tx, 2),
        find: (tx) => repository.find(tx, 2, 5),
        allocateId: (tx) => repository.allocateId(tx, 2),
        insert: (tx) => repository.insert(tx, 2, accountOf(6)),
        rename: (tx) => repository.rename(tx, 2, 5, 'Other'),
        replaceGrant: (tx) => repository.replaceGrant(tx, 2, { id: 5, sealed: 'new', scopes: [] }),
        refresh: (tx) => repository.refresh(tx, 2, { id: 5, sealed: 'sealed' }, { sealed: 'x', isEnded: true }),
        remove: (tx) => repository.remove(tx, 2, 5),
        removeUser: (tx) => repository.removeUser(tx, 2),
        removeContext: (tx) => repository.removeContext(tx),
      },
      secrets: ({ contextId }) => [`secret of ${contextId}`],
    }));
});
