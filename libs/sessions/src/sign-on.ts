import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CookieChange } from '@groupware/contracts';
import { findCookie, type RequestCookies } from './session-cookies';
import { SESSION_FACTS, type Session } from './session';

/** Part of a single sign-on that its session keeps. The session is sealed in the store, and its tokens with it. */
export interface SignOn {
  readonly way: 'oidc' | 'saml';
  /** The identity provider: issuer and, where there are several, name of the backend. */
  readonly provider: string;
  /** Name of the backend or tenant; empty for the default. */
  readonly backend: string;
  /** Identifier of the user there. */
  readonly subject: string;
  /** Session at the provider, where it says so. */
  readonly sid?: string;
  /** Form of the subject (SAML). */
  readonly format?: string;
  readonly idToken?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** End of the access token, ms UTC. */
  readonly accessExpiresAt?: number;
}

/** A login at an identity provider that waits for its session. */
export interface SignOnReservation {
  readonly contextId: number;
  readonly userId: number;
  readonly login: string;
  readonly signOn: SignOn;
  /** Digest of the browser's binding cookie. */
  readonly browser: string;
  readonly client?: string;
  readonly version?: string;
  readonly uiWebPath?: string;
  /** Fragment of the web client to return to. */
  readonly hash?: string;
  /** The browser gets a cookie by which the next login leads back to the session. */
  readonly returns?: boolean;
}

/** Reservations of logins, for the store's one-time tokens. */
export const SIGN_ON_RESERVATIONS = { kind: 'sign-on', lifetimeMs: 60_000 } as const;

/** Kind of the index of sessions by single sign-on. */
export const SIGN_ON_INDEX = 'sign-on';

/** The single sign-on that a session came from. */
export function signOnOf(session: Pick<Session, 'parameters'>): SignOn | undefined {
  const text = session.parameters[SESSION_FACTS.signOn];
  return text === undefined ? undefined : (JSON.parse(text) as SignOn);
}

/** Names under which the sessions of a single sign-on are found: that of the user, and that of the session at the provider. */
export function signOnNames({ way, provider, subject, sid }: SignOn): { subject: string; session?: string } {
  const name = (kind: string, value: string): string => JSON.stringify([way, provider, kind, value]);
  return { subject: name('subject', subject), ...(sid === undefined ? {} : { session: name('session', sid) }) };
}

const BINDING_COOKIE = 'svc-sso';
const BINDING = /^[0-9a-f]{32}$/;
const digestOf = (value: string): string => createHash('sha256').update(value).digest('base64url');

/** Ties steps of a login to one browser by a cookie, so that no user finishes the login of another. */
export function bindBrowser(cookies: RequestCookies): { readonly digest: string; readonly cookie: CookieChange } {
  const known = findCookie(cookies, [BINDING_COOKIE]) ?? '';
  const value = BINDING.test(known) ? known : randomBytes(16).toString('hex');
  return { digest: digestOf(value), cookie: { name: BINDING_COOKIE, value } };
}

/** Whether a request comes from the browser that the digest was made for. */
export function isSameBrowser(cookies: RequestCookies, digest: string): boolean {
  const value = findCookie(cookies, [BINDING_COOKIE]) ?? '';
  return BINDING.test(value) && timingSafeEqual(Buffer.from(digestOf(value)), Buffer.from(digest));
}
