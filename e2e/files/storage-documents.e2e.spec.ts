import { unzipped } from '../attachments/zip';
import type { Envelope } from '../client';
import { bare, found, option, query, words, type ChosenFacet } from '../find/find-client';
import {
  addVersion,
  all,
  BITS,
  change,
  createFolder as createOwnFolder,
  download,
  FORCE,
  tryUpload,
  upload,
} from './files';
import { createAccount, folderOf, startStorageFixtures, type StorageFixtures } from './storages';

/** Attempts per minute that may fail. */
const ATTEMPTS = 30;
let fixtures: StorageFixtures;
let root: string;
beforeAll(async () => {
  // Fewer attempts than these documents take: what a storage answers to is not counted.
  fixtures = await startStorageFixtures({}, { GROUPWARE_OUTBOUND_PER_MINUTE: String(ATTEMPTS) });
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
    expect((await all(U1, folder, '1,20,702,704,705,7040')).data).toEqual([
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

  it('lose what the storage does not keep only where the user says so', async () => {
    const { U1 } = fixtures.cast;
    const folder = await createFolder();
    const fields = { description: 'a note', categories: 'red' };
    const store = async (filename: string, parameters: object): Promise<any> => {
      const query = { action: 'upload', binary: true, session: U1.session, folder_id: folder, filename, ...parameters };
      const headers = { 'content-type': 'application/octet-stream' };
      return (await U1.fetch('PUT', '/infostore', query, { body: 'x', headers })).json();
    };
    const codes = ({ warnings }: any) => warnings.map(({ code }: any) => code);
    const refused = await store('a.txt', fields);
    expect(refused).toMatchObject({ code: 'FILE_STORAGE-0045' });
    expect(codes(refused)).toEqual(['FILE_STORAGE-0040', 'FILE_STORAGE-0042']);
    expect((await all(U1, folder)).data).toEqual([]);
    const stored = await store('a.txt', { ...fields, ignoreWarnings: true });
    expect(stored).toMatchObject({ data: `${folder}/a.txt`, code: 'FILE_STORAGE-0040', category: 13 });
    expect(codes(stored)).toEqual(['FILE_STORAGE-0040', 'FILE_STORAGE-0042']);
    expect(await store('b.txt', {})).not.toHaveProperty('warnings');
    const id = `${folder}/b.txt`;
    const version = (parameters: object) => addVersion(U1, id, 'y', fields, { ...parameters });
    expect(await version({})).toMatchObject({ code: 'FILE_STORAGE-0045' });
    expect(await (await download(U1, id)).text()).toBe('x');
    expect(codes(await version({ ignoreWarnings: true }))).toEqual(['FILE_STORAGE-0040', 'FILE_STORAGE-0042']);
    expect(await (await download(U1, id)).text()).toBe('y');
    expect((await change(U1, id, fields)).code).toBe('FILE_STORAGE-0045');
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

  it('are uploaded right after many downloads that a browser broke off', async () => {
    const { U1 } = fixtures.cast;
    const folder = await createFolder();
    const id = await upload(U1, folder, 'film.bin', 'x'.repeat(1_000_000));
    for (let number = 0; number < ATTEMPTS; number++) {
      const reader = (await download(U1, id)).body!.getReader();
      expect((await reader.read()).done).toBe(false);
      await reader.cancel();
    }
    expect((await tryUpload(U1, folder, 'after.txt', 'x')).data).toBe(`${folder}/after.txt`);
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

  it('FL-81 stay as they are while another WebDAV client has them locked', async () => {
    const { cast, dav } = fixtures;
    const folder = await createFolder();
    const id = await upload(cast.U1, folder, 'locked.txt', 'as it was');
    const address = `${dav.url}${encodeURIComponent(`F ${count}`)}/locked.txt`;
    const authorization = dav.otherAuthorization;
    const body = `<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>
      <D:locktype><D:write/></D:locktype><D:owner><D:href>another client</D:href></D:owner></D:lockinfo>`;
    const locked = await fetch(address, { method: 'LOCK', headers: { authorization, timeout: 'Second-600' }, body });
    const token = locked.headers.get('lock-token');
    expect([locked.status, token]).toEqual([200, expect.stringContaining('urn:uuid:')]);
    expect((await addVersion(cast.U1, id, 'changed')).code).toBe('IFO-0415');
    expect((await change(cast.U1, id, { filename: 'renamed.txt' })).code).toBe('IFO-0415');
    expect(await bytesOf(id)).toBe('as it was');
    const unlocked = await fetch(address, { method: 'UNLOCK', headers: { authorization, 'lock-token': token! } });
    expect(unlocked.status).toBe(204);
    expect((await addVersion(cast.U1, id, 'changed')).error).toBeUndefined();
    expect(await bytesOf(id)).toBe('changed');
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
    const { U1 } = fixtures.cast;
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

  it('are copied and moved between storages, after a warning about what the new one does not keep', async () => {
    const { U1, U2, P1 } = fixtures.cast;
    const [elsewhere, own] = [await createFolder(), await createOwnFolder(U1, P1)];
    const move = (ids: readonly string[], folder: string, query = {}) =>
      U1.put<any[]>(
        'infostore',
        'move',
        { folder, ...query },
        ids.map((id) => ({ id, folder: own })),
      );
    // Into the own storage nothing is lost.
    const large = 'y'.repeat(3_000_000);
    const first = await upload(U1, elsewhere, 'large.txt', large);
    const copied = (await U1.put('infostore', 'copy', { id: first }, { folder_id: own })).data as string;
    expect(await bytesOf(copied)).toBe(large);
    expect((await get(copied)).data).toMatchObject({
      filename: 'large.txt',
      file_mimetype: 'text/plain',
      version: '1',
    });
    expect((await move([first], own)).data).toEqual([]);
    expect((await get(first)).code).toBe('FILE_STORAGE-0026');
    expect((await all(U1, own, '702')).data).toEqual([['large.txt'], ['large (1).txt']]);
    // Out of it notes, versions, categories and shares are.
    const rich = await upload(U1, own, 'rich.txt', 'old', {
      ...{ description: 'Notes', categories: 'red' },
      object_permissions: [{ entity: U2.userId, bits: 1 }],
    });
    await addVersion(U1, rich, 'new', {}, {}, 'rich.txt');
    const refused = await change(U1, rich, { folder_id: elsewhere });
    expect(refused).toMatchObject({ code: 'FILE_STORAGE-0045' });
    const codes = ['0040', '0041', '0042', '0059'].map((number) => `FILE_STORAGE-${number}`);
    expect((refused.warnings as { code: string }[]).map(({ code }) => code)).toEqual(codes);
    const plain = await upload(U1, own, 'plain.txt');
    expect((await move([rich, plain], elsewhere)).code).toBe('FILE_STORAGE-0070');
    expect(await names(elsewhere)).toEqual([]);
    const one = await U1.get('infostore', 'move', { id: rich, folder: elsewhere, timestamp: FORCE });
    expect(one.code).toBe('FILE_STORAGE-0045');
    const moved = await change(U1, rich, { folder_id: elsewhere }, { ignoreWarnings: true });
    expect(moved).toMatchObject({ data: `${elsewhere}/rich.txt`, warnings: codes.map((code) => ({ code })) });
    expect(await bytesOf(moved.data as string)).toBe('new');
    expect((await get(rich)).code).toBe('IFO-0300');
    expect((await move([plain, `${own}/2000000000`], elsewhere)).data).toEqual([
      { id: `${own}/2000000000`, folder: own },
    ]);
    expect(await names(elsewhere)).toEqual(['plain.txt', 'rich.txt']);
    const again = await upload(U1, own, 'plain.txt', 'again');
    expect((await move([again], elsewhere, { autorename: false })).data).toEqual([{ id: again, folder: own }]);
    expect((await U1.put('infostore', 'copy', { folder: elsewhere }, [{ id: again, folder: own }])).data).toEqual([
      `${elsewhere}/${encodeURIComponent('plain (1).txt')}`,
    ]);
    // Neither a stale timestamp nor the lock of another user is passed by.
    expect((await change(U1, again, { folder_id: elsewhere }, { timestamp: 1 })).code).toBe('IFO-1302');
    const readable = await createOwnFolder(U1, P1, [[U2.userId, BITS.author]]);
    const locked = await upload(U1, readable, 'locked.txt');
    await U2.get('infostore', 'lock', { id: locked });
    expect((await change(U1, locked, { folder_id: elsewhere })).code).toBe('IFO-0415');
    expect((await get(locked)).data).toMatchObject({ id: locked });
  });

  it('stay in the storage where they change while they are moved out of it, or cannot be deleted', async () => {
    const { cast, dav } = fixtures;
    const own = await createOwnFolder(cast.U1, cast.P1);
    const folder = await createFolder();
    const place = `/${encodeURIComponent(`F ${count}`)}/busy.txt`;
    const change = async (text: string): Promise<void> => {
      const headers = { authorization: dav.otherAuthorization };
      await fetch(new URL(place, dav.url), { method: 'PUT', headers, body: text });
    };
    const id = await upload(cast.U1, folder, 'busy.txt', 'before');
    const move = () => cast.U1.get('infostore', 'move', { id, folder: own, timestamp: FORCE });
    // As long as before, and perhaps in the same second: the tag alone tells.
    let looks = 0;
    dav.answer = async (method, path) => {
      if (method === 'PROPFIND' && decodeURIComponent(place) === path && (looks += 1) === 2) await change('after!');
      return undefined;
    };
    expect((await move()).code).toBe('IFO-1302');
    expect(looks).toBe(2);
    dav.answer = undefined;
    expect([await bytesOf(id), (await all(cast.U1, own)).data]).toEqual(['after!', []]);
    // Once more at the very end: servers that know conditions refuse the deletion.
    dav.answer = (method) => (method === 'DELETE' ? 412 : undefined);
    expect((await move()).code).toBe('IFO-1302');
    expect(dav.requests.findLast(({ method }) => method === 'DELETE')).toMatchObject({
      path: place,
      condition: expect.stringMatching(/^"[^"]+"$/),
    });
    dav.answer = undefined;
    expect([await bytesOf(id), (await all(cast.U1, own)).data]).toEqual(['after!', []]);
    // Where the deletion is refused, no copy is left; where its fate is unknown, there is one rather than none.
    for (const [status, code, copies] of [
      [423, 'IFO-0415', []],
      [500, 'FILE_STORAGE-0030', [['busy.txt']]],
    ] as const) {
      dav.answer = (method) => (method === 'DELETE' ? status : undefined);
      expect((await move()).code).toBe(code);
      dav.answer = undefined;
      expect([await bytesOf(id), (await all(cast.U1, own, '702')).data]).toEqual(['after!', copies]);
    }
    expect((await move()).error).toBeUndefined();
    expect((await all(cast.U1, own, '702')).data).toEqual([['busy.txt'], ['busy (1).txt']]);
    expect(await names(folder)).toEqual([]);
  });

  it('are found by name, told by updates and packed', async () => {
    const { U1 } = fixtures.cast;
    const folder = await createFolder();
    const below = await U1.put<string>(
      'folders',
      'new',
      { folder_id: folder, tree: 0 },
      { title: 'Below', module: 'infostore' },
    );
    await upload(U1, folder, 'Report 15.txt', 'fifteen');
    await upload(U1, below.data!, 'report 5.txt', 'five');
    await upload(U1, folder, 'other.txt', 'other');
    const search = async (pattern: string, query: object = {}) => {
      const answer = await U1.put<string[][]>(
        'infostore',
        'search',
        { folder, columns: '702', sort: '702', order: 'asc', ...query },
        { pattern },
      );
      return answer.data?.map(([name]) => name) ?? answer.code;
    };
    expect(await search('5')).toEqual(['Report 15.txt']);
    expect(await search('RE?ort*5', { includeSubfolders: true })).toEqual(['Report 15.txt', 'report 5.txt']);
    expect(await search('', { includeSubfolders: true, start: 1, end: 1 })).toEqual(['Report 15.txt']);
    expect(await search('%')).toEqual([]);
    const updates = (query: object) => U1.get<any[]>('infostore', 'updates', { folder, columns: '702', ...query });
    const first = await updates({ sort: '702', order: 'asc' });
    expect(first.data).toEqual([['other.txt'], ['Report 15.txt']]);
    expect((await updates({ timestamp: first.timestamp })).code).toBe('FILES-0002');
    expect((await updates({ timestamp: first.timestamp! + 60_000, ignore: 'deleted' })).data).toEqual([]);
    const pack = async (method: string, query: Record<string, string | boolean>, body?: object) => {
      const response = await U1.fetch(
        method,
        '/infostore',
        { session: U1.session, ...query },
        {
          ...(body && { body: JSON.stringify(body) }),
        },
      );
      expect(response.headers.get('content-type')).toBe('application/zip');
      return unzipped(Buffer.from(await response.arrayBuffer()));
    };
    expect(await pack('GET', { action: 'zipfolder', folder })).toEqual({
      'other.txt': 'other',
      'Report 15.txt': 'fifteen',
    });
    expect(await pack('GET', { action: 'zipfolder', folder, recursive: true })).toHaveProperty(
      ['Below/report 5.txt'],
      'five',
    );
    const several = [{ id: `${folder}/other.txt`, folder }, { folder: below.data }];
    expect(await pack('PUT', { action: 'zipdocuments' }, several)).toEqual({
      'other.txt': 'other',
      'Below/report 5.txt': 'five',
    });
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

describe('finding files of storages elsewhere', () => {
  it('needs the account, and compares names, kinds, sizes and times', async () => {
    const { U1, U2 } = fixtures.cast;
    const folder = await createFolder();
    await upload(U1, folder, 'Find me a77.txt', 'hello');
    await upload(U1, folder, 'b77.png', 'picture');
    const account = bare('account', folder.slice(0, folder.lastIndexOf('/')));
    const within = bare('folder', folder);
    const names = (...facets: ChosenFacet[]) => found(query(U1, 'files', [account, ...facets]), 'filename');
    expect(await names(words('global', 'global', '77'), within)).toEqual(['b77.png', 'Find me a77.txt']);
    expect(await names(words('file_name', 'file_name', 'find', 'a7?'))).toEqual(['Find me a77.txt']);
    expect(await names(within, option('file_type', 'file_type', 'images'))).toEqual(['b77.png']);
    expect(await names(within, option('file_type', 'file_type', 'other'))).toEqual([]);
    expect(await names(within, option('file_size', 'file_size', '>1MB'))).toEqual([]);
    expect(await names(within, bare('date', 'last_week'))).toHaveLength(2);
    expect(await names(within, words('file_description', 'file_description', '77'))).toEqual([]);
    expect((await query(U1, 'files', [words('global', 'global', '77')])).code).toBe('FIND-0011');
    expect((await query(U1, 'files', [account, bare('folder', '9')])).code).toBe('FIND-0014');
    expect((await query(U2, 'files', [account])).code).toBe('FIND-0018');
    expect((await query(U1, 'files', [account, option('file_type', 'file_type', 'x')])).code).toBe('FIND-0004');
    expect((await query(U1, 'files', [bare('account', 'com.example.infostore://infostore')])).error).toBeUndefined();
    const gone = bare('folder', `${folder}${encodeURIComponent('/gone')}`);
    expect((await query(U1, 'files', [account, gone])).code).toBe('FILE_STORAGE-0029');
  });
});
