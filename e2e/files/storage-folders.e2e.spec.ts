import type { Envelope } from '../client';
import { createAccount, folderOf, startStorageFixtures, type StorageFixtures } from './storages';

let fixtures: StorageFixtures;
let account: string;
beforeAll(async () => {
  fixtures = await startStorageFixtures({}, { FILES_STORAGE_CHECK_MS: '700' });
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
const update = (id: string, body: object): Promise<Envelope<string>> =>
  fixtures.cast.U1.put('folders', 'update', { id, tree: 0, timestamp: '9223372036854775807' }, body);
const remove = (ids: readonly string[]): Promise<Envelope<string[]>> =>
  fixtures.cast.U1.put('folders', 'delete', { tree: 0, timestamp: '9223372036854775807' }, [...ids]);

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
    expect((await update(one, { folder_id: cast.A })).code).toBe('FILE_STORAGE-0006');
    expect((await update(cast.A, { folder_id: one })).code).toBe('FILE_STORAGE-0006');
    expect((await update(folderOf(account), { title: 'x' })).code).toBe('FILE_STORAGE-0006');
    expect((await remove([folderOf(account)])).data).toEqual([folderOf(account)]);
    expect((await get(`${folderOf(account)}..%2Fetc`)).code).toBe('FILE_STORAGE-0031');
    expect((await get(folderOf('99'))).code).toBe('FILE_STORAGE-0004');
    expect((await get('com.example.nothing://1/')).code).toBe('FILE_STORAGE-0016');
    await remove([one, folderOf(account, 'One (1)')]);
  });

  it.each([
    ['silent', 'silence' as const],
    ['broken', 503],
    ['locked out', 401],
  ])('of a server that is %s take no others with them', async (_what, answer) => {
    const { cast, dav } = fixtures;
    dav.answer = () => answer;
    const started = performance.now();
    expect((await list('9')).data!.map(([id]) => id)).toEqual(expect.arrayContaining(['10', '15', folderOf(account)]));
    expect((await list('10')).data!.map(([id]) => id)).toContain(cast.P1);
    expect((await get(cast.A)).data).toMatchObject({ id: cast.A });
    expect(performance.now() - started).toBeLessThan(5_000);
    if (answer !== 'silence')
      expect((await list(folderOf(account))).code).toBe(answer === 401 ? 'FILE_STORAGE-0056' : 'FILE_STORAGE-0030');
    dav.answer = undefined;
    expect((await list(folderOf(account))).data).toEqual([]);
  });
});
