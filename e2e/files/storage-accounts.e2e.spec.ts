import type { Envelope } from '../client';
import { findClosedPort, startDavServer, type DavServer } from './dav-server';
import type { FileFixtures } from './files';
import { createAccount, startStorageFixtures, WEBDAV as SERVICE, type StorageFixtures } from './storages';

let fixtures: StorageFixtures;
let cast: FileFixtures;
let dav: DavServer;
beforeAll(async () => {
  fixtures = await startStorageFixtures({ 'com.example.file.storage.maxAccounts': '4' });
  ({ cast, dav } = fixtures);
}, 120_000);
afterAll(() => fixtures?.close());
afterEach(() => {
  dav.answer = undefined;
});

const codeOf = async (answer: Promise<Envelope>) => (await answer).code;
const configuration = (changes: object = {}) => ({
  url: dav.url,
  login: dav.login,
  password: dav.password,
  ...changes,
});
const tryCreate = (changes: object = {}, displayName?: string): Promise<Envelope<string>> =>
  cast.U1.put(
    'fileaccount',
    'new',
    {},
    { filestorageService: SERVICE, displayName, configuration: configuration(changes) },
  );
const get = (id: string, user = cast.U1): Promise<Envelope<any>> =>
  user.get('fileaccount', 'get', { filestorageService: SERVICE, id });
const listIds = async (): Promise<string[]> =>
  (await cast.U1.get<any[]>('fileaccount', 'all', { filestorageService: SERVICE })).data!.map(({ id }) => id);

const create = (displayName?: string): Promise<string> => createAccount(fixtures, displayName);
const remove = (id: string, user = cast.U1) => user.get('fileaccount', 'delete', { filestorageService: SERVICE, id });

describe('storages of WebDAV servers', () => {
  it('FL-125: have a service with a form', async () => {
    const { data } = await cast.U1.get<any>('fileservice', 'get', { id: SERVICE });
    expect(data).toMatchObject({ id: SERVICE, displayName: 'WebDAV' });
    expect(data.configuration.map(({ name, widget, mandatory }: any) => [name, widget, mandatory])).toEqual([
      ['url', 'text', true],
      ['login', 'text', true],
      ['password', 'password', true],
      ['timeout', 'text', false],
    ]);
    const all = await cast.U1.get<any[]>('fileservice', 'all');
    expect(all.data!.map(({ id }) => id)).toEqual(['com.example.infostore', SERVICE]);
  });

  it('FL-126: refuse addresses inside, and nothing is stored', async () => {
    const before = await listIds();
    for (const url of [
      'http://127.0.0.1:22/',
      'http://127.0.0.2:8080/',
      'http://169.254.169.254:8080/',
      'http://[::1]:8080/',
    ])
      expect(await codeOf(tryCreate({ url }))).toBe('FILE_STORAGE-0030');
    for (const url of [
      'ftp://example.com/',
      'file:///etc/passwd',
      'http://a:b@example.com/',
      'nonsense',
      'http://x.test/?a=b',
    ])
      expect(await codeOf(tryCreate({ url }))).toBe('FILE_STORAGE-0018');
    expect(await listIds()).toEqual(before);
  });

  it('refuse a wrong password, a missing field, and what is no such server', async () => {
    const before = await listIds();
    expect(await codeOf(tryCreate({ password: 'wrong' }))).toBe('FILE_STORAGE-0056');
    for (const name of ['url', 'login', 'password']) {
      const answer = await tryCreate({ [name]: undefined });
      expect([answer.code, answer.error_params]).toEqual(['FILE_STORAGE-0017', [name]]);
    }
    expect(await codeOf(tryCreate({ login: 'a:b' }))).toBe('FILE_STORAGE-0018');
    expect(await codeOf(tryCreate({ timeout: 'soon' }))).toBe('FILE_STORAGE-0018');
    expect(await codeOf(tryCreate({ url: `http://127.0.0.1:${await findClosedPort()}/` }))).toBe('FILE_STORAGE-0030');
    dav.answer = () => 200;
    expect(await codeOf(tryCreate())).toBe('FILE_STORAGE-0030');
    const other = { filestorageService: 'com.example.file.storage.nothing', configuration: {} };
    expect(await codeOf(cast.U1.put('fileaccount', 'new', {}, other))).toBe('FILE_STORAGE-0016');
    const own = { filestorageService: 'com.example.infostore', configuration: {} };
    expect(await codeOf(cast.U1.put('fileaccount', 'new', {}, own))).toBe('FILE_STORAGE-0006');
    expect(await listIds()).toEqual(before);
  });

  it('FL-127: never answer a password, and belong to one user', async () => {
    const id = await create();
    const { data } = await get(id);
    expect(data).toEqual({
      id,
      filestorageService: SERVICE,
      qualifiedId: `${SERVICE}://${id}`,
      displayName: 'Elsewhere',
      rootFolder: `${SERVICE}://${id}/`,
      isDefaultAccount: false,
      capabilities: expect.any(Array),
      configuration: { url: dav.url, login: dav.login },
    });
    const all = await cast.U1.get<any[]>('fileaccount', 'all');
    expect(all.data!.map((account) => account.id)).toEqual(['infostore', id]);
    expect(JSON.stringify(all)).not.toContain(dav.password);
    expect(await codeOf(get(id, cast.U2))).toBe('FILE_STORAGE-0004');
    expect(await codeOf(remove(id, cast.U2))).toBe('FILE_STORAGE-0004');
    expect((await remove(id)).data).toBe(1);
    expect(await codeOf(remove(id))).toBe('FILE_STORAGE-0004');
    expect(await codeOf(get(id))).toBe('FILE_STORAGE-0004');
  });

  it('FL-128: that are broken are listed with their error', async () => {
    const [good, broken] = [await create('Good'), await create('Broken')];
    const port = await findClosedPort();
    const path = { filestorageService: SERVICE, id: broken };
    dav.answer = () => 503;
    const all = await cast.U1.get<any[]>('fileaccount', 'all');
    expect(all.data!.map(({ id, hasError, code }) => [id, hasError, code])).toEqual([
      ['infostore', undefined, undefined],
      [good, true, 'FILE_STORAGE-0030'],
      [broken, true, 'FILE_STORAGE-0030'],
    ]);
    expect(all.data![1].error).toBeTruthy();
    const unasked = await cast.U1.get<any[]>('fileaccount', 'all', { connectionCheck: false });
    expect(unasked.data!.map(({ id, hasError }) => [id, hasError])).toEqual(
      ['infostore', good, broken].map((id) => [id, undefined]),
    );
    dav.answer = undefined;
    const url = `http://127.0.0.1:${port}/`;
    expect(
      await codeOf(cast.U1.put('fileaccount', 'update', {}, { ...path, configuration: { url, password: 'x' } })),
    ).toBe('FILE_STORAGE-0030');
    await remove(good);
    await remove(broken);
  });

  it('keep their password when something else changes, and tell it to no other server', async () => {
    const id = await create();
    const named = { filestorageService: SERVICE, id };
    const change = (body: object): Promise<Envelope<string>> =>
      cast.U1.put('fileaccount', 'update', {}, { ...named, ...body });
    expect((await change({ displayName: 'Renamed', configuration: { timeout: 5000 } })).data).toBe(id);
    expect((await get(id)).data).toMatchObject({ displayName: 'Renamed', configuration: { timeout: '5000' } });
    const other = await startDavServer();
    try {
      const answer = await change({ configuration: { url: other.url } });
      expect([answer.code, answer.error_params]).toEqual(['FILE_STORAGE-0017', ['password']]);
      expect(other.requests).toEqual([]);
      expect((await change({ configuration: { url: other.url, password: other.password } })).data).toBe(id);
      expect((await get(id)).data).toMatchObject({ configuration: { url: other.url } });
      expect((await get(id)).data.hasError).toBeUndefined();
    } finally {
      await other.close();
    }
    expect(await codeOf(change({ id: '999', displayName: 'x' }))).toBe('FILE_STORAGE-0004');
    await remove(id);
  });

  it('are limited in number, and no id comes twice', async () => {
    const ids = await Promise.all([create(), create(), create(), create()]);
    expect(await codeOf(tryCreate())).toBe('QUOTA-0003');
    expect(new Set(ids).size).toBe(4);
    await remove(ids[3]);
    const next = await create();
    expect(ids).not.toContain(next);
    for (const id of [...ids.slice(0, 3), next]) await remove(id);
  });
});
