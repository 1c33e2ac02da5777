import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CatalogueError, FileErrors, UploadErrors } from '@groupware/contracts';
import type { ByteRange, FileStore, StoredFile, WriteOptions } from './file-store';

/** 32 hex digits: 128 random bits, and nothing that means something in a path. */
const REFERENCE = /^[0-9a-f]{32}$/;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Files in a folder. A write goes to a temporary name, is flushed to the disk and renamed, so a file is there completely or
 * not at all. Two levels of folders keep each small. A claim renames it from the folder of unclaimed files, so exactly one
 * of a claim and a removal of unclaimed files wins.
 */
export class FolderStore implements FileStore {
  private readonly temporary: string;
  private readonly incoming: string;

  /** @param folder absolute path; created when missing. Temporaries live inside it, since a rename must not cross disks. */
  constructor(private readonly folder: string) {
    this.temporary = join(folder, 'tmp');
    this.incoming = join(folder, 'incoming');
  }

  async write(stream: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<StoredFile> {
    const reference = randomBytes(16).toString('hex');
    const partial = join(this.temporary, reference);
    const file = await orFailed(mkdir(this.temporary, { recursive: true }).then(() => open(partial, 'wx', 0o600)));
    try {
      const hash = createHash('sha256');
      const md5 = options.hashesMd5 ? createHash('md5') : undefined;
      let sizeBytes = 0;
      try {
        for await (const chunk of stream) {
          sizeBytes += chunk.byteLength;
          if (sizeBytes > options.maxBytes) throw UploadErrors.tooLarge(sizeBytes, options.maxBytes);
          hash.update(chunk);
          md5?.update(chunk);
          for (let offset = 0; offset < chunk.byteLength;)
            offset += (await orFailed(file.write(chunk, offset, chunk.byteLength - offset))).bytesWritten;
        }
        await orFailed(file.sync());
      } finally {
        await file.close();
      }
      await orFailed(
        mkdir(this.incoming, { recursive: true }).then(() => rename(partial, join(this.incoming, reference))),
      );
      await syncFolder(this.incoming);
      return { reference, sizeBytes, sha256: hash.digest('hex'), ...(md5 && { md5: md5.digest('hex') }) };
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  async *read(reference: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const file = await this.open(reference);
    const stream = file.createReadStream({ start: range?.start ?? 0, end: range?.end, highWaterMark: 256 * 1024 });
    try {
      for await (const chunk of stream) yield chunk as Buffer;
    } finally {
      stream.destroy();
    }
  }

  async size(reference: string): Promise<number | undefined> {
    for (const path of this.placesOf(reference)) {
      const info = await stat(path).catch(whenMissing);
      if (info) return info.size;
    }
    return undefined;
  }

  async claim(reference: string): Promise<boolean> {
    const path = this.pathOf(reference);
    if (!path) return false;
    await orFailed(mkdir(dirname(path), { recursive: true }));
    const moved = await orFailed(rename(join(this.incoming, reference), path).then(() => true, whenMissing));
    if (!moved) return (await stat(path).catch(whenMissing)) !== undefined;
    // A new folder is durable only once the folders above it are.
    for (const folder of [dirname(path), dirname(dirname(path)), this.folder]) await syncFolder(folder);
    return true;
  }

  async discard(reference: string): Promise<boolean> {
    if (!REFERENCE.test(reference)) return false;
    return (await unlink(join(this.incoming, reference)).then(() => true, whenMissing)) ?? false;
  }

  async remove(reference: string): Promise<boolean> {
    for (const path of this.placesOf(reference)) if (await unlink(path).then(() => true, whenMissing)) return true;
    return false;
  }

  async sweep(olderThanMs: number): Promise<number> {
    const before = Date.now() - olderThanMs;
    return (await sweepFolder(this.temporary, before)) + (await sweepFolder(this.incoming, before));
  }

  private pathOf(reference: string): string | undefined {
    if (!REFERENCE.test(reference)) return undefined;
    return join(this.folder, reference.slice(0, 2), reference.slice(2, 4), reference);
  }

  /** Lists the paths where a file may be. A claim moves it from the first to the second, so in this order it is always found. */
  private placesOf(reference: string): string[] {
    const path = this.pathOf(reference);
    return path ? [join(this.incoming, reference), path] : [];
  }

  private async open(reference: string): Promise<FileHandle> {
    for (const path of this.placesOf(reference)) {
      const file = await orFailed(open(path, 'r').catch(whenMissing));
      if (file) return file;
    }
    throw unknownFile();
  }
}

const unknownFile = () => UploadErrors.failed('the file does not exist');

function whenMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}

/** Tells failures of the disk from those of the source or the sink of the bytes. @throws FLS-0003, FLS-0011 */
function orFailed<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof CatalogueError) throw cause;
    const full = cause.code === 'ENOSPC' || cause.code === 'EDQUOT';
    throw (full ? FileErrors.full() : FileErrors.failed(cause.code ?? 'unknown')).with({ cause });
  });
}

async function sweepFolder(folder: string, before: number): Promise<number> {
  let removed = 0;
  for (const name of (await readdir(folder).catch(whenMissing)) ?? []) {
    const path = join(folder, name);
    // A write that ends or a claim that comes meanwhile takes the file away; that is no failure of the sweep.
    const info = await stat(path).catch(() => undefined);
    if (info?.isFile() && info.mtimeMs < before && (await unlink(path).then(() => true, whenMissing))) removed++;
  }
  return removed;
}

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
