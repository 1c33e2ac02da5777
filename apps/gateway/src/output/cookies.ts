import type { CookieChange } from '@groupware/contracts';
import type { EdgeLog } from '../edge/ports';
import type { CookieSecurity, EdgeSettings } from '../edge/settings';

/** Names and values as RFC 6265 section 4.1.1 allows them. */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** One Set-Cookie line; undefined for a cookie that can't be written without changing its meaning. */
export function cookieLine(change: CookieChange, settings: EdgeSettings, secure: boolean): string | undefined {
  if (!NAME.test(change.name) || (change.value !== undefined && !VALUE.test(change.value))) return undefined;
  let line = `${change.name}=${change.value ?? 'invalid'}; Path=/`;
  if (settings.cookieDomain) line += `; Domain=${settings.cookieDomain}`;
  // Both, because old clients know Expires only.
  if (change.value === undefined) line += '; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0';
  else if (change.maxAgeSeconds !== undefined) line += `; Max-Age=${Math.max(0, Math.floor(change.maxAgeSeconds))}`;
  line += '; HttpOnly';
  if (settings.cookieSecurity === 'always' || (settings.cookieSecurity === 'auto' && secure)) line += '; Secure';
  return `${line}; SameSite=${settings.cookieSameSite}`;
}

/**
 * Warns when no cookie will be Secure and no setting wants that: only a trusted proxy can tell that a request came by TLS.
 * `never` says that it is meant so.
 */
export function warnOfInsecureCookies(security: CookieSecurity, hasProxies: boolean, log: Pick<EdgeLog, 'warn'>): void {
  if (security !== 'auto' || hasProxies) return;
  log.warn(
    { settings: 'GATEWAY_TRUSTED_PROXIES, GATEWAY_COOKIE_SECURE' },
    'cookies are not Secure: name the proxies that end TLS, or set the attribute always (never: plain HTTP is meant)',
  );
}

/** Cookies of a request header whose names begin with one of the prefixes. */
export function cookiesOf(header: string | undefined, prefixes: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = part.slice(0, equals).trim();
    if (name in found || !prefixes.some((prefix) => name.startsWith(prefix))) continue;
    found[name] = part
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
  }
  return found;
}
