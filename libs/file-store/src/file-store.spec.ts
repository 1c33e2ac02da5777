import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesBelow, S3Process } from '@groupware/test-kit';
import type { FileStore } from './file-store';
import { fileStoreFor } from './file-store-for';

let folder: string;
let store: FileStore;
let s3: S3Process;
let prefixes = 0;

beforeAll(async () => {
  s3 = await S3Process.start('files');
});
afterAll(() => s3.close());

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'file-store-')), 'with space');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const openFolder = (): FileStore => fileStoreFor(pathToFileURL(folder).href);
/** A prefix of its own for each test: what others left is not seen. */
const openS3 = (): FileStore => fileStoreFor(s3.storeUrl(`some/place-${prefixes++}`));

async function* chunks(...parts: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part as string);
}
async function bytes(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
const write = (...parts: (string | Buffer)[]) => store.write(chunks(...parts), { maxBytes: 10_000_000 });

describe.each([
  ['folder', openFolder],
  ['S3', openS3],
])('a %s store', (kind, open) => {
  beforeEach(() => {
    store = open();
  });

  it('gives back what was written, with size and hash', async () => {
    const content = randomBytes(1_000_000);
    const stored = await write(content.subarray(0, 7), content.subarray(7));
    expect(stored.sizeBytes).toBe(1_000_000);
    expect(stored.sha256).toBe(createHash('sha256').update(content).digest('hex'));
    expect((await bytes(store.read(stored.reference))).equals(content)).toBe(true);
    expect(await store.size(stored.reference)).toBe(1_000_000);
  });

  it('takes an empty file', async () => {
    const { reference, sizeBytes } = await write();
    expect(sizeBytes).toBe(0);
    expect(await bytes(store.read(reference))).toHaveLength(0);
  });

  it('reads ranges as HTTP counts them', async () => {
    const { reference } = await write('0123456789');
    const range = async (start: number, end?: number) =>
      (await bytes(store.read(reference, { start, end }))).toString();
    expect(await range(2, 4)).toBe('234');
    expect(await range(7)).toBe('789');
    expect(await range(8, 100)).toBe('89');
    // The S3 server of the tests takes an end of 0 for none.
    if (kind === 'folder') expect(await range(0, 0)).toBe('0');
    expect(await range(1, 1)).toBe('1');
  });

  it('refuses more than allowed while it reads, and leaves nothing behind', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        asked++;
        yield new Uint8Array(1_000);
      }
    }
    const refused = store.write(endless(), { maxBytes: 2_500 });
    await expect(refused).rejects.toMatchObject({ code: 'UPL-0005', params: [expect.any(String), '2500'] });
    expect(asked).toBeLessThan(40);
    expect(await leftovers()).toBe(0);
    expect((await store.write(chunks('x'.repeat(2_500)), { maxBytes: 2_500 })).sizeBytes).toBe(2_500);
  });

  it('leaves nothing behind when the source breaks', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      throw new Error('connection lost');
    }
    await expect(store.write(broken(), { maxBytes: 100 })).rejects.toThrow('connection lost');
    expect(await leftovers()).toBe(0);
  });

  it('removes a file once', async () => {
    const { reference } = await write('x');
    expect(await store.remove(reference)).toBe(true);
    expect(await store.remove(reference)).toBe(false);
    expect(await store.size(reference)).toBeUndefined();
    await expect(bytes(store.read(reference))).rejects.toMatchObject({ code: 'UPL-0001' });
  });

  it.each([
    '',
    '..',
    '../../../etc/passwd',
    'a'.repeat(31),
    `${'a'.repeat(31)}/`,
    'A'.repeat(32),
    `tmp/${'a'.repeat(32)}`,
    `${'a'.repeat(32)}\0`,
    `${'a'.repeat(32)}\n`,
  ])('does not take %j for a reference', async (reference) => {
    await expect(bytes(store.read(reference))).rejects.toMatchObject({ code: 'UPL-0001' });
    expect(await store.remove(reference)).toBe(false);
    expect(await store.size(reference)).toBeUndefined();
  });

  it('keeps what is claimed, from discards and from sweeps', async () => {
    const [kept, dropped, swept] = [await write('kept'), await write('dropped'), await write('swept')];
    expect(await store.claim(kept.reference)).toBe(true);
    expect(await store.claim(kept.reference)).toBe(true);
    expect(await store.discard(kept.reference)).toBe(false);
    expect(await store.discard(dropped.reference)).toBe(true);
    expect(await store.discard(dropped.reference)).toBe(false);
    expect(await store.claim(dropped.reference)).toBe(false);
    // A sweep with an age leaves what a transaction may still claim.
    expect(await store.sweep(3_600_000)).toBe(0);
    expect(await store.size(swept.reference)).toBe(5);
    expect(await store.sweep(-3_600_000)).toBe(1);
    expect(await store.size(swept.reference)).toBeUndefined();
    expect((await bytes(store.read(kept.reference))).toString()).toBe('kept');
    expect(await store.remove(kept.reference)).toBe(true);
    expect(await store.size(kept.reference)).toBeUndefined();
  });

  it('reads ranges of claimed files and of empty ones', async () => {
    const [full, empty] = [await write('0123456789'), await write()];
    await store.claim(full.reference);
    expect((await bytes(store.read(full.reference, { start: 3, end: 5 }))).toString()).toBe('345');
    expect(await bytes(store.read(empty.reference, { start: 0, end: 9 }))).toHaveLength(0);
  });

  it('takes more than one part of an upload', async () => {
    const part = randomBytes(1_000_000);
    const parts = Array.from({ length: 18 }, () => part);
    const stored = await store.write(chunks(...parts), { maxBytes: 18_000_000 });
    await store.claim(stored.reference);
    const hash = createHash('sha256');
    for await (const chunk of store.read(stored.reference)) hash.update(chunk);
    expect(hash.digest('hex')).toBe(stored.sha256);
    expect(stored.sizeBytes).toBe(18_000_000);
  });

  /** Files of any kind that a sweep would still find. */
  const leftovers = async (): Promise<number> =>
    kind === 'folder' ? filesBelow(folder).length : store.sweep(-3_600_000);
});

describe('a folder store', () => {
  beforeEach(() => {
    store = openFolder();
  });

  it('spreads files over two levels of folders, under names nobody can guess, readable by the owner only', async () => {
    const { reference } = await write('x');
    await store.claim(reference);
    expect(reference).toMatch(/^[0-9a-f]{32}$/);
    const path = join(folder, reference.slice(0, 2), reference.slice(2, 4), reference);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(new Set(await Promise.all(Array.from({ length: 50 }, async () => (await write('x')).reference))).size).toBe(
      50,
    );
  });

  // Open files are counted where the system shows them.
  (process.platform === 'linux' ? it : it.skip)('a reader that goes away early leaves no open file', async () => {
    const { reference } = await write(Buffer.alloc(1_000_000));
    const before = readdirSync('/proc/self/fd').length;
    for (let round = 0; round < 20; round++) for await (const _chunk of store.read(reference)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 2);
  });

  it('sweeps what interrupted writes left, and only old leftovers', async () => {
    mkdirSync(join(folder, 'tmp'), { recursive: true });
    writeFileSync(join(folder, 'tmp', 'old'), 'x');
    writeFileSync(join(folder, 'tmp', 'new'), 'x');
    utimesSync(join(folder, 'tmp', 'old'), new Date(0), new Date(0));
    const { reference } = await write('kept');
    await store.claim(reference);
    expect(await store.sweep(3_600_000)).toBe(1);
    expect(filesBelow(folder).sort()).toEqual([reference, 'new'].sort());
    expect(await fileStoreFor(join(folder, 'not there')).sweep(0)).toBe(0);
  });
});

describe('fileStoreFor', () => {
  it('refuses kinds it does not know, without showing credentials', () => {
    expect(() => fileStoreFor('ftp://key:secret@host')).toThrow(/ftp/);
    expect(() => fileStoreFor('ftp://key:secret@host')).not.toThrow(/secret@/);
  });
});
