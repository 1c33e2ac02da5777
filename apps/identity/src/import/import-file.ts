import type { FileStore } from '@groupware/file-store';
import { csvRows } from './csv-rows';
import type { FieldMapping, ImportFormat, ImportRow } from './import-fields';
import { ldifRows } from './ldif-rows';

/** Rows of a stored file, one after the other; `read` is told the bytes so far. */
export async function* importRows(
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
  yield* format === 'ldif' ? ldifRows(counted(), mapping) : csvRows(counted(), mapping);
}
