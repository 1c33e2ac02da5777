import { createHash } from 'node:crypto';
import type { CookieChange } from '@groupware/contracts';
import type { Session } from './session';
import type { SessionSettings } from './session-settings';

/** Input of the hash in cookie names, besides salt and extra headers. */
export interface HashInput {
  readonly userAgent: string;
  /** Absent for the public session cookie. */
  readonly client?: string;
  /** Context id and user id, for the public session cookie and for all cookies of guests. */
  readonly additional?: readonly (string | number)[];
  /** Request headers by lower-case name, for the configured extra ones. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/**
 * The hash in cookie names: base64 of MD5 over user agent, client, additional values, configured headers and salt, without
 * the characters outside `[A-Za-z0-9_]`. MD5 because existing deployments share these names; nothing secret rests on it.
 */
export function computeCookieHash(
  input: HashInput,
  settings: Pick<SessionSettings, 'hashSalt' | 'hashFields'>,
): string {
  if (settings.hashFields.length > 0) return computeHash(input, settings);
  const key = JSON.stringify([input.userAgent, input.client, input.additional, settings.hashSalt]);
  let hash = knownHashes.get(key);
  if (hash === undefined) {
    if (knownHashes.size >= MAX_KNOWN_HASHES) knownHashes.clear();
    knownHashes.set(key, (hash = computeHash(input, settings)));
  }
  return hash;
}

/** Every request of a session asks for the same hashes. */
const knownHashes = new Map<string, string>();
const MAX_KNOWN_HASHES = 5_000;

function computeHash(input: HashInput, settings: Pick<SessionSettings, 'hashSalt' | 'hashFields'>): string {
  const digest = createHash('md5').update(input.userAgent);
  if (input.client !== undefined) digest.update(input.client);
  for (const value of input.additional ?? []) digest.update(String(value));
  for (const name of settings.hashFields) {
    const value = input.headers?.[name];
    if (value) digest.update(value);
  }
  return digest
    .update(settings.hashSalt)
    .digest('base64')
    .replace(/[^A-Za-z0-9_]/g, '');
}

const OURS = 'svc-';
const ORIGINAL = 'open-xchange-';

/** Beginnings of the names of every cookie of this product, the original names included. */
export const COOKIE_PREFIXES = [OURS, ORIGINAL] as const;

/**
 * The names of one kind of cookie: the one to write first, then the other that is read too. Original names are taken only
 * where they are written: what another product on the same host set is none of ours.
 */
const toNames = (rest: string, compat: boolean): readonly [string, ...string[]] =>
  compat ? [ORIGINAL + rest, OURS + rest] : [OURS + rest];

/** Names of the secret cookie: the one to write, and with `compat` the other that is read too. */
export const secretCookieNames = (hash: string, compat = false) => toNames(`secret-${hash}`, compat);
/** Names of the cookie for automatic login. */
export const sessionCookieNames = (hash: string, compat = false) => toNames(`session-${hash}`, compat);
/** Names of the public session cookie. */
export const publicCookieNames = (hash: string, compat = false) => toNames(`public-session-${hash}`, compat);
/** Names of the cookie with the token of the share a browser opened last: plain MD5 of the user agent. */
export const shareCookieNames = (userAgent: string, compat = false) =>
  toNames(`share-${createHash('md5').update(userAgent).digest('hex')}`, compat);
/** Kinds of single sign-on, each with a cookie by which browsers come back to their session. */
const SIGN_ONS = ['oidc', 'saml'] as const;
/** Names of the cookie of a single sign-on by which a browser comes back to its session. */
const signOnCookieNames = (way: (typeof SIGN_ONS)[number], hash: string, compat = false) =>
  toNames(`${way}-${hash}`, compat);
/** Names of the shard cookie. */
export const shardCookieNames = (compat = false) => toNames('shard', compat);
/** The name of the secret cookie as it is written. */
export const secretCookieName = (hash: string, compat = false): string => secretCookieNames(hash, compat)[0];

/** Value of the shard cookie: there is one shard of gateways. */
export const SHARD = 'default';

/** Cookies of a request: the Cookie header, or a record of names and values. */
export type RequestCookies = string | undefined | Readonly<Record<string, string>>;

/** The value of the first of the named cookies that the request has. */
export function findCookie(cookies: RequestCookies, candidates: readonly string[]): string | undefined {
  if (cookies === undefined) return undefined;
  for (const name of candidates) {
    if (typeof cookies !== 'string') {
      if (Object.hasOwn(cookies, name)) return cookies[name];
      continue;
    }
    // A search for one name in the raw header: this runs on every request, a full parse is not needed.
    for (let at = cookies.indexOf(`${name}=`); at >= 0; at = cookies.indexOf(`${name}=`, at + 1)) {
      const before = at === 0 ? ';' : cookies[at - 1];
      if (before !== ';' && before !== ' ') continue;
      const from = at + name.length + 1;
      const end = cookies.indexOf(';', from);
      return cookies
        .slice(from, end < 0 ? undefined : end)
        .trim()
        .replace(/^"(.*)"$/, '$1');
    }
  }
  return undefined;
}

/** Request data that cookies of a session depend on. */
export interface CookieContext {
  readonly userAgent: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Hash of the session's secret and session cookie. */
const computeOwnHash = (session: Session, context: CookieContext, settings: SessionSettings): string =>
  settings.hash === 'remember'
    ? session.hash
    : computeCookieHash(
        {
          userAgent: context.userAgent || (session.agentless ? session.userAgent : ''),
          client: session.client,
          ...(session.guest ? { additional: [session.contextId, session.userId] } : {}),
          headers: context.headers,
        },
        settings,
      );

const computePublicHash = (session: Session, context: CookieContext, settings: SessionSettings): string =>
  computeCookieHash(
    {
      userAgent: context.userAgent || (session.agentless ? session.userAgent : ''),
      additional: [session.contextId, session.userId],
      headers: context.headers,
    },
    settings,
  );

/** Hash of the session's own cookies for a request, by the configured rule. */
export function resolveSessionHash(session: Session, context: CookieContext, settings: SessionSettings): string {
  // The same inputs give the same hash: most requests come with the user agent of the login.
  if (settings.hashFields.length === 0 && context.userAgent === session.userAgent) return session.hash;
  return computeOwnHash(session, context, settings);
}

/** Names under which a request may bring the public session cookie of the session. */
export const publicCookieCandidates = (session: Session, context: CookieContext, settings: SessionSettings) =>
  publicCookieNames(computePublicHash(session, context, settings), settings.compatNames);

/** Sessions that one browser may have at a time, as far as cookies of unknown names are looked at. */
const MAX_COOKIES = 8;

/** Values of the public session cookies of a request: their names depend on users, who are not known yet. */
export const listPublicCookieValues = (cookies: RequestCookies, settings: SessionSettings): string[] =>
  listCookieValues(cookies, 'public-session-', settings);

/** Values of the cookies of a request by which its browser comes back to sessions of a single sign-on. */
export const listSignOnCookieValues = (
  cookies: RequestCookies,
  way: (typeof SIGN_ONS)[number],
  settings: SessionSettings,
): string[] => listCookieValues(cookies, `${way}-`, settings);

const listCookieValues = (cookies: RequestCookies, kind: string, { compatNames }: SessionSettings): string[] =>
  (typeof cookies === 'string' ? cookies.split(';').map((pair) => pair.trim()) : toPairs(cookies))
    .filter((pair) => toNames(kind, compatNames).some((name) => pair.startsWith(name)))
    .map((pair) => pair.slice(pair.indexOf('=') + 1).replace(/^"(.*)"$/, '$1'))
    .slice(0, MAX_COOKIES);

const toPairs = (cookies: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(cookies).map(([name, value]) => `${name}=${value}`);

/** Resolves the lifetime of a session's cookies: until the browser closes unless the session stays signed in. */
export function resolveCookieLifetime(
  session: Session,
  settings: SessionSettings,
): Pick<CookieChange, 'maxAgeSeconds'> {
  const lifetimeMs = session.guest ? settings.guestCookieLifetimeMs : settings.cookieLifetimeMs;
  return session.staySignedIn && lifetimeMs > 0 ? { maxAgeSeconds: Math.floor(lifetimeMs / 1000) } : {};
}

/** The cookie that lets a browser come back to a share. */
export const createShareCookie = (
  token: string,
  session: Session,
  userAgent: string,
  settings: SessionSettings,
): CookieChange => ({
  name: shareCookieNames(userAgent, settings.compatNames)[0],
  value: token,
  ...resolveCookieLifetime(session, settings),
});

/** The cookie of a single sign-on by which a browser comes back to its session. */
export const createSignOnCookie = (
  way: (typeof SIGN_ONS)[number],
  session: Session,
  settings: SessionSettings,
): CookieChange => ({
  name: signOnCookieNames(way, session.hash, settings.compatNames)[0],
  value: session.alternativeId,
  ...resolveCookieLifetime(session, settings),
});

/**
 * The cookies that a login writes: secret, public session, shard, and the session cookie, without which automatic login is
 * impossible. It holds the id of sessions that stay signed in only; for the others the alternative id finds the session.
 */
export function createLoginCookies(
  session: Session,
  context: CookieContext,
  settings: SessionSettings,
): CookieChange[] {
  const compat = settings.compatNames;
  const life = resolveCookieLifetime(session, settings);
  const hasId = session.staySignedIn || settings.alwaysSessionCookie;
  return [
    { name: secretCookieNames(session.hash, compat)[0], value: session.secret, ...life },
    {
      name: publicCookieNames(computePublicHash(session, context, settings), compat)[0],
      value: session.alternativeId,
      ...life,
    },
    { name: shardCookieNames(compat)[0], value: SHARD, ...life },
    { name: sessionCookieNames(session.hash, compat)[0], value: hasId ? session.id : session.alternativeId, ...life },
  ];
}

/** Expires every cookie of a session, under both names. */
export function createLogoutCookies(
  session: Session,
  context: CookieContext,
  settings: SessionSettings,
): CookieChange[] {
  const own = resolveSessionHash(session, context, settings);
  const open = computePublicHash(session, context, settings);
  return [
    ...secretCookieNames(own, true),
    ...sessionCookieNames(own, true),
    ...SIGN_ONS.flatMap((way) => signOnCookieNames(way, own, true)),
    ...publicCookieNames(open, true),
    ...shareCookieNames(context.userAgent, true),
    ...shardCookieNames(true),
    'JSESSIONID',
  ].map((name) => ({ name }));
}

/** Expires the cookies of a hash whose session is gone. */
export const createStaleCookieRemovals = (hash: string): CookieChange[] =>
  [...secretCookieNames(hash, true), ...sessionCookieNames(hash, true)].map((name) => ({ name }));

/**
 * Expires the cookies that a request has of a session that is gone: those that hold one of its ids, and the secret beside
 * them. Cookies of other sessions of the browser stay.
 */
export function createEndedCookieRemovals(cookies: RequestCookies, ids: readonly string[]): CookieChange[] {
  const pairs = typeof cookies === 'string' ? cookies.split(';').map((pair) => pair.trim()) : toPairs(cookies);
  return pairs.flatMap((pair) => {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    if (!ids.includes(pair.slice(equals + 1).replace(/^"(.*)"$/, '$1'))) return [];
    const [, prefix, kind, hash] = /^(svc-|open-xchange-)(session|public-session|oidc|saml)-(\w+)$/.exec(name) ?? [];
    if (kind === undefined) return [];
    return kind === 'session' ? [{ name }, { name: `${prefix}secret-${hash}` }] : [{ name }];
  });
}
