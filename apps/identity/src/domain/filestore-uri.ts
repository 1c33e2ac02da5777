import { InstallationErrors } from '@groupware/contracts';
import { fileStoreFor } from '@groupware/file-store';

/** A file store URI without credentials, and its credentials. */
export interface FilestoreAddress {
  /** Without credentials. */
  readonly uri: string;
  /** `key:secret` as in the address; absent when it has none. */
  readonly credentials?: string;
}

/** Parses a file store address; only S3 addresses may carry credentials. @throws INST-0007 */
export function parseFilestoreAddress(address: string): FilestoreAddress {
  const [, scheme, credentials, rest] = /^(file|s3):\/\/(?:([^/@]*)@)?(.*)$/.exec(address) ?? [];
  const uri = `${scheme}://${rest}`;
  if (rest === undefined || !isUri(uri)) throw InstallationErrors.badUri(maskCredentials(address));
  if (credentials === undefined) return { uri };
  if (scheme !== 's3' || !/^[^:]+:[^:]+$/.test(credentials)) throw InstallationErrors.badUri(maskCredentials(address));
  return { uri, credentials };
}

/** Masks the part that may be a secret. */
const maskCredentials = (address: string): string => address.replace(/\/\/[^/]*@/g, '//***@');

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
