import { FileStorageErrors } from '@groupware/contracts';

/** A folder or file of a storage elsewhere. */
export interface StorageAddress {
  readonly service: string;
  readonly account: string;
  /** Names below the root of the account, joined by slashes; empty for the root itself. */
  readonly path: string;
}

/** Longest id that clients may send. */
const MAX_ID = 1024;
const ID = /^([a-z\d.-]{1,255}):\/\/([^/]{1,64})\/([^/]*)(?:\/([^/]+))?$/;

/** True for ids of files and folders of storages elsewhere; those of the own storage have no scheme. */
export const isStorageId = (id: string | undefined): id is string => id?.includes('://') ?? false;

/** The storage of a file or folder: service and account, empty for the own storage. */
export const storageOf = (id: string): string => /^[^/]*:\/\/[^/]*/.exec(id)?.[0] ?? '';

/** The root of an account. */
export const toRootId = (service: string, account: string): string => `${service}://${encodeURIComponent(account)}/`;

/** The id of a folder: `<service>://<account>/<path>`, the path as one part. */
export const toStorageFolderId = ({ service, account, path }: StorageAddress): string =>
  toRootId(service, account) + encodeURIComponent(path);

/** The id of a file: that of its folder, and its name. */
export const toStorageFileId = (address: StorageAddress): string =>
  `${toStorageFolderId({ ...address, path: parentOf(address.path) })}/${encodeURIComponent(nameOf(address.path))}`;

/** Whether an id may be sent back: names in some scripts become long in ids. */
export const isSendable = (id: string): boolean => id.length <= MAX_ID;

/** Parses the id of a folder. @throws FILE_STORAGE-0031 */
export function parseStorageFolderId(id: string): StorageAddress {
  const parsed = parse(id);
  if (!parsed || parsed.file !== undefined) throw FileStorageErrors.badFolderId(id);
  return { service: parsed.service, account: parsed.account, path: parsed.folder };
}

/** Parses the id of a file. @throws FILE_STORAGE-0008 */
export function parseStorageFileId(id: string): StorageAddress {
  const parsed = parse(id);
  if (parsed?.file === undefined) throw FileStorageErrors.badFileId(id);
  return { service: parsed.service, account: parsed.account, path: joinPath(parsed.folder, parsed.file) };
}

function parse(id: string) {
  const match = ID.exec(id);
  if (!match) return undefined;
  const [, service, ...rest] = match;
  try {
    const [account, folder, file] = rest.map((part) => (part === undefined ? undefined : decodeURIComponent(part)));
    const isPath = folder === '' || folder!.split('/').every(isPathName);
    if (!isPath || (file !== undefined && !isPathName(file))) return undefined;
    return { service: service!, account: account!, folder: folder!, file };
  } catch {
    return undefined;
  }
}

/** Whether a text is the name of one thing in a folder: no step to elsewhere. */
export const isPathName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');

/** The path of something in a folder. */
export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** The folder of a path; empty for the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The last name of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
