import { createHash } from 'node:crypto';
import type { Envelope } from '../client';
import type { TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  addVersion,
  BITS,
  column,
  createFileFixtures,
  createFolder,
  dataOf,
  download,
  FORCE,
  tryCreate,
  usedBytes,
  type FileFixtures,
} from './files';

let world: TestEnvironment;
let cast: FileFixtures;
beforeAll(async () => {
  world = await startTestEnvironment({ properties: { 'com.example.infostore.maxUploadSize': '100000' } });
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** Sends a piece of a file as the whole body. */
async function send(user: TestUser, query: object, body: string | Uint8Array): Promise<Envelope> {
  const parameters = { action: 'upload', binary: true, session: user.session, ...query };
  const headers = { 'content-type': 'application/octet-stream' };
  const response = await user.fetch('PUT', '/infostore', parameters, {
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers,
  });
  return (await response.json()) as Envelope;
}
const begin = async (user: TestUser, name: string, body: string | Uint8Array): Promise<string> =>
  String((await send(user, { folder_id: cast.A, filename: name, offset: 0 }, body)).data);

describe('a file that comes in pieces', () => {
  it('is whole after the last one, with one version and the space that it needs', async () => {
    const { U1 } = cast;
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_none, index) => (index * 31) % 251));
    const used = await usedBytes(U1);
    const id = await begin(U1, 'pieces.bin', bytes.subarray(0, 9));
    for (let offset = 9; offset < bytes.length; offset += 9_001) {
      const sent = await send(U1, { id, offset }, bytes.subarray(offset, offset + 9_001));
      expect(sent).toMatchObject({ data: id, timestamp: expect.any(Number) });
    }
    expect(await dataOf(U1, id)).toMatchObject({
      ...{ filename: 'pieces.bin', version: '1', number_of_versions: 1, file_size: bytes.length },
      file_md5sum: createHash('md5').update(bytes).digest('hex'),
    });
    expect(Buffer.from(await (await download(U1, id)).arrayBuffer()).equals(bytes)).toBe(true);
    expect(await usedBytes(U1)).toBe(used + bytes.length);
  });

  it('FL-30 takes a piece once, and only at its end', async () => {
    const { U1 } = cast;
    const id = await begin(U1, 'twice.txt', 'abc');
    expect((await send(U1, { id, offset: 3 }, 'def')).error).toBeUndefined();
    for (const offset of [3, 0, 2, 7])
      expect(await send(U1, { id, offset }, 'def')).toMatchObject({ code: 'FLS-0019' });
    expect(await (await download(U1, id)).text()).toBe('abcdef');
    // Of several at once one is taken.
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(U1, { id, offset: 6 }, 'ghi')));
    expect(answers.map(({ code }) => code).sort()).toEqual([...Array<string>(4).fill('FLS-0019'), undefined]);
    expect(await (await download(U1, id)).text()).toBe('abcdefghi');
  });

  it('FL-31 begins at its beginning', async () => {
    const { U1, A } = cast;
    expect(await send(U1, { folder_id: A, filename: 'late.txt', offset: 5 }, 'late')).toMatchObject({
      code: 'IFO-2102',
    });
    expect(await column(U1, A, 'filename')).not.toContain('late.txt');
    const { data: note } = await tryCreate(U1, { folder_id: A, title: 'note' });
    expect(await send(U1, { id: note, offset: 4 }, 'late')).toMatchObject({ code: 'IFO-2102' });
    expect((await send(U1, { id: note, offset: 0 }, 'first')).error).toBeUndefined();
    expect(await dataOf(U1, String(note))).toMatchObject({ version: '1', file_size: 5 });
  });

  it('continues the current version alone, also by forms', async () => {
    const { U1 } = cast;
    const id = await begin(U1, 'versions.txt', 'one');
    expect((await addVersion(U1, id, 'two')).error).toBeUndefined();
    expect((await addVersion(U1, id, '!', { version_comment: 'more' }, { offset: 3 })).error).toBeUndefined();
    expect(await dataOf(U1, id)).toMatchObject({ version: '2', number_of_versions: 2, version_comment: 'more' });
    expect(await (await download(U1, id)).text()).toBe('two!');
    expect(await (await download(U1, id, { version: 1 })).text()).toBe('one');
    expect(await addVersion(U1, id, '!', {}, { offset: 3 })).toMatchObject({ code: 'FLS-0019' });
  });

  it('is continued by whom may write it, as long as nobody else keeps it locked, up to the limit', async () => {
    const { U1, U2, P1 } = cast;
    const shared = await createFolder(U1, P1, [[U2.userId, BITS.viewer]]);
    const id = String((await send(U1, { folder_id: shared, filename: 'kept.txt' }, 'kept')).data);
    expect(await send(U2, { id, offset: 4 }, '?')).toMatchObject({ code: 'IFO-0403' });
    expect(await send(cast.U3, { id, offset: 4 }, '?')).toMatchObject({ code: 'IFO-0400' });
    expect(await send(U1, { id, offset: 4, timestamp: 1 }, '?')).toMatchObject({ code: 'IFO-1302' });
    expect(await send(U1, { id, offset: 4 }, new Uint8Array(99_997))).toMatchObject({ code: 'UPL-0005' });
    const written = await createFolder(U1, P1, [[U2.userId, BITS.administrator]]);
    const locked = String((await send(U1, { folder_id: written, filename: 'locked.txt' }, 'lock')).data);
    await U2.get('infostore', 'lock', { id: locked });
    expect(await send(U1, { id: locked, offset: 4, timestamp: FORCE }, '?')).toMatchObject({ code: 'IFO-0415' });
    expect(await (await download(U1, id)).text()).toBe('kept');
    expect(await (await download(U1, locked)).text()).toBe('lock');
  });
});
