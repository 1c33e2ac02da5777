import {
  countCharacters,
  toLongTextsError,
  DOCUMENT_TEXT_LIMITS,
  DocumentData,
  fieldsOf,
  FileStorageErrors,
  InfostoreErrors,
  type DocumentBody,
  type FileNotification,
} from '@groupware/contracts';

/** Fields of a body, where null clears. */
export type DocumentFields = { readonly [K in keyof DocumentData]?: DocumentData[K] | null } & {
  /** Tells those who get rights on the document. */
  readonly notification?: FileNotification;
};

type TextField = keyof typeof DOCUMENT_TEXT_LIMITS;

const columns = new Map(fieldsOf(DocumentData).map(({ wireName, column }) => [wireName, column]));
/** Characters outside XML 1.0: most control characters, and what is no character at all. */
// eslint-disable-next-line no-control-regex -- these are what it is about
const BAD = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]|\p{Surrogate}/u;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(\s*;[\x20-\x7e]*)?$/;
const MAX_META_BYTES = 65_536;
/** Schemes of addresses that run nothing in the page that links to them. */
const LINK_SCHEMES = new Set(['http', 'https', 'ftp', 'mailto', 'tel']);

/** The fields of a body, which may stand below `file`. */
export const fieldsOfBody = ({ file, notification, ...body }: DocumentBody): DocumentFields => ({
  ...(file ?? body),
  ...(notification && { notification }),
});

/** Whether a file of the same name gets a version, by either spelling of the parameter. */
export const parseTriesVersion = (query: {
  readonly try_add_version?: boolean;
  readonly tryAddVersion?: boolean;
}): boolean => query.try_add_version ?? query.tryAddVersion ?? false;

/** A text that may be stored, in normal form C: null for an empty one. @throws IFO-0100, IFO-2103 */
function toStoredText(name: TextField, value: string | null | undefined): string | null {
  if (value == null || value === '') return null;
  const bad = BAD.exec(value)?.[0];
  if (bad !== undefined)
    throw InfostoreErrors.badCharacter(`U+${bad.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`, name);
  const text = value.normalize('NFC');
  const limit = DOCUMENT_TEXT_LIMITS[name];
  const length = text.length > limit ? countCharacters(text) : text.length;
  if (length > limit)
    throw toLongTextsError(InfostoreErrors.tooLong, [{ name, column: columns.get(name)!, length, limit }]);
  return text;
}

/** A file name that may be stored; null for none. @throws IFO-0100, IFO-2101, IFO-2103 */
function toStoredName(value: string | null | undefined): string | null {
  const name = toStoredText('filename', value);
  if (name?.includes('/')) throw InfostoreErrors.slashInName(name);
  return name;
}

/** A media type that may be stored; null for none. @throws FILE_STORAGE-0071 */
function toStoredType(value: string | null | undefined): string | null {
  const type = toStoredText('file_mimetype', value)?.trim();
  if (!type) return null;
  if (!MEDIA_TYPE.test(type) || /^multipart\//i.test(type) || /;\s*boundary\s*=/i.test(type))
    throw FileStorageErrors.badMediaType(type);
  return type;
}

/** An address of a bookmark; null for none. @throws IFO-2100 for one that is none or may run a script */
function toStoredAddress(value: string | null | undefined): string | null {
  // Browsers leave these characters out, wherever they stand.
  const url = toStoredText('url', value)
    ?.replace(/[\t\n\r]/g, '')
    .trim();
  if (!url) return null;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  const isAddress =
    scheme === undefined ? URL.canParse(`http://${url}`) : LINK_SCHEMES.has(scheme) && URL.canParse(url);
  if (!isAddress) throw InfostoreErrors.invalid('url');
  return url;
}

/** Data of clients that may be stored. @throws IFO-2100 */
function toStoredMeta(value: unknown): unknown {
  if (value == null) return null;
  const isObject = typeof value === 'object' && !Array.isArray(value);
  if (!isObject || JSON.stringify(value).length > MAX_META_BYTES) throw InfostoreErrors.invalid('meta');
  return value;
}

/** Values of fields that belong to a version: undefined where the body does not say. */
export interface VersionFields {
  readonly title?: string | null;
  readonly filename?: string | null;
  readonly url?: string | null;
  readonly description?: string | null;
  readonly comment?: string | null;
  readonly mimeType?: string | null;
}

/** Values of fields that belong to the document as a whole. */
export interface SharedFields {
  readonly categories?: string | null;
  readonly color?: number | null;
  readonly meta?: unknown;
}

/** Reads the fields of a version. @throws IFO-0100, IFO-2100, IFO-2101, IFO-2103, FILE_STORAGE-0071 */
export const readVersionFields = (fields: DocumentFields): VersionFields => ({
  ...(fields.title !== undefined && { title: toStoredText('title', fields.title) }),
  ...(fields.filename !== undefined && { filename: toStoredName(fields.filename) }),
  ...(fields.url !== undefined && { url: toStoredAddress(fields.url) }),
  ...(fields.description !== undefined && { description: toStoredText('description', fields.description) }),
  ...(fields.version_comment !== undefined && { comment: toStoredText('version_comment', fields.version_comment) }),
  ...(fields.file_mimetype !== undefined && { mimeType: toStoredType(fields.file_mimetype) }),
});

/** Reads the fields of a document as a whole. @throws IFO-0100, IFO-2100, IFO-2103 */
export const readSharedFields = (fields: DocumentFields): SharedFields => ({
  ...(fields.categories !== undefined && { categories: toStoredText('categories', fields.categories) }),
  ...(fields.color_label !== undefined && { color: fields.color_label }),
  ...(fields.meta !== undefined && { meta: toStoredMeta(fields.meta) }),
});
