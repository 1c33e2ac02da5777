import { fileURLToPath } from 'node:url';
import { FolderStore } from './folder-store';
import type { FileStore } from './file-store';

/**
 * Opens the store of a URL, for example `file:///var/lib/groupware/files`. An absolute path is taken as a folder. Throws for
 * kinds that are not supported.
 */
export function fileStoreFor(url: string): FileStore {
  if (url.startsWith('/')) return new FolderStore(url);
  if (url.startsWith('file:')) return new FolderStore(fileURLToPath(url));
  throw new Error(`the file store '${url.replace(/\/\/[^/]*@/, '//***@')}' is of an unknown kind; use file:///folder`);
}
