import {
  ACCOUNT_PREFIX,
  AttachmentErrors,
  parseFormObject,
  RequestErrors,
  type UploadedFile,
} from '@groupware/contracts';
import type { AttachedObject } from './attached-object';

/** A file to attach with its JSON part. */
export interface UploadedPart extends AttachedObject {
  readonly fileName: string;
  readonly contentType: string;
  readonly rtf: boolean;
  readonly file: UploadedFile;
}

const MAX_NAME = 255;
const MAX_INT = 2 ** 31 - 1;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}(\s*;[\x20-\x7e]{0,120})?$/;

/**
 * Pairs `json_<i>` with `file_<i>` in numeric order, gaps allowed; `json` and `file` without number count as 0.
 * @throws ATT-0401 for a missing file, SVL-0002 for missing JSON or a missing field, SVL-0029, ATT-0701, ATT-0418
 */
export function parseUploadedParts(
  fields: Readonly<Record<string, string>>,
  files: readonly UploadedFile[],
): UploadedPart[] {
  const descriptions = indexByNumber(Object.keys(fields), 'json');
  const contents = new Map<number, UploadedFile>();
  for (const file of files) {
    const index = parseIndex(file.field, 'file');
    if (index === undefined) throw AttachmentErrors.invalid(`unknown file field ${file.field}`);
    if (contents.has(index)) throw AttachmentErrors.invalid(`several files in file_${index}`);
    contents.set(index, file);
  }
  for (const index of descriptions.keys())
    if (!contents.has(index)) throw AttachmentErrors.fileMissing(`file_${index}`);
  if (contents.size === 0) throw AttachmentErrors.fileMissing('file_0');
  return [...contents]
    .sort(([a], [b]) => a - b)
    .map(([index, file]) => {
      const field = descriptions.get(index);
      if (field === undefined) throw RequestErrors.missingParameter(`json_${index}`);
      return parsePart(parseFormObject(fields[field]!), file);
    });
}

function parseIndex(field: string, prefix: string): number | undefined {
  if (field === prefix) return 0;
  const match = new RegExp(`^${prefix}_(\\d{1,6})$`).exec(field);
  return match ? Number(match[1]) : undefined;
}

function indexByNumber(names: readonly string[], prefix: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of names) {
    const index = parseIndex(name, prefix);
    if (index !== undefined) found.set(index, name);
  }
  return found;
}

const parsePart = (json: Record<string, unknown>, file: UploadedFile): UploadedPart =>
  createPart(
    {
      folder: requireInteger(withoutAccount(json), 'folder'),
      attached: requireInteger(json, 'attached'),
      module: requireInteger(json, 'module'),
    },
    json,
    file,
  );

/** A file for an object, by the name and media type that are given, else by its own. @throws ATT-0418 for bad ones */
export const createPart = (
  object: AttachedObject,
  given: Readonly<Record<string, unknown>>,
  file: UploadedFile,
): UploadedPart => ({
  ...object,
  fileName: resolveFileName(given['filename'], file.name),
  contentType: resolveContentType(given['file_mimetype'], file.contentType),
  rtf: given['rtf_flag'] === true || given['rft_flag'] === true,
  file,
});

/** The description with the plain number of its folder: newer clients name it with its account. */
const withoutAccount = ({ folder, ...others }: Record<string, unknown>): Record<string, unknown> => ({
  ...others,
  folder: typeof folder === 'string' ? folder.replace(ACCOUNT_PREFIX, '') : folder,
});

function requireInteger(json: Record<string, unknown>, name: string): number {
  const value = json[name];
  if (value === undefined || value === null) throw RequestErrors.missingParameter(name);
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > MAX_INT)
    throw AttachmentErrors.badNumber(name, typeof value === 'object' ? JSON.stringify(value) : value);
  return number;
}

function resolveFileName(given: unknown, ofPart: string): string {
  if (given === undefined || given === null || given === '') return ofPart === '' ? 'attachment' : ofPart;
  if (typeof given !== 'string') throw AttachmentErrors.invalid('filename is no text');
  if (/\p{Cc}/u.test(given)) throw AttachmentErrors.invalid('filename with control characters');
  if (given.length > MAX_NAME) throw AttachmentErrors.invalid(`filename of more than ${MAX_NAME} characters`);
  // A lone surrogate has no UTF-8 encoding.
  return given.replace(/\p{Surrogate}/gu, '\ufffd');
}

function resolveContentType(given: unknown, ofPart: string): string {
  if (given === undefined || given === null || given === '') return ofPart;
  if (typeof given !== 'string' || !MEDIA_TYPE.test(given)) throw AttachmentErrors.invalid('file_mimetype');
  return given;
}
