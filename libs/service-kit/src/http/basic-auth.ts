import { createHash, timingSafeEqual } from 'node:crypto';

/** Login and password of a call that has no session. */
export interface BasicCredentials {
  readonly login: string;
  readonly password: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** Credentials of an HTTP Basic header (RFC 7617). An empty password counts as no credentials. */
export function basicCredentials(header: string | undefined): BasicCredentials | undefined {
  const match = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(header ?? '');
  if (!match) return undefined;
  const text = decode(Buffer.from(match[1]!, 'base64'));
  const colon = text.indexOf(':');
  if (colon < 0 || colon === text.length - 1) return undefined;
  return { login: text.slice(0, colon), password: text.slice(colon + 1) };
}

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/**
 * Compares a pair in constant time. Both sides are hashed first, so that not even a length leaks; both halves are always
 * compared.
 */
export function sameCredentials(given: BasicCredentials, expected: BasicCredentials): boolean {
  const login = timingSafeEqual(digest(given.login), digest(expected.login));
  const password = timingSafeEqual(digest(given.password), digest(expected.password));
  return login && password;
}

/** Challenge of every 401. */
export const BASIC_CHALLENGE = 'Basic realm="groupware", charset="UTF-8"';
