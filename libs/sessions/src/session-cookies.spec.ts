import {
  computeCookieHash,
  createLoginCookies,
  createLogoutCookies,
  findCookie,
  secretCookieName,
  resolveSessionHash,
} from './session-cookies';
import type { Session } from './session';
import { createSessionSettings } from './session-settings';
import { newSession } from './testing/session.builder';

const settings = createSessionSettings();
const session = (parts: Partial<Session> = {}): Session => ({
  ...newSession(),
  id: 'a'.repeat(32),
  secret: 'b'.repeat(32),
  alternativeId: 'c'.repeat(32),
  authId: 'x',
  createdAt: 0,
  lastActive: 0,
  expiresAt: 1,
  parameters: {},
  password: undefined,
  principal: { ...newSession().principal, sessionId: 'a'.repeat(32) },
  ...parts,
});

describe('cookieHash', () => {
  it.each([
    ['user agent and client', { userAgent: 'Mozilla/5.0', client: 'c1' }, 'EhU317v1nMKG0cMnixMIA'],
    ['user agent, context and user', { userAgent: 'Mozilla/5.0', additional: [1, 7] }, 'Hajh6DCqg9R7viJQUpYyEg'],
    ['characters that cookie names must not have', { userAgent: 'UA33', client: 'c1' }, 'kgxyrOAQbOSrb6tAgQ'],
  ])('is stripped base64 of MD5 over %s and the salt', (_what, input, expected) => {
    expect(computeCookieHash(input, settings)).toBe(expected);
  });

  it('includes the values of configured headers that are present, in the order configured', () => {
    const configured = { ...settings, hashFields: ['accept-language', 'x-absent', 'x-real'] };
    const input = { userAgent: 'Mozilla/5.0', client: 'c1', headers: { 'x-real': '1.2.3.4', 'accept-language': 'de' } };
    expect(computeCookieHash(input, configured)).toBe('la8SYwD1tVLsqUZGcD3V8A');
  });
});

describe('readCookie', () => {
  const header = 'xsvc-secret-A=no; svc-secret-AB=longer; svc-secret-A=yes; other="quoted"';

  it('finds a cookie by its whole name', () => {
    expect(findCookie(header, ['svc-secret-A'])).toBe('yes');
    expect(findCookie(header, ['other'])).toBe('quoted');
    expect(findCookie(header, ['svc-secret'])).toBeUndefined();
    expect(findCookie(undefined, ['svc-secret-A'])).toBeUndefined();
  });

  it('takes the first of several names and reads records alike', () => {
    expect(findCookie(header, ['absent', 'svc-secret-AB'])).toBe('longer');
    expect(findCookie({ 'svc-secret-A': 'record' }, ['absent', 'svc-secret-A'])).toBe('record');
    expect(findCookie({}, ['toString'])).toBeUndefined();
  });
});

describe('cookies of a login', () => {
  const context = { userAgent: 'Mozilla/5.0' };

  it('hold no session id without staySignedIn and end with the browser', () => {
    const cookies = createLoginCookies(session(), context, settings);
    expect(cookies.map(({ name }) => name)).toEqual([
      'svc-secret-EhU317v1nMKG0cMnixMIA',
      expect.stringMatching(/^svc-public-session-/),
      'svc-shard',
      'svc-session-EhU317v1nMKG0cMnixMIA',
    ]);
    expect(cookies.some(({ value }) => value === session().id)).toBe(false);
    expect(cookies.every(({ maxAgeSeconds }) => maxAgeSeconds === undefined)).toBe(true);
  });

  it('hold the session id with staySignedIn and live a week', () => {
    const cookies = createLoginCookies(session({ staySignedIn: true }), context, settings);
    expect(cookies.at(-1)).toEqual({
      name: 'svc-session-EhU317v1nMKG0cMnixMIA',
      value: session().id,
      maxAgeSeconds: 604_800,
    });
  });

  it('bear the original names where those are switched on', () => {
    const cookies = createLoginCookies(session(), context, { ...settings, compatNames: true });
    expect(cookies.every(({ name }) => name.startsWith('open-xchange-'))).toBe(true);
  });

  it('are expired under both names at logout', () => {
    const names = createLogoutCookies(session(), context, settings).map(({ name }) => name);
    for (const { name } of createLoginCookies(session({ staySignedIn: true }), context, settings))
      expect(names).toContain(name);
    expect(names).toContain('open-xchange-secret-EhU317v1nMKG0cMnixMIA');
    expect(names).toContain('JSESSIONID');
  });
});

describe('sessionHash', () => {
  it('follows the user agent of the request, or stays that of the login where configured', () => {
    const context = { userAgent: 'Other/1' };
    expect(resolveSessionHash(session(), context, settings)).not.toBe(session().hash);
    expect(resolveSessionHash(session(), context, { ...settings, hash: 'remember' })).toBe(session().hash);
    expect(resolveSessionHash(session(), { userAgent: 'Mozilla/5.0' }, settings)).toBe(session().hash);
  });

  it('uses the stored user agent only for clients that never send one', () => {
    const without = { userAgent: '' };
    expect(resolveSessionHash(session(), without, settings)).not.toBe(session().hash);
    expect(resolveSessionHash(session({ agentless: true }), without, settings)).toBe(session().hash);
  });

  it('names the secret cookie', () => {
    expect(secretCookieName(session().hash)).toBe('svc-secret-EhU317v1nMKG0cMnixMIA');
  });
});
