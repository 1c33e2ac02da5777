import { InstallationErrors } from '@groupware/contracts';
import { fileStoreFor } from '@groupware/file-store';

/** Refuses what is no address of a file store, and addresses with secrets. @throws INST-0007 */
export function checkUri(uri: string): void {
  if (!isUri(uri)) throw InstallationErrors.badUri(uri.replace(/\/\/[^/@]*@/, '//***@'));
}

function isUri(uri: string): boolean {
  if (!/^(file|s3):/.test(uri)) return false;
  try {
    const { username, password } = new URL(uri);
    fileStoreFor(uri);
    return !username && !password;
  } catch {
    return false;
  }
}
