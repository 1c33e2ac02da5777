import type { FileStore } from '@groupware/file-store';
import { parseCsvRows } from './csv-rows';
import type { FieldMapping, ImportFormat, ImportRow } from './import-fields';
import { parseLdifRows } from './ldif-rows';

/** Streams the rows of a stored file; `read` receives the byte count so far. */
export async function* readImportRows(
  files: FileStore,
  reference: string,
  { format, mapping }: { readonly format: ImportFormat; readonly mapping?: FieldMapping },
  read: (bytes: number) => void = () => undefined,
): AsyncGenerator<ImportRow> {
  let total = 0;
  const counted = async function* () {
    for await (const chunk of files.read(reference)) {
      total += chunk.length;
      read(total);
      yield chunk;
    }
  };
  yield* format === 'ldif' ? parseLdifRows(counted(), mapping) : parseCsvRows(counted(), mapping);
}
