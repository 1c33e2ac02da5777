import type { FileStore } from '@groupware/file-store';
import { csvRows, type ImportRow } from './csv-rows';
import type { FieldMapping } from './field-mapping';
import { ldifRows } from './ldif-rows';

/** How a file is written. */
export type ImportFormat = 'csv' | 'ldif';

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
