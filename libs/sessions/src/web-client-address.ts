import type { Session } from './session';

/** Facts of a session, which a deep link must not set itself. */
const SESSION_NAMES = ['session', 'user', 'user_id', 'context_id', 'language'] as const;

/** Validates a path of this host; undefined otherwise, against open redirects. */
export function toLocalPath(wanted: string | undefined): string | undefined {
  // Printable ASCII only: everything else in a path is percent-encoded.
  return wanted && /^\/(?![/\\])[!"$-[\]-~]*$/.test(wanted) ? wanted : undefined;
}

/** How the fragment begins with which the web client opens a share. */
export const SHARE_FRAGMENT = '!&';

/**
 * Builds the URL of the web client; parameters go into the fragment, which no server or proxy sees.
 * @param start what stands before the parameters
 */
export function buildWebAddress(
  path: string,
  facts: Readonly<Record<string, string | number | undefined>>,
  start = '',
): string {
  const fragment = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return fragment.length > 0 ? `${path}#${start}${fragment.join('&')}` : path;
}

/** Facts of a session that the web client needs. */
export const toSessionFacts = (session: Session): Record<(typeof SESSION_NAMES)[number], string | number> => ({
  session: session.id,
  user: session.login,
  user_id: session.userId,
  context_id: session.contextId,
  language: session.principal.locale,
});

/** Parameters of a deep link, without those that say whose session it is. */
export const readDeepLink = (hash = ''): Record<string, string> =>
  Object.fromEntries(
    [...new URLSearchParams(hash)].filter(([name]) => !(SESSION_NAMES as readonly string[]).includes(name)),
  );

/** Builds the URL of the web client with a session and the place of a deep link. */
export const toWebAddress = (path: string, session: Session, hash?: string): string =>
  buildWebAddress(path, { ...toSessionFacts(session), ...readDeepLink(hash) });
