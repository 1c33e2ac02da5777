import { errorObject } from '../envelope/error-object';
import { type CatalogueError, reply, type Reply, type UploadedFile } from '../kit';
import { ImportExportErrors } from './calendar.errors';
import type { ImportedItem } from './icalendar.contract';

/** An item of a file as its reader reports it. */
export interface ReadItem {
  readonly index: number;
  /** Line on which it begins, from 1. */
  readonly line: number;
  readonly error?: { readonly line?: number };
  readonly warnings: readonly ItemWarning[];
}

/** A repair, or something that was left out. */
export interface ItemWarning {
  readonly code: string;
  readonly message: string;
  readonly line?: number | undefined;
}

/** The file of an upload. @throws I_E-1309, I_E-1300, I_E-1303 */
export function requireImportFile(files: readonly UploadedFile[]): UploadedFile {
  const [file] = files;
  if (!file) throw ImportExportErrors.noFile();
  if (files.length > 1) throw ImportExportErrors.notOneFile(files.length);
  if (file.sizeBytes === 0) throw ImportExportErrors.emptyFile();
  return file;
}

/** The folder of an import. @throws I_E-0800 for several */
export function requireOneFolder(folder: string): string {
  if (folder.includes(',')) throw ImportExportErrors.notOneFolder();
  return folder;
}

/** The results of an import. I_E-0514 tells of the warnings of its items, after those of the whole file. */
export function toImportReply(results: ImportedItem[], ofFile: readonly CatalogueError[] = []): Reply<ImportedItem[]> {
  const count = results.reduce((sum, { warnings = [] }) => sum + warnings.length, 0);
  return reply(results, { warnings: [...ofFile, ...(count > 0 ? [ImportExportErrors.repaired(count)] : [])] });
}

/** The result of an item that was not stored. */
export const toFailedItem = (
  { index, line, error: problem, warnings }: ReadItem,
  error: CatalogueError,
  locale: string,
  uid?: string,
): ImportedItem => ({
  index,
  line_number: problem?.line ?? line,
  ...(uid !== undefined && { uid }),
  ...toItemWarnings(warnings),
  ...errorObject(error, locale),
});

/** Warnings of an item in its result; nothing without any. */
export const toItemWarnings = (warnings: readonly ItemWarning[]): Pick<ImportedItem, 'warnings'> =>
  warnings.length === 0
    ? {}
    : {
        warnings: warnings.map(({ code, message, line }) => ({
          code,
          message,
          ...(line !== undefined && { line_number: line }),
        })),
      };
