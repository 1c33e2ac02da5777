import { randomUUID } from 'node:crypto';
import type { ModuleDatabase, Transaction } from '@groupware/persistence';
import { expectTenantIsolation, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { CreateComposeSpaces1764700000000 } from '../migrations/1764700000000-create-compose-spaces';
import { CreateEndingFolders1765600000000 } from '../migrations/1765600000000-create-ending-folders';
import { ComposeRepository, type AttachmentRow } from './compose.repository';

const rows = new ComposeRepository();
const MINUTE = 60_000;
const WHY = 'a test';
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ mail: [CreateComposeSpaces1764700000000, CreateEndingFolders1765600000000] });
  database = await databases.of('mail');
}, 60_000);
afterAll(() => databases?.close());

const spaceOf = (now: number) => ({ contentType: 'text/plain', meta: '{"type":"NEW"}', claim: null, now });
const fileOf = (spaceId: string, reference: string): AttachmentRow => ({
  ...{ id: randomUUID(), spaceId, reference, name: 'a.txt', contentType: 'text/plain', sniffed: null, sizeBytes: 1 },
  ...{ cid: null, origin: 'UPLOAD', source: null },
});
/** Opens a space with a file. */
async function open(tx: Transaction, userId: number, id: string, reference: string, now: number): Promise<void> {
  await rows.insert(tx, { userId, id }, spaceOf(now));
  await rows.insertAttachments(tx, userId, [fileOf(id, reference)], now);
  await rows.confirmAttachments(tx, userId, [reference]);
}
const listRemoved = async (before: number): Promise<string[]> => {
  const found: string[] = [];
  for (const shard of await database.shardNames())
    found.push(...(await database.onShard(shard, WHY, (db) => rows.listRemoved(db, before, 100))));
  return found.sort();
};

describe('ComposeRepository', () => {
  it('CS-19 ends spaces in which nobody wrote for the idle time, but none that is sent; their files may go', async () => {
    const tenant = { contextId: 11 };
    const now = 100 * MINUTE;
    const ids = { old: randomUUID(), young: randomUUID(), busy: randomUUID() };
    await database.transact(tenant, async (tx) => {
      await open(tx, 2, ids.old, 'old', now - 61 * MINUTE);
      await open(tx, 2, ids.young, 'young', now - 59 * MINUTE);
      await open(tx, 2, ids.busy, 'busy', now - 61 * MINUTE);
      await rows.setBusy(tx, { userId: 2, id: ids.busy }, now + MINUTE);
    });
    for (const shard of await database.shardNames())
      await database.onShard(shard, WHY, (db) => rows.deleteIdle(db, now - 60 * MINUTE, now));
    const left = await database.read(tenant, (db) => rows.list(db, 2));
    expect(left.map(({ id }) => id)).toEqual([ids.young, ids.busy]);
    expect(await listRemoved(now + 1)).toEqual(['old']);
    expect(await listRemoved(now)).toEqual([]);
    for (const shard of await database.shardNames())
      await database.onShard(shard, WHY, (db) => rows.deleteRemoved(db, ['old', 'young'], now + 1));
    expect(await listRemoved(now + 1)).toEqual([]);
    const files = await database.read(tenant, (db) => rows.listAttachments(db, 2, Object.values(ids)));
    expect(files.map(({ reference }) => reference)).toEqual(['young', 'busy']);
  });

  it('CS-27 deletes everything of a user, or of a context, and tells the files', async () => {
    const tenant = { contextId: 12 };
    const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
    await database.transact(tenant, async (tx) => {
      await open(tx, 2, ids[0], 'of 2', 1);
      await open(tx, 3, ids[1], 'of 3', 1);
      await open(tx, 4, ids[2], 'of 4', 1);
    });
    expect(await database.transact(tenant, (tx) => rows.removeUser(tx, 2))).toEqual(['of 2']);
    const left = (userId: number) => database.read(tenant, (db) => rows.list(db, userId));
    expect([(await left(2)).length, (await left(3)).length]).toEqual([0, 1]);
    const removed = await database.transact(tenant, (tx) => rows.removeContext(tx));
    expect(removed.sort()).toEqual(['of 3', 'of 4']);
    expect([(await left(3)).length, (await left(4)).length]).toEqual([0, 0]);
  });

  it('knows folders that are to go by now, until they are gone or their user is', async () => {
    const tenant = { contextId: 13 };
    const ended = async (now: number): Promise<unknown[]> => {
      const found: unknown[] = [];
      for (const shard of await database.shardNames())
        found.push(...(await database.onShard(shard, WHY, (db) => rows.listEnded(db, now, 10))));
      return found;
    };
    await database.transact(tenant, async (tx) => {
      await rows.noteEnd(tx, 2, 101, 5);
      await rows.noteEnd(tx, 2, 102, 7);
      await rows.noteEnd(tx, 3, 103, 6);
    });
    expect(await ended(7)).toEqual([
      { ...tenant, userId: 2, folder: 101 },
      { ...tenant, userId: 3, folder: 103 },
    ]);
    await database.transact(tenant, (tx) => rows.forgetEnd(tx, 101));
    await database.transact(tenant, (tx) => rows.removeUser(tx, 2));
    expect(await ended(8)).toEqual([{ ...tenant, userId: 3, folder: 103 }]);
    await database.transact(tenant, (tx) => rows.removeContext(tx));
    expect(await ended(8)).toEqual([]);
  });

  it('keeps tenants apart', () => {
    const id = randomUUID();
    const key = { userId: 2, id };
    return expectTenantIsolation({
      database,
      fill: (tx) => open(tx, 2, id, 'x', 5),
      methods: {
        list: (tx) => rows.list(tx, 2),
        find: (tx) => rows.find(tx, key),
        countLocked: (tx) => rows.countLocked(tx, 2),
        lock: (tx) => rows.lock(tx, key),
        listAttachments: (tx) => rows.listAttachments(tx, 2, [id]),
        insert: (tx) => rows.insert(tx, { userId: 2, id: randomUUID() }, spaceOf(6)),
        update: (tx) => rows.update(tx, key, { subject: 'new' }, null, 7),
        setBusy: (tx) => rows.setBusy(tx, key, 8),
        touch: (tx) => rows.touch(tx, key, 9),
        insertAttachments: (tx) => rows.insertAttachments(tx, 2, [fileOf(id, 'y')], 6),
        confirmAttachments: (tx) => rows.confirmAttachments(tx, 2, ['x']),
        removeAttachment: (tx) => rows.removeAttachment(tx, key, id, null, 6),
        delete: (tx) => rows.delete(tx, key, 6),
        noteEnd: (tx) => rows.noteEnd(tx, 2, 105, 6),
        forgetEnd: (tx) => rows.forgetEnd(tx, 105),
        removeUser: (tx) => rows.removeUser(tx, 2),
        removeContext: (tx) => rows.removeContext(tx),
      },
      secrets: ({ contextId }) => [`secret of ${contextId}`],
    });
  });
});
