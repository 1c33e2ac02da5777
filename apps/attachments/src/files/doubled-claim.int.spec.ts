import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { UploadedFile, UserPrincipal } from '@groupware/contracts';
import { FolderStore } from '@groupware/file-store';
import { CallKey } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { FileClaims, StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { AttachmentWriter } from '../attachments/attachment-writer';
import { migrations } from '../attachments.parts';
import { AttachmentRepository } from '../persistence/attachment.repository';
import { ExpiredFiles } from '../managed/expired-files';
import { ManagedFileRepository } from '../managed/managed-file.repository';
import { AttachmentFileUses } from './attachment-file-uses';

/** A store that tells when bytes are claimed, and waits then. */
class WatchedStore extends FolderStore {
  onClaim = (): Promise<void> => Promise.resolve();

  override async claim(reference: string): Promise<boolean> {
    await this.onClaim();
    return super.claim(reference);
  }
}

/** Each pair meets at another moment. */
const PAIRS = 30;
const LIMITS = { maxPerObject: 10_000, maxInContext: -1 };
const user = { contextId: 1, userId: 3 } as UserPrincipal;
const clock = { now: () => Date.now() };
const keys = new AsyncLocalStorage<CallKey>();
/** Tells of each context that its store is unlimited. */
const contexts = { call: () => Promise.resolve({ filestoreId: 1, quotaMb: -1, usedByOthers: 0 }) };
let databases: TestDatabase;
let database: ModuleDatabase;
let folder: string;
let store: WatchedStore;
let claims: FileClaims;
let writer: AttachmentWriter;

beforeAll(async () => {
  databases = await testDatabase({ attachments: migrations });
  database = await ModuleDatabase.open({
    module: 'attachments',
    registry: databases.registry,
    settings: { url: databases.url, poolSize: 4 },
    migrations,
    callKey: () => keys.getStore(),
  });
  folder = mkdtempSync(path.join(os.tmpdir(), 'attachments-'));
  store = new WatchedStore(folder);
  const uses = new AttachmentFileUses(database, new ExpiredFiles(database, new ManagedFileRepository(), store));
  const contents = new StoredFileRepository(uses);
  const files = new StoredFiles(database, contents, clock, store, uses);
  claims = new FileClaims(contexts as never, files, contents, uses);
  writer = new AttachmentWriter(database, new AttachmentRepository(), contents, clock, claims);
}, 60_000);
afterAll(async () => {
  await database?.close();
  await databases?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function upload(text: string): Promise<UploadedFile> {
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  const stored = await store.write(bytes, { maxBytes: 1000 });
  return { field: 'file_0', name: 'a', contentType: 'text/plain', ...stored };
}

/** Attaches a file as part of a call, as one of the processes that got it. */
function attach(file: UploadedFile, callId: string, isRepeat: boolean): Promise<readonly number[]> {
  const key = new CallKey(callId, 'call', isRepeat, { deadline: Date.now() + 30_000 } as never);
  const part = { module: 1, attached: 7, folder: 1, fileName: 'a', contentType: 'text/plain', rtf: false, file };
  return keys.run(key, async () => {
    const { ids } = await claims.withFiles(user, [file], (claimed) =>
      writer.writeAttachments(user, [part], claimed, LIMITS),
    );
    return ids;
  });
}

const countAttachments = (): Promise<number> =>
  database.read(user, async (db) => Number(await db.text('select count(*) from attachment where context_id = $1')));

describe('an upload whose call two processes begin', () => {
  afterEach(async () => {
    store.onClaim = () => Promise.resolve();
    await database.transact(user, (tx) => tx.run('delete from attachment where context_id = $1'));
  });

  it('is attached once, and both answer the same', async () => {
    const answered = new Set<number>();
    for (let pair = 0; pair < PAIRS; pair++) {
      const file = await upload(`content ${pair}`);
      const callId = randomUUID();
      const [first, again] = await Promise.all([attach(file, callId, false), attach(file, callId, true)]);
      expect(again).toEqual(first);
      for (const id of first) answered.add(id);
    }
    expect([answered.size, await countAttachments()]).toEqual([PAIRS, PAIRS]);
  });

  it.each([false, true])(
    'is so where the other one comes while its bytes are claimed (sent again: %s)',
    async (isRepeat) => {
      const file = await upload(`claimed ${isRepeat}`);
      const callId = randomUUID();
      const claims = new Promise<() => void>((resolve) => {
        store.onClaim = () => {
          store.onClaim = () => Promise.resolve();
          return new Promise((goOn) => resolve(goOn));
        };
      });
      const slow = attach(file, callId, !isRepeat);
      const goOn = await claims;
      const quick = await attach(file, callId, isRepeat);
      goOn();
      expect(await slow).toEqual(quick);
      expect(await countAttachments()).toBe(1);
    },
  );

  it('stays for the other one where one fails before', async () => {
    const file = await upload('failed');
    const failure = new Error('the context is away');
    jest.spyOn(contexts, 'call').mockRejectedValueOnce(failure);
    const callId = randomUUID();
    await expect(attach(file, callId, false)).rejects.toThrow(failure);
    expect(await attach(file, callId, true)).toHaveLength(1);
  });
});
