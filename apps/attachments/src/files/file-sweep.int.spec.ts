import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { UploadedFile, UserPrincipal } from '@groupware/contracts';
import { type FileStore, FolderStore } from '@groupware/file-store';
import type { ModuleDatabase } from '@groupware/persistence';
import { filesBelow, testDatabase, until, type TestDatabase } from '@groupware/test-kit';
import { FileClaims, FileSweep, type FileUses, StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { AttachmentWriter } from '../attachments/attachment-writer';
import { AttachmentsConfig } from '../configuration/attachments.config';
import { migrations } from '../attachments.parts';
import { AttachmentRemover } from '../attachments/attachment-remover';
import { AttachmentRepository } from '../persistence/attachment.repository';
import { ExpiredFiles } from '../managed/expired-files';
import { ManagedFileRepository } from '../managed/managed-file.repository';
import { AttachmentFileUses } from './attachment-file-uses';

/** Nothing here is so old; below zero, everything is. */
const YOUNG_MS = 600_000;
const LIMITS = { maxPerObject: 100, maxInContext: -1 };
const user = { contextId: 1, userId: 3 } as UserPrincipal;
const object = { module: 1, attached: 7 };
const clock = { now: () => Date.now() };
const attachments = new AttachmentRepository();
const managed = new ManagedFileRepository();
let contents: StoredFileRepository;
let uses: FileUses;
let databases: TestDatabase;
let database: ModuleDatabase;
let folder: string;
let store: FileStore;
let files: StoredFiles;
let writer: AttachmentWriter;
let sweep: FileSweep;
let config: AttachmentsConfig;

beforeAll(async () => {
  databases = await testDatabase({ attachments: migrations });
  database = await databases.of('attachments');
}, 60_000);
afterAll(() => databases?.close());

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'attachments-'));
  store = new FolderStore(folder);
  uses = new AttachmentFileUses(database, new ExpiredFiles(database, managed, store));
  contents = new StoredFileRepository(uses);
  config = Object.assign(new AttachmentsConfig(), {
    sweepAgeMs: YOUNG_MS,
    incomingAgeMs: YOUNG_MS,
    sweepIntervalMs: 20,
  });
  files = new StoredFiles(database, contents, clock, store, uses);
  writer = new AttachmentWriter(
    database,
    attachments,
    contents,
    clock,
    new FileClaims({} as never, files, contents, uses),
  );
  sweep = new FileSweep(database, contents, files, clock, config, store, uses);
});
afterEach(async () => {
  await sweep.stop();
  for (const table of ['attachment', 'tombstone', 'stored_file', 'context_state'])
    await database.transact(user, (tx) => tx.run(`delete from ${table} where context_id = $1`));
  rmSync(folder, { recursive: true, force: true });
});

const stored = (): string[] => filesBelow(folder);
const uploaded = async (text: string): Promise<UploadedFile> => ({
  field: 'file_0',
  name: 'a',
  contentType: 'text/plain',
  ...(await store.write(
    (async function* () {
      yield Buffer.from(text);
    })(),
    { maxBytes: 1000 },
  )),
});
const partsOf = (upload: readonly UploadedFile[]) =>
  upload.map((file) => ({ ...object, folder: 1, fileName: 'a', contentType: 'text/plain', rtf: false, file }));
const states = async (): Promise<unknown[]> =>
  (
    await database.read(user, (db) => db.rows('select state from stored_file where context_id = $1 order by state'))
  ).flat();
const detach = () =>
  database.transact(user, (tx) => new AttachmentRemover(attachments, contents, clock).removeAttachments(tx, object, 3));
const attach = async (...texts: string[]) => {
  const upload = await Promise.all(texts.map(uploaded));
  const claimed = await files.claimFiles(user, upload, 1, []);
  return (await writer.writeAttachments(user, partsOf(upload), claimed, LIMITS))!;
};
/** Everything so far counts as old from now on. */
const age = () => (config.incomingAgeMs = config.sweepAgeMs = -1_000);

describe('the sweep after a process that ended', () => {
  it('with an upload nobody asked for: such as the file of a calendar import', async () => {
    await uploaded('lost');
    expect(await sweep.sweep()).toBe(0);
    age();
    expect(await sweep.sweep()).toBe(1);
    expect(stored()).toEqual([]);
  });

  it('between the intent and the claim, or between the claim and the row', async () => {
    const [intended, claimed] = [await uploaded('intended'), await uploaded('claimed')];
    const content = ({ reference, sizeBytes, sha256 }: UploadedFile) => ({
      reference,
      sizeBytes,
      sha256: sha256!,
      sniffed: null,
    });
    await database.transact(user, (tx) => contents.insertIntents(tx, [content(intended)], clock.now()));
    await files.claimFiles(user, [claimed], 1, []);
    expect(await states()).toEqual(['claiming', 'claiming']);
    await sweep.sweep();
    // Young ones may belong to a transaction that runs.
    expect(stored()).toHaveLength(2);
    age();
    await sweep.sweep();
    expect(stored()).toEqual([]);
    expect(await states()).toEqual([]);
  });

  it('between the end of the last attachment and that of its bytes', async () => {
    await attach('one', 'two');
    expect((await detach()).released).toHaveLength(2);
    expect(await states()).toEqual(['dying', 'dying']);
    age();
    expect(await sweep.sweep()).toBe(2);
    expect(stored()).toEqual([]);
  });

  it('between the end of the bytes and that of their row', async () => {
    await attach('one');
    const { released } = await detach();
    await store.remove(released[0]!);
    age();
    await sweep.sweep();
    expect(await states()).toEqual([]);
  });

  it('leaves what has attachments, however old', async () => {
    expect((await attach('one', 'two')).ids).toHaveLength(2);
    age();
    expect(await sweep.sweep()).toBe(0);
    expect(stored()).toHaveLength(2);
    expect(await states()).toEqual(['kept', 'kept']);
  });

  it('removes everything that it can, and the rest with a later round', async () => {
    await attach('one', 'two', 'three');
    const { released } = await detach();
    const remove = store.remove.bind(store);
    // The oldest comes first in every round.
    const stuck = jest
      .spyOn(store, 'remove')
      .mockImplementation((reference) =>
        reference === released[0] ? Promise.reject(new Error('held')) : remove(reference),
      );
    const lost = jest.spyOn(store, 'sweep').mockRejectedValueOnce(new Error('away'));
    age();
    await expect(sweep.sweep()).rejects.toThrow('away');
    expect([stored().length, await states()]).toEqual([1, ['dying']]);
    await expect(sweep.sweep()).rejects.toThrow('held');
    for (const each of [stuck, lost]) each.mockRestore();
    expect(await sweep.sweep()).toBe(1);
    expect([stored(), await states()]).toEqual([[], []]);
  });

  it('goes by itself, again and again', async () => {
    // Not younger: a sweep in the middle of an upload would take its temporary file away.
    config.incomingAgeMs = config.sweepAgeMs = 500;
    sweep.start();
    await uploaded('first');
    await until(() => stored().length === 0);
    await uploaded('second');
    await until(() => stored().length === 0);
  });
});

describe('a claim', () => {
  it('that comes when the sweep was there first attaches nothing', async () => {
    const upload = await uploaded('late');
    age();
    await sweep.sweep();
    await expect(files.claimFiles(user, [upload], 1, [])).rejects.toMatchObject({ code: 'ATT-0400' });
    expect(await states()).toEqual([]);
  });

  it('of a content that was given up meanwhile is told, so that it can be repeated', async () => {
    const upload = [await uploaded('same')];
    const claimed = await files.claimFiles(user, upload, 1, []);
    age();
    await sweep.sweep();
    expect(await writer.writeAttachments(user, partsOf(upload), claimed, LIMITS)).toBeUndefined();
  });

  it('that goes on while the sweep gives it up leaves no bytes behind', async () => {
    const upload = await uploaded('slow');
    const [claimed] = await files.claimFiles(user, [upload], 1, []);
    age();
    await sweep.sweep();
    expect([stored(), await states()]).toEqual([[], []]);
    // The store completes a move that it was asked for before: bytes without a row.
    const { reference } = await uploaded('slow');
    await store.claim(reference);
    await files.abandonContents(user, [claimed!.reference, reference]);
    expect(stored()).toEqual([]);
  });

  it('of equal contents by many at once keeps one of them, and counts all', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => attach('same content')));
    expect(new Set(results.flatMap(({ ids }) => ids)).size).toBe(6);
    expect((await states()).filter((state) => state === 'kept')).toEqual(['kept']);
    expect(await database.read(user, (db) => contents.getUsedBytes(db))).toBe(6 * 'same content'.length);
    age();
    await sweep.sweep();
    expect(stored()).toHaveLength(1);
  });

  it('beside sweeps and detachments never leaves an attachment without its bytes', async () => {
    config.incomingAgeMs = config.sweepAgeMs = 20;
    let over = false;
    const sweeper = (async () => {
      while (!over) await sweep.sweep();
    })();
    const writers = Array.from({ length: 4 }, async (_none, index) => {
      for (let round = 0; round < 8; round++) {
        try {
          await attach(`text ${(index + round) % 3}`);
        } catch {
          // Refused as a whole: the others hold the same content at the same moment.
        }
        if (round % 3 === 2) await files.abandonContents(user, (await detach()).released);
      }
    });
    await Promise.all(writers);
    over = true;
    await sweeper;
    const references = await database.read(user, (db) =>
      db.rows('select distinct reference from attachment where context_id = $1'),
    );
    for (const [reference] of references) expect(await store.size(reference as string)).toBe('text 0'.length);
    await detach();
    age();
    await sweep.sweep();
    expect(stored()).toEqual([]);
  });
});

it('managed files go when their time is over, with their bytes', async () => {
  const [ended, living] = [await uploaded('ended'), await uploaded('living')];
  const toFile = ({ reference, name, contentType, sizeBytes }: UploadedFile, id: string) => ({
    ...{ id, reference, name, contentType, sizeBytes },
    sniffed: null,
  });
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  const now = clock.now();
  await database.transact(user, (tx) => managed.insert(tx, user.userId, [toFile(ended, first)], now, now - 1));
  await database.transact(user, (tx) => managed.insert(tx, user.userId, [toFile(living, second)], now, now + YOUNG_MS));
  for (const { reference } of [ended, living]) await store.claim(reference);
  await sweep.sweep();
  expect(stored()).toHaveLength(1);
  const find = (id: string) => database.read(user, (db) => managed.find(db, user.userId, id, now - 10));
  expect([await find(first), (await find(second))?.reference]).toEqual([undefined, living.reference]);
});
