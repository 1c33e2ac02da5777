import { randomUUID } from 'node:crypto';
import {
  displayText,
  httpStatusOf,
  jsonText,
  localeOf,
  localText,
  reply,
  type CatalogueError,
  type CookieChange,
  type EdgeRequest,
  type Reply,
} from '@groupware/contracts';
import { Logger } from '@groupware/service-kit';

const log = Logger.for('sso');

/** Headers of every page: nothing of it is framed, run, kept or told to the next page. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;

/** Makes text safe within HTML and its attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The language of a request without session. */
export const localeOfRequest = (edge: EdgeRequest): string => localeOf(edge.headers['accept-language']) ?? 'en_US';

/** One page with a heading. @param body HTML */
export function renderPage(title: string, body: string, locale: string): string {
  const head = `<head><meta charset="UTF-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>body{font-family:sans-serif;max-width:32em;margin:3em auto;padding:0 1em}</style></head>`;
  return `<!DOCTYPE html><html lang="${escapeHtml(locale).replace('_', '-')}">${head}<body><h1>${escapeHtml(title)}</h1>${body}</body></html>`;
}

/** A page for people that says why a single sign-on failed; nothing of the request is repeated. The cause goes to the log under the id. */
export function renderError(
  error: CatalogueError,
  edge: EdgeRequest,
  title: 'login.failed' | 'oauth.failed' = 'login.failed',
): Reply<undefined> {
  const locale = localeOfRequest(edge);
  const errorId = randomUUID();
  log.info({ code: error.code, error_id: errorId, cause: describeCause(error.details.cause) }, 'sign-on refused');
  const why = escapeHtml(displayText(error.entry, error.params, locale));
  const body = `<p>${why}</p><p><small>${escapeHtml(error.code)}, ${errorId}</small></p>`;
  return reply<undefined>(jsonText(renderPage(localText(title, locale), body, locale)), {
    status: httpStatusOf(error.entry),
    headers: PAGE_HEADERS,
  });
}

/** Describes a cause as far as the log may know it: names of errors, never tokens or answers. */
function describeCause(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  if (!(cause instanceof Error)) return typeof cause === 'string' ? cause.slice(0, 200) : typeof cause;
  const code = 'code' in cause && typeof cause.code === 'string' ? ` ${cause.code}` : '';
  return `${cause.name}${code}: ${cause.message}`.slice(0, 300);
}

/** Redirects with HTTP 302; the address is sent to no site as the referrer. */
export const redirectTo = <T = undefined>(location: string, cookies: readonly CookieChange[] = []): Reply<T> =>
  reply<T>(undefined as T, {
    status: 302,
    headers: { Location: location, 'Referrer-Policy': 'no-referrer' },
    cookies,
  });

/** Answers HTTP 400 without body. */
export const replyBadRequest = (): Reply<undefined> => reply<undefined>(undefined, { status: 400 });
