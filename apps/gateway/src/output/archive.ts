import { Readable } from 'node:stream';
import type { ArchiveEntry } from '@groupware/contracts';
import { ZipFile } from 'yazl';
import type { FileBytes } from '../edge/ports';

/**
 * Writes a ZIP file while it is read: each file of it is opened when its turn comes, so nothing but the part under way is
 * in memory. A file that cannot be read breaks the stream, so that half an archive does not look like a whole one.
 */
export async function* archiveOf(entries: readonly ArchiveEntry[], store: FileBytes): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  for (const entry of entries)
    zip.addReadStreamLazy(entry.name, { mtime: new Date(entry.modified), size: entry.sizeBytes }, (give) => {
      current = Readable.from(store.read(entry.reference), { objectMode: false });
      current.on('error', (error) => output.destroy(error));
      give(null, current);
    });
  zip.on('error', (error: Error) => output.destroy(error));
  zip.end();
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    current?.destroy();
    output.destroy();
  }
}
