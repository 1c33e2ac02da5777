import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file to be put into an archive. */
export interface ArchivedFile {
  /** Relative path, unique within the archive; that of an empty folder ends with a slash. */
  readonly name: string;
  /** ms UTC. */
  readonly modified: number;
  readonly sizeBytes?: number;
  /** Opens its bytes, when its turn has come. */
  open(): AsyncIterable<Uint8Array>;
}

/**
 * Writes a ZIP file while it is read: each file of it is opened when its turn comes, so nothing but the part under way is
 * in memory. A file that cannot be read breaks the stream, so that half an archive does not look like a whole one.
 */
export async function* createArchive(files: readonly ArchivedFile[]): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  for (const { name, modified, sizeBytes, open } of files) {
    if (name.endsWith('/')) {
      zip.addEmptyDirectory(name, { mtime: new Date(modified) });
      continue;
    }
    zip.addReadStreamLazy(
      name,
      { mtime: new Date(modified), ...(sizeBytes === undefined ? {} : { size: sizeBytes }) },
      (give) => {
        current = Readable.from(open(), { objectMode: false });
        current.on('error', (error) => output.destroy(error));
        give(null, current);
      },
    );
  }
  zip.on('error', (error: Error) => output.destroy(error));
  zip.end();
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    current?.destroy();
    output.destroy();
  }
}
