import type { Envelope } from '../client';
import { all, change, download, FORCE, tryUpload, upload } from './files';
import { createAccount, folderOf, startStorageFixtures, type StorageFixtures } from './storages';

let fixtures: StorageFixtures;
let root: string;
beforeAll(async () => {
  fixtures = await startStorageFixtures();
  root = folderOf(await createAccount(fixtures));
}, 120_000);
afterAll(() => fixtures?.close());
afterEach(() => {
  fixtures.dav.answer = undefined;
});

let count = 0;
const createFolder = async (): Promise<string> => {
  count += 1;
  const body = { title: `F ${count}`, module: 'infostore' };
  const { data } = await fixtures.cast.U1.put<string>('folders', 'new', { folder_id: root, tree: 0 }, body);
  return data!;
};
const get = (id: string, user = fixtures.cast.U1): Promise<Envelope<any>> => user.get('infostore', 'get', { id });
const names = async (folder: string): Promise<string[]> =>
  (await all(fixtures.cast.U1, folder, '702', { sort: '702', order: 'asc' })).data!.map(([name]) => name as string);
const bytesOf = async (id: string): Promise<string> => (await download(fixtures.cast.U1, id)).text();

describe('documents of storages elsewhere', () => {
  it('are uploaded, listed, read and downloaded', async () => {
    const { U1, U2 } = fixtures.cast;
    const folder = await createFolder();
    const id = await upload(U1, folder, 'Grüße & mehr.txt', 'hello there');
    expect(id).toBe(`${folder}/${encodeURIComponent('Grüße & mehr.txt')}`);
    expect((await get(id)).data).toMatchObject({
      id,
      folder_id: folder,
      title: 'Grüße & mehr.txt',
      filename: 'Grüße & mehr.txt',
      file_mimetype: 'text/plain',
      file_size: 11,
      version: '1',
      locked_until: 0,
      created_by: String(U1.userId),
    });
    expect((await all(U1, folder, '1,20,702,704,705,99999')).data).toEqual([
      [id, folder, 'Grüße & mehr.txt', 11, '1', null],
    ]);
    const listed = await U1.put<any[][]>('infostore', 'list', { columns: '1,702' }, [
      { id, folder },
      { id: `${folder}/none.txt`, folder },
    ]);
    expect(listed.data).toEqual([[id, 'Grüße & mehr.txt']]);
    const response = await download(U1, id, { delivery: 'download' });
    expect(await response.text()).toBe('hello there');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(response.headers.get('content-length')).toBe('11');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await get(id, U2)).code).toBe('FILE_STORAGE-0004');
    expect((await all(U2, folder)).code).toBe('FILE_STORAGE-0004');
    expect((await get(`${folder}/none.txt`)).code).toBe('FILE_STORAGE-0026');
    expect((await all(U1, folderOf('1', 'none'))).code).toBe('FILE_STORAGE-0029');
    expect((await all(U1, folder, '1', { sort: 'nonsense' })).code).toBe('SVL-0010');
  });

  it('are sent in parts, and not again to who has them', async () => {
    const { U1 } = fixtures.cast;
    const folder = await createFolder();
    const id = await upload(U1, folder, 'digits.txt', '0123456789');
    const part = await download(U1, id, {}, { range: 'bytes=2-4' });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10']);
    const end = await download(U1, id, {}, { range: 'bytes=-3' });
    expect([end.status, await end.text()]).toEqual([206, '789']);
    const old = await download(U1, id, { off: 3, len: 2 });
    expect([old.status, await old.text()]).toEqual([200, '34']);
    const tag = part.headers.get('etag')!;
    expect((await download(U1, id, {}, { 'if-none-match': tag })).status).toBe(304);
    const other = await download(U1, id, {}, { range: 'bytes=2-4', 'if-range': '"old"' });
    expect([other.status, await other.text()]).toEqual([200, '0123456789']);
  });

  it('are never run by a browser', async () => {
    const { U1 } = fixtures.cast;
    const folder = await createFolder();
    for (const [name, bytes] of [
      ['page.html', '<script>alert(1)</script>'],
      ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
      ['lie.png', '<html><script>alert(1)</script></html>'],
    ] as const) {
      const id = await upload(U1, folder, name, bytes);
      const response = await download(U1, id, { delivery: 'view' });
      expect(await response.text()).toBe(bytes);
      expect(response.headers.get('content-type')).toMatch(/^(application\/octet-stream|text\/plain)/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('get free names, versions that replace them, and large and empty bytes', async () => {
    const { U1 } = fixtures.cast;
    const folder = await createFolder();
    const first = await upload(U1, folder, 'a.txt', 'one');
    expect(await upload(U1, folder, 'a.txt', 'two')).toBe(`${folder}/${encodeURIComponent('a (1).txt')}`);
    expect(await upload(U1, folder, 'a.txt', 'three', {}, { try_add_version: true })).toBe(first);
    expect(await bytesOf(first)).toBe('three');
    expect(await names(folder)).toEqual(['a (1).txt', 'a.txt']);
    const large = 'x'.repeat(3_000_000);
    expect(await bytesOf(await upload(U1, folder, 'large.bin', large))).toBe(large);
    expect(await bytesOf(await upload(U1, folder, 'empty.txt', ''))).toBe('');
    expect((await tryUpload(U1, folder, 'x', 'x', { filename: '..' })).code).toBe('FILE_STORAGE-0067');
    expect((await U1.put('infostore', 'new', {}, { folder_id: folder, title: 'note' })).code).toBe('FILE_STORAGE-0057');
    expect((await U1.get('infostore', 'versions', { id: first })).code).toBe('FILE_STORAGE-0046');
  });

  it('are renamed, moved, copied and deleted', async () => {
    const { U1, A } = fixtures.cast;
    const [one, two] = [await createFolder(), await createFolder()];
    const id = await upload(U1, one, 'b.txt', 'bytes');
    const renamed = (await change(U1, id, { filename: 'c.txt' })).data as string;
    expect(renamed).toBe(`${one}/c.txt`);
    expect((await get(id)).code).toBe('FILE_STORAGE-0026');
    const moved = (await change(U1, renamed, { folder_id: two })).data as string;
    expect(moved).toBe(`${two}/c.txt`);
    const copied = await U1.put('infostore', 'copy', { id: moved }, { folder_id: one });
    expect(copied.data).toBe(`${one}/c.txt`);
    expect((await U1.put('infostore', 'copy', { id: moved }, { folder_id: one })).data).toBe(
      `${one}/${encodeURIComponent('c (1).txt')}`,
    );
    const move = (ids: readonly string[], folder: string, query = {}) =>
      U1.put<any[]>(
        'infostore',
        'move',
        { folder, ...query },
        ids.map((each) => ({ id: each, folder: one })),
      );
    expect((await move([`${one}/c.txt`], two, { autorename: false })).data).toEqual([
      { id: `${one}/c.txt`, folder: one },
    ]);
    expect((await move([`${one}/c.txt`], two)).data).toEqual([]);
    expect(await names(two)).toEqual(['c (1).txt', 'c.txt']);
    expect((await move([`${two}/c.txt`], A)).code).toBe('FILE_STORAGE-0006');
    const own = await upload(U1, A, 'own.txt');
    expect((await move([own], one)).code).toBe('FILE_STORAGE-0006');
    expect((await change(U1, own, { folder_id: one })).code).toMatch(/^(IFO|FILE_STORAGE)-/);
    expect(await bytesOf(moved)).toBe('bytes');
    const remove = (timestamp: string) =>
      U1.put<any[]>('infostore', 'delete', { timestamp }, [
        { id: moved, folder: two },
        { id: `${two}/none.txt`, folder: two },
      ]);
    expect((await remove('1')).data).toHaveLength(2);
    expect((await remove(FORCE)).data).toEqual([{ id: `${two}/none.txt`, folder: two }]);
    expect(await names(two)).toEqual(['c (1).txt']);
    expect((await change(U1, copied.data as string, {}, { timestamp: 1 })).code).toBe('FILE_STORAGE-0026');
  });

  it.each([
    [401, 'FILE_STORAGE-0056'],
    [403, 'FILE_STORAGE-0006'],
    [423, 'IFO-0415'],
    [500, 'FILE_STORAGE-0030'],
    [507, 'FILE_STORAGE-0032'],
    [302, 'FILE_STORAGE-0030'],
  ])('tell what a server answers: %d', async (status, code) => {
    const { cast, dav } = fixtures;
    const folder = await createFolder();
    dav.answer = (method) => (method === 'PUT' ? status : undefined);
    expect((await tryUpload(cast.U1, folder, 'd.txt', 'x')).code).toBe(code);
    dav.answer = undefined;
    expect(await names(folder)).toEqual([]);
  });
});
