import { until } from '@groupware/test-kit';
import type { Envelope } from '../client';
import { addVersion, all, BITS, createFolder, download, FORCE, upload } from './files';
import { createAccount, folderOf, startStorageFixtures, WEBDAV, type StorageFixtures } from './storages';

let fixtures: StorageFixtures;
let account: string;
beforeAll(async () => {
  fixtures = await startStorageFixtures({}, { FILES_STORAGE_CHECK_MS: '2500', FILES_STORAGE_RECHECK_MS: '100' });
  account = await createAccount(fixtures);
}, 120_000);
afterAll(() => fixtures?.close());
afterEach(() => {
  fixtures.dav.answer = undefined;
});

const list = async (parent: string, user = fixtures.cast.U1): Promise<Envelope<any[][]>> =>
  user.get('folders', 'list', { parent, tree: 0, columns: '1,300,304,20' });
const titles = async (parent: string): Promise<string[]> => {
  const answer = await list(parent);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data.map(([, title]) => title as string).sort();
};
const tryCreate = (parent: string, title: string, more: object = {}, query: object = {}): Promise<Envelope<string>> =>
  fixtures.cast.U1.put(
    'folders',
    'new',
    { folder_id: parent, tree: 0, ...query },
    { title, module: 'infostore', ...more },
  );
const create = async (parent: string, title: string): Promise<string> => {
  const answer = await tryCreate(parent, title);
  if (typeof answer.data !== 'string') throw new Error(JSON.stringify(answer));
  return answer.data;
};
const get = (id: string, user = fixtures.cast.U1): Promise<Envelope<any>> =>
  user.get('folders', 'get', { id, tree: 0 });
const update = (id: string, body: object, query: object = {}): Promise<Envelope<string>> =>
  fixtures.cast.U1.put('folders', 'update', { id, tree: 0, timestamp: FORCE, ...query }, body);
const remove = (ids: readonly string[]): Promise<Envelope<string[]>> =>
  fixtures.cast.U1.put('folders', 'delete', { tree: 0, timestamp: FORCE }, [...ids]);
/** The number of the account whose root a folder is. */
const idOf = (root: string): string => root.split('/').at(-2)!;
/** Names of files in a folder, and of folders below it with theirs. */
const treeOf = async (folder: string): Promise<Record<string, unknown>> => {
  const { U1 } = fixtures.cast;
  const files = (await all(U1, folder, '1,702')).data!;
  const folders = (await list(folder)).data!;
  const entries = await Promise.all([
    ...files.map(async ([id, name]) => [name, await (await download(U1, id)).text()]),
    ...folders.map(async ([id, title]) => [title, await treeOf(String(id))]),
  ]);
  return Object.fromEntries(entries);
};
const moveFolders = (folders: readonly string[], folder: string, query: object = {}): Promise<Envelope<any[]>> =>
  fixtures.cast.U1.put(
    'infostore',
    'move',
    { folder, ...query },
    folders.map((id) => ({ folder: id })),
  );

describe('folders of storages elsewhere', () => {
  it('stand below the root of files, each account with its own root', async () => {
    const { data } = await list('9');
    expect(data!.filter(([id]) => id.includes('://'))).toEqual(
      [[folderOf(account), 'Elsewhere', 'infostore', '9']].map(([id, title]) => [id, title, expect.anything(), '9']),
    );
    expect((await list('9', fixtures.cast.U2)).data!.filter(([id]) => id.includes('://'))).toEqual([]);
    expect((await get(folderOf(account))).data).toMatchObject({
      id: folderOf(account),
      title: 'Elsewhere',
      folder_id: '9',
      account_id: `${WEBDAV}://${account}`,
    });
    expect((await get(folderOf(account), fixtures.cast.U2)).code).toBe('FILE_STORAGE-0004');
  });

  it('are made, read, renamed, moved and deleted', async () => {
    const docs = await create(folderOf(account), 'Dök & so');
    expect(docs).toBe(folderOf(account, 'Dök & so'));
    const inner = await create(docs, 'Inner');
    expect(inner).toBe(folderOf(account, 'Dök & so/Inner'));
    expect((await get(inner)).data).toMatchObject({ id: inner, folder_id: docs, title: 'Inner', module: 'infostore' });
    expect(await titles(folderOf(account))).toEqual(['Dök & so']);
    expect(await titles(docs)).toEqual(['Inner']);
    const path = await fixtures.cast.U1.get<any[][]>('folders', 'path', { id: inner, tree: 0, columns: '1' });
    expect(path.data!.map(([id]) => id)).toEqual([inner, docs, folderOf(account), '9']);
    const renamed = (await update(inner, { title: 'Renamed' })).data!;
    expect(renamed).toBe(folderOf(account, 'Dök & so/Renamed'));
    expect((await get(inner)).code).toBe('FILE_STORAGE-0029');
    const moved = (await update(renamed, { folder_id: folderOf(account) })).data!;
    expect(moved).toBe(folderOf(account, 'Renamed'));
    expect(await titles(folderOf(account))).toEqual(['Dök & so', 'Renamed']);
    expect((await remove([docs, moved])).data).toEqual([]);
    expect(await titles(folderOf(account))).toEqual([]);
  });

  it('refuse what a storage or the tree does not allow', async () => {
    const { cast } = fixtures;
    const one = await create(folderOf(account), 'One');
    expect((await tryCreate(folderOf(account), 'One')).code).toBe('FLD-0012');
    expect((await tryCreate(folderOf(account), 'One', {}, { autorename: true })).data).toBe(
      folderOf(account, 'One (1)'),
    );
    expect((await tryCreate(folderOf(account), '..')).code).toBe('FILE_STORAGE-0067');
    expect((await tryCreate(folderOf(account), 'a/b')).code).toBe('FILE_STORAGE-0065');
    expect((await tryCreate(folderOf(account), ' ')).code).toBe('FLD-0007');
    expect((await tryCreate(folderOf(account, 'None'), 'x')).code).toBe('FILE_STORAGE-0029');
    const permissions = [{ entity: cast.U2.userId, group: false, bits: 257 }];
    expect((await tryCreate(folderOf(account), 'Shared', { permissions })).code).toBe('FILE_STORAGE-0058');
    expect((await update(one, { permissions })).code).toBe('FILE_STORAGE-0058');
    expect((await update(one, { folder_id: one })).code).toMatch(/^FLD-/);
    expect((await update(cast.P1, { folder_id: one })).code).toBe('FLD-0031');
    expect((await update(cast.P2, { folder_id: one })).code).toMatch(/^FLD-/);
    expect((await update(folderOf(account), { folder_id: cast.A })).code).toBe('FILE_STORAGE-0006');
    expect((await update(folderOf(account), { title: 'x' })).code).toBe('FILE_STORAGE-0006');
    expect((await remove([folderOf(account)])).data).toEqual([folderOf(account)]);
    expect((await get(`${folderOf(account)}..%2Fetc`)).code).toBe('FILE_STORAGE-0031');
    expect((await get(folderOf('99'))).code).toBe('FILE_STORAGE-0004');
    expect((await get('com.example.nothing://1/')).code).toBe('FILE_STORAGE-0016');
    await remove([one, folderOf(account, 'One (1)')]);
  });

  it('move into the own storage and out of it with all below, after a warning about what is lost', async () => {
    const { U1, U2, P1 } = fixtures.cast;
    const root = folderOf(account);
    const own = await createFolder(U1, P1, [[U2.userId, BITS.viewer]], 'Whole');
    const below = await createFolder(U1, own, [], 'Below');
    await createFolder(U1, below, [], 'Empty');
    await upload(U1, own, 'a.txt', 'one');
    const rich = await upload(U1, below, 'b.txt', 'old', { description: 'Notes' });
    await addVersion(U1, rich, 'new', {}, {}, 'b.txt');
    const whole = { 'a.txt': 'one', Below: { 'b.txt': 'new', Empty: {} } };
    const refused = await update(own, { folder_id: root });
    expect(refused.code).toBe('FILE_STORAGE-0045');
    const codes = ['0059', '0040', '0041'].map((number) => ({ code: `FILE_STORAGE-${number}` }));
    expect(refused.warnings).toMatchObject(codes);
    expect([await treeOf(own), await titles(root)]).toEqual([whole, []]);
    const moved = await update(own, { folder_id: root }, { ignoreWarnings: true });
    expect(moved).toMatchObject({ data: folderOf(account, 'Whole'), warnings: codes });
    expect(await treeOf(moved.data!)).toEqual(whole);
    expect((await get(own)).code).toBe('FLD-0008');
    // Back, under another name.
    const back = await update(moved.data!, { folder_id: P1, title: 'Back' });
    expect(back.data).toMatch(/^\d+$/);
    expect(back.warnings).toBeUndefined();
    expect((await get(back.data!)).data).toMatchObject({ title: 'Back', folder_id: P1 });
    expect([await treeOf(back.data!), await titles(root)]).toEqual([whole, []]);
    await remove([back.data!]);
  });

  it('stay whole where their move fails, and leave nothing behind', async () => {
    const { cast, dav } = fixtures;
    const root = folderOf(account);
    const own = await createFolder(cast.U1, cast.P1, [], 'Own');
    await upload(cast.U1, own, 'a.txt', 'one');
    const place = await createFolder(cast.U1, cast.P1);
    const elsewhere = await create(root, 'Elsewhere');
    await upload(cast.U1, elsewhere, 'b.txt', 'two');
    dav.answer = (method) => (method === 'PUT' ? 507 : undefined);
    expect((await update(own, { folder_id: root })).code).toBe('FILE_STORAGE-0032');
    dav.answer = (method) => (method === 'DELETE' ? 423 : undefined);
    expect((await update(elsewhere, { folder_id: place })).code).toBe('IFO-0415');
    dav.answer = undefined;
    expect([await treeOf(own), await treeOf(place), await treeOf(root)]).toEqual([
      ...[{ 'a.txt': 'one' }, {}, { Elsewhere: { 'b.txt': 'two' } }],
    ]);
    // A name that is taken, a document that another user has locked, one without bytes.
    await create(root, 'Own');
    expect((await update(own, { folder_id: root })).code).toBe('FLD-0012');
    expect((await update(own, { folder_id: root }, { autorename: true })).data).toBe(folderOf(account, 'Own (1)'));
    const shared = await createFolder(cast.U1, cast.P1, [[cast.U2.userId, BITS.author]], 'Shared');
    const locked = await upload(cast.U1, shared, 'c.txt', 'three');
    await cast.U2.get('infostore', 'lock', { id: locked });
    expect((await update(shared, { folder_id: root }, { ignoreWarnings: true })).code).toMatch(/^FLD-/);
    expect(await treeOf(shared)).toEqual({ 'c.txt': 'three' });
    const link = await createFolder(cast.U1, cast.P1);
    await cast.U1.put('infostore', 'new', {}, { folder_id: link, title: 'Link', url: 'https://example.org/' });
    expect((await update(link, { folder_id: root })).code).toBe('FILE_STORAGE-0057');
    await remove([elsewhere, folderOf(account, 'Own'), folderOf(account, 'Own (1)'), shared, link, place]);
    expect(await titles(root)).toEqual([]);
  });

  it('move by entries without id among documents, within a storage and across', async () => {
    const { U1, U2, P1, T1 } = fixtures.cast;
    const root = folderOf(account);
    const [one, two] = [await createFolder(U1, P1, [], 'One'), await createFolder(U1, P1, [], 'Two')];
    const place = await createFolder(U1, P1);
    await upload(U1, one, 'a.txt', 'one');
    await upload(U1, two, 'b.txt', 'two');
    expect((await moveFolders([one, two], place)).data).toEqual([]);
    expect(await treeOf(place)).toEqual({ One: { 'a.txt': 'one' }, Two: { 'b.txt': 'two' } });
    expect((await get(one)).data).toMatchObject({ id: one, folder_id: place });
    expect((await moveFolders([place], one)).code).toBe('FLD-0045');
    expect((await moveFolders([P1], place)).code).toBe('FLD-0021');
    expect((await moveFolders([T1], place)).code).toBe('FLD-0021');
    const mixed = [{ folder: one }, { id: await upload(U1, place, 'c.txt', 'three'), folder: place }];
    expect((await U1.put<any[]>('infostore', 'move', { folder: root }, mixed)).data).toEqual([]);
    expect(await treeOf(root)).toEqual({ One: { 'a.txt': 'one' }, 'c.txt': 'three' });
    const inner = await create(root, 'Inner');
    expect((await moveFolders([folderOf(account, 'One')], inner)).data).toEqual([]);
    expect((await moveFolders([inner], folderOf(account, 'Inner/One'))).code).toBe('FLD-0045');
    expect((await moveFolders([inner], place)).data).toEqual([]);
    expect(await treeOf(place)).toEqual({ Inner: { One: { 'a.txt': 'one' } }, Two: { 'b.txt': 'two' } });
    // One loss stops all of them.
    const shared = await createFolder(U1, P1, [[U2.userId, BITS.viewer]], 'Open');
    expect((await moveFolders([two, shared], root)).code).toBe('FILE_STORAGE-0070');
    expect(Object.keys(await treeOf(root))).toEqual(['c.txt']);
    const moved = await moveFolders([two, shared], root, { ignoreWarnings: true });
    expect(moved.warnings).toMatchObject({ code: 'FILE_STORAGE-0059' });
    expect(Object.keys(await treeOf(root)).sort()).toEqual(['Open', 'Two', 'c.txt']);
    await remove([folderOf(account, 'Open'), folderOf(account, 'Two'), place]);
    await U1.put('infostore', 'delete', { timestamp: FORCE }, [{ id: `${root}/c.txt`, folder: root }]);
  });

  it('of a server that falls silent keep no list waiting: its former state is told until another one is known', async () => {
    const { cast, dav } = fixtures;
    const root = folderOf(account);
    let slowestMs = 0;
    const codeOf = async (): Promise<string | undefined> => {
      const started = performance.now();
      const rows = await cast.U1.get<any[][]>('folders', 'list', { parent: '9', tree: 0, columns: '1,3031' });
      slowestMs = Math.max(slowestMs, performance.now() - started);
      return new Map(rows.data!.map(([id, error]) => [id, error?.code])).get(root);
    };
    await until(async () => (await codeOf()) === undefined);
    slowestMs = 0;
    dav.answer = () => 'silence';
    await until(async () => (await codeOf()) === 'FILE_STORAGE-0030');
    dav.answer = undefined;
    await until(async () => (await codeOf()) === undefined);
    // It is waited for 2 s in the background.
    expect(slowestMs).toBeLessThan(1_500);
  });

  it.each([
    ['silent', 'silence' as const],
    ['broken', 503],
    ['locked out', 401],
  ])('of a server that is %s take no others with them', async (_what, answer) => {
    const { cast, dav } = fixtures;
    const other = folderOf(await createAccount(fixtures, 'Other'));
    const code = answer === 401 ? 'FILE_STORAGE-0056' : 'FILE_STORAGE-0030';
    dav.answer = () => answer;
    const started = performance.now();
    expect((await list('9')).data!.map(([id]) => id)).toEqual(expect.arrayContaining(['10', '15', folderOf(account)]));
    const rows = await cast.U1.get<any[][]>('folders', 'list', { parent: '9', tree: 0, columns: '1,3031' });
    const told = new Map(rows.data!.map(([id, error]) => [id, error?.code]));
    expect([told.get(other), told.get('10')]).toEqual([code, undefined]);
    expect((await list('10')).data!.map(([id]) => id)).toContain(cast.P1);
    expect((await get(cast.A)).data).toMatchObject({ id: cast.A });
    expect(performance.now() - started).toBeLessThan(5_000);
    if (answer !== 'silence') expect((await list(folderOf(account))).code).toBe(code);
    dav.answer = undefined;
    expect((await list(folderOf(account))).data).toEqual([]);
    await cast.U1.get('fileaccount', 'delete', { filestorageService: WEBDAV, id: idOf(other) });
  });
});
