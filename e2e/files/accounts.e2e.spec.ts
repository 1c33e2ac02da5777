import type { Envelope } from '../client';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { createFileFixtures, type FileFixtures } from './files';

const SERVICE = 'com.example.infostore';

let world: TestEnvironment;
let cast: FileFixtures;
beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const codeOf = async (answer: Promise<Envelope>) => (await answer).code;

describe('file storages', () => {
  it('FL-124 hold the own one with all it can do', async () => {
    const { U1 } = cast;
    const { data } = await U1.get<any[]>('fileaccount', 'all');
    expect(data).toEqual([
      {
        id: 'infostore',
        filestorageService: SERVICE,
        qualifiedId: `${SERVICE}://infostore`,
        displayName: 'Files',
        rootFolder: '9',
        isDefaultAccount: true,
        capabilities: expect.arrayContaining(['FILE_VERSIONS', 'LOCKS', 'OBJECT_PERMISSIONS', 'RESTORE']),
        configuration: {},
      },
    ]);
    const query = { filestorageService: SERVICE };
    expect((await U1.get('fileaccount', 'all', query)).data).toEqual(data);
    expect((await U1.get('fileaccount', 'get', { ...query, id: 'infostore' })).data).toEqual(data![0]);
    expect(await codeOf(U1.get('fileaccount', 'get', { ...query, id: '7' }))).toBe('FILE_STORAGE-0004');
    for (const name of ['SEARCH_BY_TERM', 'THUMBNAIL_IMAGES']) expect(data![0].capabilities).toContain(name);
    const renamed = { ...query, id: 'infostore', displayName: 'Mine' };
    expect(await codeOf(U1.put('fileaccount', 'update', {}, renamed))).toBe('FILE_STORAGE-0006');
    expect(await codeOf(U1.get('fileaccount', 'delete', { ...query, id: 'infostore' }))).toBe('FILE_STORAGE-0006');
    const unknown = { filestorageService: 'com.example.file.storage.unknown' };
    expect(await codeOf(U1.get('fileaccount', 'get', { ...unknown, id: '7' }))).toBe('FILE_STORAGE-0016');
    expect(await codeOf(U1.get('fileaccount', 'all', unknown))).toBe('FILE_STORAGE-0016');
  });

  it('FL-125 have their services', async () => {
    const { U1 } = cast;
    const service = { id: SERVICE, displayName: 'Files', configuration: [] };
    expect((await U1.get('fileservice', 'all')).data).toEqual([service]);
    expect((await U1.get('fileservice', 'get', { id: SERVICE })).data).toEqual(service);
    expect(await codeOf(U1.get('fileservice', 'get', { id: 'com.example.file.storage.unknown' }))).toBe(
      'FILE_STORAGE-0016',
    );
  });

  it('are told in one call when the client starts', async () => {
    const { U1 } = cast;
    const calls = ['fileservice', 'fileaccount'].map((module) => ({ module, action: 'all' }));
    const response = await U1.fetch(
      'PUT',
      '/multiple',
      { session: U1.session },
      {
        body: JSON.stringify(calls),
        headers: { 'content-type': 'application/json' },
      },
    );
    const answers = (await response.json()) as Envelope<any[]>[];
    expect(answers.map(({ data }) => data?.[0]?.id)).toEqual([SERVICE, 'infostore']);
  });
});
