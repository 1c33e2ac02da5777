import type { AttachedFiles, FileCopyRequest } from '@groupware/contracts';
import type { ModuleDatabase } from '@groupware/persistence';
import { StoredFileRepository } from '@groupware/stored-files';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { migrations } from '../attachments.parts';
import { AttachmentRepository } from '../persistence/attachment.repository';
import { AttachmentCopies } from './attachment-copies';
import { AttachmentRemover } from './attachment-remover';
import { OwnerNotices } from './owner-notices';

const APPOINTMENT = 1;
const tenant = { contextId: 1 };
const clock = { now: () => Date.now() };
const attachments = new AttachmentRepository();
const contents = new StoredFileRepository({ table: 'attachment' } as never);
const remover = new AttachmentRemover(attachments, contents, clock);
let databases: TestDatabase;
let database: ModuleDatabase;
let copies: AttachmentCopies;
/** Notices to owners. */
let told: AttachedFiles[];
/** The owner still has the object. */
let isThere: boolean;
let nextObject = 100;

beforeAll(async () => {
  databases = await testDatabase({ attachments: migrations });
  database = await databases.of('attachments');
  const objects = {
    notifyOwner: async (_tenant: object, state: AttachedFiles) => {
      told.push(state);
      return isThere ? state.revision : 0;
    },
  };
  const files = { abandonContents: async () => undefined };
  const notices = new OwnerNotices(objects as never, database, remover, files as never);
  copies = new AttachmentCopies(database, attachments, contents, notices, clock);
}, 60_000);
afterAll(() => databases?.close());
beforeEach(() => {
  told = [];
  isThere = true;
});

/** An object with two files of 3 and 4 bytes. */
async function createSource(): Promise<{ readonly from: number; readonly ids: readonly number[] }> {
  const from = (nextObject += 1);
  const ids = await database.transact(tenant, async (tx) => {
    const { nextId, stamp } = await contents.advanceCounters(tx, clock.now(), 2);
    const rows = [3, 4].map((sizeBytes, index) => ({
      ...{ id: nextId + index, module: APPOINTMENT, attached: from, fileName: `${index}.txt`, rtf: false },
      ...{ contentType: 'text/plain', sizeBytes, reference: `r${nextId + index}` },
    }));
    for (const { reference, sizeBytes } of rows)
      await tx.run(
        `insert into stored_file (context_id, reference, sha256, size_bytes, state, touched) values ($1, $2, $2, $3, 'kept', 1)`,
        reference,
        sizeBytes,
      );
    await attachments.insert(tx, 3, stamp, rows);
    await contents.addUsedBytes(tx, 7);
    return rows.map(({ id }) => id);
  });
  return { from, ids };
}
const filesOf = (object: number) =>
  database.read(tenant, async (db) => {
    const files = await attachments.listFiles(db, APPOINTMENT, [object]);
    return files.map(({ name, sizeBytes }) => `${name} ${sizeBytes}`);
  });
const usedBytes = () => database.read(tenant, (db) => contents.getUsedBytes(db));
const remove = (attached: number, ids?: readonly number[]) =>
  database.transact(tenant, (tx) => remover.removeAttachments(tx, { module: APPOINTMENT, attached }, 3, ids));
const copy = (request: FileCopyRequest) => copies.copyFiles(tenant, APPOINTMENT, request);

describe('copies of the files of an object', () => {
  it('are written once, whether by call or by event, and count as used space', async () => {
    const { from, ids } = await createSource();
    const id = (nextObject += 1);
    const before = await usedBytes();
    await Promise.all([copy({ id, from }), copy({ id, from })]);
    expect(await filesOf(id)).toEqual(['0.txt 3', '1.txt 4']);
    expect(await usedBytes()).toBe(before + 7);
    // The call that came second does not know whether the owner heard of it.
    expect(told.map(({ object, count }) => [object, count])).toEqual([
      [id, 2],
      [id, 2],
    ]);
    expect(told[0]!.revision).toBe(told[1]!.revision);
    // An event that comes late brings back nothing.
    const [first] = await database.read(tenant, (db) => attachments.listFiles(db, APPOINTMENT, [id]));
    await remove(id, [first!.id]);
    await copy({ id, from });
    expect(await filesOf(id)).toEqual(['1.txt 4']);
    expect(await filesOf(from)).toEqual(['0.txt 3', '1.txt 4']);
    expect(ids).not.toContain(first!.id);
  });

  it('share contents, which go with the last of them', async () => {
    const { from } = await createSource();
    const id = (nextObject += 1);
    await copy({ id, from });
    expect((await remove(from)).released).toEqual([]);
    expect(await filesOf(id)).toEqual(['0.txt 3', '1.txt 4']);
    expect((await remove(id)).released).toHaveLength(2);
  });

  it('are those of the files that are named', async () => {
    const { from, ids } = await createSource();
    const other = await createSource();
    const [one, none, foreign] = [(nextObject += 1), (nextObject += 1), (nextObject += 1)];
    await copy({ id: one, from, files: [ids[1]!] });
    expect(await filesOf(one)).toEqual(['1.txt 4']);
    await copy({ id: none, from, files: [] });
    await copy({ id: foreign, from, files: other.ids });
    expect([await filesOf(none), await filesOf(foreign)]).toEqual([[], []]);
    expect(told.map(({ object }) => object)).toEqual([one]);
  });

  it('do not outlive an object that is gone', async () => {
    const { from } = await createSource();
    const id = (nextObject += 1);
    const before = await usedBytes();
    isThere = false;
    await copy({ id, from });
    expect(await filesOf(id)).toEqual([]);
    expect(await usedBytes()).toBe(before);
  });
});
