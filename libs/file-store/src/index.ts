import type { FileStore } from './file-store';

export * from './file-store';

/** Opens the store of a URL, for example `file:///var/lib/groupware/files`. */
export function fileStoreFor(_url: string): FileStore {
  throw new Error('not ready');
}
