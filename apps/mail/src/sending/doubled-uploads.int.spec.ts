import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SCAN_SENT_FILES, type UploadedFile, type UserPrincipal } from '@groupware/contracts';
import { FolderStore } from '@groupware/file-store';
import { CallKey } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { FileClaims, StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { ComposeFiles } from '../compose/compose-files';
import { ComposePasswords } from '../compose/compose-passwords';
import { ComposeSpaces } from '../compose/compose-spaces';
import { toComposeUploads } from '../compose/compose-uploads';
import { ComposeRepository } from '../compose/compose.repository';
import { LastChanges } from '../compose/last-changes';
import { migrations } from '../mail.parts';
import { SnippetClaims } from '../snippets/snippet-claims';
import { SnippetFileUses } from '../snippets/snippet-file-uses';
import { SnippetFiles } from '../snippets/snippet-files';
import { SnippetRepository } from '../snippets/snippet.repository';
import { Snippets } from '../snippets/snippets';
import { OutgoingFiles } from './outgoing-files';

/** Each pair meets at another moment. */
const PAIRS = 20;
const user = { contextId: 1, userId: 3 } as UserPrincipal;
const clock = { now: () => Date.now() };
const keys = new AsyncLocalStorage<CallKey>();
/** Tells the file store of each context. */
const contexts = { call: () => Promise.resolve({ filestoreId: 1, quotaMb: -1, usedByOthers: 0 }) };
const limits = {
  get: (property: { key: string }) => Promise.resolve(property.key === SCAN_SENT_FILES.key ? 'off' : 1_000_000),
};
let databases: TestDatabase;
let database: ModuleDatabase;
let folder: string;
let store: FolderStore;
let spaces: ComposeSpaces;
let snippets: SnippetFiles;
let composing: ComposeFiles;
let changes: LastChanges;

beforeAll(async () => {
  databases = await testDatabase({ mail: migrations });
  database = await ModuleDatabase.open({
    module: 'mail',
    registry: databases.registry,
    settings: { url: databases.url, poolSize: 4 },
    migrations,
    callKey: () => keys.getStore(),
  });
  folder = mkdtempSync(path.join(os.tmpdir(), 'uploads-'));
  store = new FolderStore(folder);
  const uses = new SnippetFileUses();
  const contents = new StoredFileRepository(uses);
  const stored = new StoredFiles(database, contents, clock, store, uses);
  const claims = new FileClaims(contexts as never, stored, contents, uses);
  const outgoing = new OutgoingFiles(limits as never, store, undefined as never, contexts as never);
  const bytes = new SnippetClaims(database, contents, claims, stored, contexts as never, clock, uses);
  const rows = new SnippetRepository();
  const base = { basePaths: () => [] };
  const own = new Snippets(database, rows, contents, stored, bytes, {} as never, limits as never, clock, base as never);
  snippets = new SnippetFiles(database, rows, contents, stored, own, bytes, outgoing, limits as never, clock);
  const passwords = new ComposePasswords({ secretKeys: () => [Buffer.alloc(32, 1)] } as never);
  const spaceRows = new ComposeRepository();
  spaces = new ComposeSpaces(database, spaceRows, passwords, { get: () => Promise.resolve(0) } as never, clock);
  composing = new ComposeFiles(database, spaceRows, outgoing, limits as never, clock, store);
  changes = new LastChanges(spaces, composing, outgoing);
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
  return { field: 'file_0', name: 'a.txt', contentType: 'text/plain', ...stored };
}

/** Runs a write as part of a call, as one of the processes that got it. */
const asPartOf = <T>(callId: string, isRepeat: boolean, write: () => Promise<T>): Promise<T> =>
  keys.run(new CallKey(callId, 'call', isRepeat, { deadline: Date.now() + 30_000 } as never), write);

async function openSpace(): Promise<string> {
  return spaces.openSpace(user, {}, { contentType: 'text/plain', meta: { type: 'NEW' }, fields: {} });
}

/** A snippet without files; its id. */
async function createSnippet(): Promise<string> {
  const id = Math.floor(Math.random() * 1_000_000_000);
  await database.transact(user, (tx) =>
    new SnippetRepository().insert(tx, {
      ...{ id, createdBy: user.userId, revision: 1, accountId: -1, type: 'signature', module: 'mail' },
      ...{ displayName: 'S', content: '', misc: null, props: '{}', shared: false },
    }),
  );
  return String(id);
}

const listSnippetFiles = (id: string) =>
  database.read(user, (db) => new SnippetRepository().listFiles(db, [Number(id)]));
const listSpaceFiles = (id: string) =>
  database.read(user, (db) => new ComposeRepository().listAttachments(db, user.userId, [id]));

/** Writers of the files of requests: what they write into, and what is there afterwards. */
const writers = {
  'snippet?action=attach': {
    open: createSnippet,
    write: (id: string, file: UploadedFile) => snippets.attachFiles(user, { id, type: 'file' }, [file]),
    list: listSnippetFiles,
    outage: () => jest.spyOn(contexts, 'call'),
  },
  'an attachment of a mail that is written': {
    open: openSpace,
    write: (id: string, file: UploadedFile) => composing.addFiles(user, { id }, toComposeUploads([file])),
    list: listSpaceFiles,
    outage: () => jest.spyOn(limits, 'get'),
  },
  'the last changes of a mail that is written': {
    open: openSpace,
    write: (id: string, file: UploadedFile) =>
      changes.applyForm({ principal: user, query: { id }, body: undefined, files: [file] }),
    list: listSpaceFiles,
    outage: () => jest.spyOn(limits, 'get'),
  },
};

describe.each(Object.entries(writers))('an upload for %s whose call two processes begin', (_name, writer) => {
  it('is kept once', async () => {
    for (let pair = 0; pair < PAIRS; pair++) {
      const [id, file, callId] = [await writer.open(), await upload(`content ${randomUUID()}`), randomUUID()];
      const run = (isRepeat: boolean) => asPartOf<unknown>(callId, isRepeat, () => writer.write(id, file));
      const [first, again] = await Promise.all([run(false), run(true)]);
      expect(again).toEqual(first);
      const files: { reference: string }[] = await writer.list(id);
      expect(files).toHaveLength(1);
      for await (const part of store.read(files[0]!.reference)) expect(String(part)).toMatch(/^content /);
    }
  });

  it('stays for the other one where one fails before', async () => {
    const [id, file, callId] = [await writer.open(), await upload(`content ${randomUUID()}`), randomUUID()];
    const failure = new Error('the server is away');
    writer.outage().mockRejectedValueOnce(failure);
    await expect(asPartOf<unknown>(callId, false, () => writer.write(id, file))).rejects.toThrow(failure);
    await asPartOf<unknown>(callId, true, () => writer.write(id, file));
    expect(await writer.list(id)).toHaveLength(1);
  });
});

describe('files that a write made for a mail that is written', () => {
  it('are removed when it fails', async () => {
    const id = await openSpace();
    const bytes = (async function* () {
      yield Buffer.from('a card');
    })();
    const file = await new OutgoingFiles(limits as never, store, undefined as never, contexts as never).keepFile(
      user,
      bytes,
      { name: 'card.vcf', type: 'text/vcard' },
    );
    jest.spyOn(limits, 'get').mockRejectedValueOnce(new Error('the settings are away'));
    await expect(composing.addFiles(user, { id }, [{ ...file, origin: 'VCARD' }])).rejects.toThrow('away');
    expect(await store.discard(file.reference)).toBe(false);
  });
});
