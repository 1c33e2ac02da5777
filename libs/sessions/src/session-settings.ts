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
  SHARE_COOKIE_LIFETIME,
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
  /** Life of the cookies of guests with staySignedIn, ms; 0: until the browser closes. */
  readonly guestCookieLifetimeMs: number;
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

const parseList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Caches a parsed list until its text changes: lists are read with every request. */
function cacheList(text: () => string, map: (part: string) => string = (part) => part): () => readonly string[] {
  let known: { text: string; parts: readonly string[] } | undefined;
  return () => {
    const now = text();
    if (known?.text !== now) known = { text: now, parts: parseList(now).map(map) };
    return known.parts;
  };
}

/**
 * The settings from the configuration cascade. They are read anew each time, so that a changed configuration is in force at
 * once.
 * @param read answers the server's value of a property; default: the declared defaults
 */
export function createSessionSettings(
  read: <T extends string | number | boolean>(property: Property<T>) => T = (property) => property.default,
): SessionSettings {
  const hashFields = cacheList(
    () => read(COOKIE_HASH_FIELDS),
    (name) => name.toLowerCase(),
  );
  const ipWhiteList = cacheList(() => read(IP_CHECK_WHITE_LIST));
  const clientWhiteList = cacheList(() => read(CLIENT_WHITE_LIST));
  return {
    get defaultLifetimeMs() {
      return read(SESSION_DEFAULT_LIFETIME);
    },
    get longLifetimeMs() {
      return read(SESSION_LONG_LIFETIME);
    },
    get cookieLifetimeMs() {
      return read(COOKIE_LIFETIME);
    },
    get guestCookieLifetimeMs() {
      return read(SHARE_COOKIE_LIFETIME);
    },
    get hash() {
      return read(COOKIE_HASH) === 'remember' ? 'remember' : 'calculate';
    },
    get hashSalt() {
      return read(COOKIE_HASH_SALT);
    },
    get hashFields() {
      return hashFields();
    },
    get alwaysSessionCookie() {
      return read(SESSION_COOKIE) === 'always';
    },
    get compatNames() {
      return read(COMPAT_NAMES);
    },
    get ipCheck() {
      return read(IP_CHECK);
    },
    get ipWhiteList() {
      return ipWhiteList();
    },
    get clientWhiteList() {
      return clientWhiteList();
    },
    get ipMaskV4() {
      return read(IP_MASK_V4);
    },
    get ipMaskV6() {
      return read(IP_MASK_V6);
    },
  };
}
