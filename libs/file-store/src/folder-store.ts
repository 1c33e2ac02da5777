import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UploadErrors } from '@groupware/contracts';
import type { ByteRange, FileStore, StoredFile, WriteOptions } from './file-store';

/** 32 hex digits: 128 random bits, and nothing that means something in a path. */
const REFERENCE = /^[0-9a-f]{32}$/;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Files in a folder. A write goes to a temporary name, is flushed to the disk and renamed, so a file is there completely or
 * not at all. Two levels of folders keep each small.
 */
export class FolderStore implements FileStore {
  private readonly temporary: string;

  /** @param folder absolute path; created when missing. Temporaries live inside it, since a rename must not cross disks. */
  constructor(private readonly folder: string) {
    this.temporary = join(folder, 'tmp');
  }

  async write(stream: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<StoredFile> {
    const reference = randomBytes(16).toString('hex');
    const partial = join(this.temporary, reference);
    await mkdir(this.temporary, { recursive: true });
    const file = await open(partial, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      let sizeBytes = 0;
      try {
        for await (const chunk of stream) {
          sizeBytes += chunk.byteLength;
          if (sizeBytes > options.maxBytes) throw UploadErrors.tooLarge(sizeBytes, options.maxBytes);
          hash.update(chunk);
          for (let offset = 0; offset < chunk.byteLength;)
            offset += (await file.write(chunk, offset, chunk.byteLength - offset)).bytesWritten;
        }
        await file.sync();
      } finally {
        await file.close();
      }
      const path = this.pathOf(reference)!;
      await mkdir(dirname(path), { recursive: true });
      await rename(partial, path);
      await syncFolder(dirname(path));
      return { reference, sizeBytes, sha256: hash.digest('hex') };
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  async *read(reference: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const path = this.pathOf(reference);
    if (!path) throw unknownFile();
    const stream = createReadStream(path, range && { start: range.start, end: range.end });
    try {
      for await (const chunk of stream) yield chunk as Buffer;
    } catch (error) {
      throw isMissing(error) ? unknownFile() : error;
    } finally {
      stream.destroy();
    }
  }

  async size(reference: string): Promise<number | undefined> {
    const path = this.pathOf(reference);
    if (!path) return undefined;
    try {
      return (await stat(path)).size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async remove(reference: string): Promise<boolean> {
    const path = this.pathOf(reference);
    if (!path) return false;
    try {
      await unlink(path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async sweep(olderThanMs: number): Promise<number> {
    const before = Date.now() - olderThanMs;
    let removed = 0;
    const names = await readdir(this.temporary).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const name of names) {
      const path = join(this.temporary, name);
      // A write that ends meanwhile takes its file away; that is no failure of the sweep.
      const info = await stat(path).catch(() => undefined);
      if (info?.isFile() && info.mtimeMs < before) {
        await rm(path, { force: true });
        removed++;
      }
    }
    return removed;
  }

  private pathOf(reference: string): string | undefined {
    if (!REFERENCE.test(reference)) return undefined;
    return join(this.folder, reference.slice(0, 2), reference.slice(2, 4), reference);
  }
}

const unknownFile = () => UploadErrors.failed('the file does not exist');

async function syncFolder(path: string): Promise<void> {
  // The rename itself is durable only once its folder is; some systems cannot flush folders and need not.
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync();
  } catch {
    return;
  } finally {
    await folder?.close();
  }
}
