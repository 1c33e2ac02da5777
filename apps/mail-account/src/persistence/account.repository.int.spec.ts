import type { ModuleDatabase } from '@groupware/persistence';
import { expectTenantIsolation, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { migrations } from '../mail-account.parts';
import { AccountRepository } from './account.repository';

const repository = new AccountRepository();
let databases: TestDatabase;
let database: ModuleDatabase;

beforeAll(async () => {
  databases = await testDatabase({ 'mail-account': migrations });
  database = await databases.of('mail-account');
}, 60_000);
afterAll(() => databases?.close());

const account = (id: number, changes: object = {}) => ({
  id,
  name: `n${id}`,
  primary_address: `a${id}@x.test`,
  ...changes,
});

describe('rows of mail accounts', () => {
  it('belong to their tenant', async () => {
    await expectTenantIsolation({
      database,
      fill: async (tx, { contextId }) => {
        await repository.allocateId(tx, 3);
        await repository.insert(tx, 3, account(1, { login: `login of ${contextId}`, password: 'sealed' }), 1);
        await repository.upsert(tx, 3, 0, { personal: `personal of ${contextId}` }, 1);
      },
      secrets: ({ contextId }) => [`login of ${contextId}`, `personal of ${contextId}`],
      methods: {
        ofUser: (tx) => repository.listByUser(tx, 3),
        find: (tx) => repository.findById(tx, 3, 1),
        lock: (tx) => repository.lockById(tx, 3, 1),
        count: (tx) => repository.count(tx, 3),
        nextId: (tx) => repository.allocateId(tx, 3),
        insert: (tx) => repository.insert(tx, 3, account(9), 2),
        change: (tx) => repository.upsert(tx, 3, 1, { login: 'other' }, 2),
        remove: (tx) => repository.delete(tx, 3, [1]),
        removeUser: (tx) => repository.deleteByUser(tx, 3),
        removeContext: (tx) => repository.deleteByContext(tx),
      },
    });
  });

  it('keep every field, and change only those that are given', async () => {
    const tenant = { contextId: 7 };
    const full = account(1, {
      meta: { a: [1, null] },
      mail_port: 143,
      mail_secure: false,
      unified_inbox_enabled: true,
      trash_fullname: 'INBOX/Trash',
      pop3_refresh_rate: 12,
    });
    await database.transact(tenant, (tx) => repository.insert(tx, 3, full, 1));
    await database.transact(tenant, (tx) => repository.upsert(tx, 3, 1, { personal: 'P', meta: null }, 2));
    const stored = await database.read(tenant, (db) => repository.findById(db, 3, 1));
    expect(stored).toMatchObject({ ...full, personal: 'P', meta: null });
  });

  it('have one address each, case ignored, within a user', async () => {
    const tenant = { contextId: 8 };
    const insert = (userId: number, id: number, primary_address: string) =>
      database.transact(tenant, (tx) => repository.insert(tx, userId, account(id, { primary_address }), 1));
    await insert(3, 1, 'ann@x.test');
    await expect(insert(3, 2, 'ANN@x.test')).rejects.toMatchObject({ code: 'ACC-0015' });
    await insert(4, 1, 'ann@x.test');
  });

  it('have one mailbox each within a user, also when twenty come at once', async () => {
    const tenant = { contextId: 10 };
    const mailbox = { mail_protocol: 'imap', mail_server: 'mail.test', mail_port: 993, login: 'ann' };
    const insert = (userId: number, id: number, changes: object = {}) =>
      database.transact(tenant, (tx) => repository.insert(tx, userId, account(id, { ...mailbox, ...changes }), 1));
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_each, index) => insert(3, index + 1)));
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as { code: string }] : [],
    );
    expect(refused.map(({ code }) => code)).toEqual(Array(19).fill('ACC-0017'));
    await insert(4, 1);
    for (const [index, changes] of [
      { mail_protocol: 'pop3' },
      { mail_server: 'other.test' },
      { mail_port: 143 },
      { login: 'bob' },
      { login: null, mail_oauth: 1 },
      { login: null, mail_oauth: 2 },
    ].entries())
      await insert(3, 100 + index, changes);
    const change = (changes: object) => database.transact(tenant, (tx) => repository.upsert(tx, 3, 103, changes, 2));
    await expect(change({ login: 'ann' })).rejects.toMatchObject({ code: 'ACC-0017' });
    await change({ personal: 'Bob', ...mailbox, login: 'bob' });
  });

  it('never use an id again, also when two come at once', async () => {
    const tenant = { contextId: 9 };
    const next = () => database.transact(tenant, (tx) => repository.allocateId(tx, 3));
    const ids = await Promise.all(Array.from({ length: 8 }, next));
    expect([...ids].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
