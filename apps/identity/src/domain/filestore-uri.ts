import { InstallationErrors } from '@groupware/contracts';
import { fileStoreFor } from '@groupware/file-store';

/** An address of a file store, taken apart. */
export interface FilestoreAddress {
  /** Without credentials. */
  readonly uri: string;
  /** `key:secret` as in the address; absent when it has none. */
  readonly credentials?: string;
}

/** Takes an address apart. Credentials stand where S3 addresses have them, and nowhere else. @throws INST-0007 */
export function filestoreAddress(address: string): FilestoreAddress {
  const [, scheme, credentials, rest] = /^(file|s3):\/\/(?:([^/@]*)@)?(.*)$/.exec(address) ?? [];
  const uri = `${scheme}://${rest}`;
  if (rest === undefined || !isUri(uri)) throw InstallationErrors.badUri(masked(address));
  if (credentials === undefined) return { uri };
  if (scheme !== 's3' || !/^[^:]+:[^:]+$/.test(credentials)) throw InstallationErrors.badUri(masked(address));
  return { uri, credentials };
}

/** Nothing of what may be a secret is told back. */
const masked = (address: string): string => address.replace(/\/\/[^/]*@/g, '//***@');

function isUri(uri: string): boolean {
  try {
    fileStoreFor(uri);
    const { hostname, username, password, searchParams } = new URL(uri);
    const endpoint = searchParams.get('endpoint');
    const { username: user = '', password: secret = '' } = endpoint === null ? {} : new URL(endpoint);
    const isNamed = uri.startsWith('file:') ? hostname === '' : hostname !== '';
    return isNamed && [username, password, user, secret].every((text) => text === '');
  } catch {
    return false;
  }
}
