import { InstallationErrors } from '@groupware/contracts';
import { fileStoreFor } from '@groupware/file-store';

/** Refuses what is no address of a file store, and addresses with secrets. @throws INST-0007 */
export function checkUri(uri: string): void {
  try {
    if (!/^(file|s3):/.test(uri)) throw new Error('of an unknown kind');
    const { username, password } = new URL(uri);
    if (username || password) throw new Error('with a secret');
    fileStoreFor(uri);
  } catch {
    throw InstallationErrors.badUri(uri.replace(/\/\/[^/@]*@/, '//***@'));
  }
}
