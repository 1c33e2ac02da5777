import type { ModuleDatabase } from '@groupware/persistence';
import { expectTenantIsolation, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { CreateOAuthProvider1795450400000 } from '../migrations/1795450400000-create-oauth-provider';
import { GrantRepository, type GrantRow } from './grant.repository';

const repository = new GrantRepository();
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ sso: [CreateOAuthProvider1795450400000] });
  database = await databases.of('sso');
}, 60_000);
afterAll(() => databases?.close());

const grantOf = (id: string, createdAt: number): GrantRow => ({
  id,
  userId: 2,
  clientId: 'app',
  scopes: ['read_calendar'],
  refreshDigest: Buffer.from(`digest of ${id}`),
  createdAt,
});

describe('GrantRepository', () => {
  it('SO-37: keeps the newest grants of a user for an application', async () => {
    const tenant = { contextId: 7 };
    const removed = await database.transact(tenant, async (tx) => {
      for (let at = 1; at <= 4; at++) await repository.insert(tx, grantOf(`grant ${at}`, at));
      return repository.removeSurplus(tx, 2, 'app', 3);
    });
    expect(removed).toEqual(['grant 1']);
    const left = await database.read(tenant, (db) => repository.listByUser(db, 2));
    expect(left.map(({ id }) => id)).toEqual(['grant 4', 'grant 3', 'grant 2']);
  });

  it('knows the refresh token that a newer one replaced', async () => {
    const tenant = { contextId: 8 };
    const find = (digest: string) =>
      database.transact(tenant, (tx) => repository.findByRefresh(tx, Buffer.from(digest)));
    await database.transact(tenant, async (tx) => {
      await repository.insert(tx, grantOf('one', 1));
      await repository.rotate(tx, 'one', Buffer.from('new'));
    });
    expect(await find('new')).toMatchObject({ id: 'one', isFormer: false });
    expect(await find('digest of one')).toMatchObject({ id: 'one', isFormer: true });
    expect(await find('other')).toBeUndefined();
  });

  it('keeps tenants apart', () =>
    expectTenantIsolation({
      database,
      fill: (tx) => repository.insert(tx, grantOf('x', 5)),
      methods: {
        listByUser: (tx) => repository.listByUser(tx, 2),
        findByRefresh: (tx) => repository.findByRefresh(tx, Buffer.from('digest of x')),
        exists: (tx) => repository.exists(tx, 'x'),
        insert: (tx) => repository.insert(tx, grantOf('y', 6)),
        rotate: (tx) => repository.rotate(tx, 'x', Buffer.from('next')),
        removeSurplus: (tx) => repository.removeSurplus(tx, 2, 'app', 0),
        remove: (tx) => repository.remove(tx, 'x'),
        removeByClient: (tx) => repository.removeByClient(tx, 2, 'app'),
        removeUser: (tx) => repository.removeUser(tx, 2),
        removeContext: (tx) => repository.removeContext(tx),
      },
      secrets: ({ contextId }) => [`secret of ${contextId}`],
    }));
});
