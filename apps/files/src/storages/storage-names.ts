import { FileStorageErrors } from '@groupware/contracts';
import { parseFolderName } from '@groupware/folders';
import { isPathName } from './storage-id';

/** A name that a folder elsewhere may have. @throws FLD-0007, FLD-0064, FLD-0092, FLD-1033, FILE_STORAGE-0065, FILE_STORAGE-0067 */
export function toFolderName(title: string): string {
  const name = parseFolderName(title);
  if (name === '.' || name === '..') throw FileStorageErrors.onlyDots(name);
  if (!isPathName(name)) throw FileStorageErrors.badCharacters('/');
  return name;
}
