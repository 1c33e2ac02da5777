import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FileStore } from './file-store';
import { fileStoreFor } from './file-store-for';

let folder: string;
let store: FileStore;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'file-store-')), 'with space');
  store = fileStoreFor(pathToFileURL(folder).href);
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

async function* chunks(...parts: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part as string);
}
async function bytes(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
const filesIn = (path: string): string[] =>
  (readdirSync(path, { recursive: true, withFileTypes: true }) as { isFile(): boolean; name: string }[])
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
const write = (...parts: (string | Buffer)[]) => store.write(chunks(...parts), { maxBytes: 10_000_000 });

describe('a folder store', () => {
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
    expect(await range(0, 0)).toBe('0');
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
    await expect(refused).rejects.toMatchObject({ code: 'UPL-0005', params: ['3000', '2500'] });
    expect(asked).toBe(3);
    expect(filesIn(folder)).toEqual([]);
    expect((await store.write(chunks('x'.repeat(2_500)), { maxBytes: 2_500 })).sizeBytes).toBe(2_500);
  });

  it('leaves nothing behind when the source breaks', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      throw new Error('connection lost');
    }
    await expect(store.write(broken(), { maxBytes: 100 })).rejects.toThrow('connection lost');
    expect(filesIn(folder)).toEqual([]);
  });

  it('spreads files over two levels of folders, under names nobody can guess, readable by the owner only', async () => {
    const { reference } = await write('x');
    expect(reference).toMatch(/^[0-9a-f]{32}$/);
    const path = join(folder, reference.slice(0, 2), reference.slice(2, 4), reference);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(new Set(await Promise.all(Array.from({ length: 50 }, async () => (await write('x')).reference))).size).toBe(
      50,
    );
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
    expect(await store.sweep(3_600_000)).toBe(1);
    expect(filesIn(folder).sort()).toEqual([reference, 'new'].sort());
    expect(await fileStoreFor(join(folder, 'not there')).sweep(0)).toBe(0);
  });
});

describe('fileStoreFor', () => {
  it('refuses kinds it does not know, without showing credentials', () => {
    expect(() => fileStoreFor('s3://key:secret@bucket')).toThrow(/s3/);
    expect(() => fileStoreFor('s3://key:secret@bucket')).not.toThrow(/secret@/);
  });
});
