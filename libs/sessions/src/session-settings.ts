import {
  CLIENT_WHITE_LIST,
  COMPAT_NAMES,
  COOKIE_HASH,
  COOKIE_HASH_FIELDS,
  COOKIE_HASH_SALT,
  COOKIE_LIFETIME,
  IP_CHECK,
  IP_CHECK_WHITE_LIST,
  IP_MASK_V4,
  IP_MASK_V6,
  SESSION_COOKIE,
  SESSION_DEFAULT_LIFETIME,
  SESSION_LONG_LIFETIME,
  type Property,
} from '@groupware/contracts';

/** Settings of sessions and their cookies that hold for the whole installation. */
export interface SessionSettings {
  /** Idle time of sessions without staySignedIn, ms. */
  readonly defaultLifetimeMs: number;
  /** Idle time of sessions with staySignedIn, ms. */
  readonly longLifetimeMs: number;
  /** Life of the cookies of sessions with staySignedIn, ms; 0: until the browser closes. */
  readonly cookieLifetimeMs: number;
  /** Compute the cookie hash from each request, or take the one stored at login. */
  readonly hash: 'calculate' | 'remember';
  readonly hashSalt: string;
  /** Lower-case names of headers whose values enter the hash. */
  readonly hashFields: readonly string[];
  /** Write the cookie with the session id at every login, not only with staySignedIn. */
  readonly alwaysSessionCookie: boolean;
  /** Write cookies under the original product's names. */
  readonly compatNames: boolean;
  readonly ipCheck: boolean;
  /** Addresses and CIDR ranges that may change. */
  readonly ipWhiteList: readonly string[];
  /** Clients whose address may change. */
  readonly clientWhiteList: readonly string[];
  readonly ipMaskV4: number;
  readonly ipMaskV6: number;
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Collects the settings from the configuration cascade.
 * @param read answers the server's value of a property; default: the declared defaults
 */
export function sessionSettings(
  read: <T extends string | number | boolean>(property: Property<T>) => T = (property) => property.default,
): SessionSettings {
  return {
    defaultLifetimeMs: read(SESSION_DEFAULT_LIFETIME),
    longLifetimeMs: read(SESSION_LONG_LIFETIME),
    cookieLifetimeMs: read(COOKIE_LIFETIME),
    hash: read(COOKIE_HASH) === 'remember' ? 'remember' : 'calculate',
    hashSalt: read(COOKIE_HASH_SALT),
    hashFields: list(read(COOKIE_HASH_FIELDS)).map((name) => name.toLowerCase()),
    alwaysSessionCookie: read(SESSION_COOKIE) === 'always',
    compatNames: read(COMPAT_NAMES),
    ipCheck: read(IP_CHECK),
    ipWhiteList: list(read(IP_CHECK_WHITE_LIST)),
    clientWhiteList: list(read(CLIENT_WHITE_LIST)),
    ipMaskV4: read(IP_MASK_V4),
    ipMaskV6: read(IP_MASK_V6),
  };
}
