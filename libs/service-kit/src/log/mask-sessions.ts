/** The id of a session as logs show it: its begin, so that lines about it can be found together. */
export const maskSession = (id: string | undefined): string | undefined => id && `${id.slice(0, 6)}…`;

/** No id or token is shorter. */
const SHORTEST = 32;
/** Ids of sessions and of shares: 32 or 48 hexadecimal digits. */
const HEXADECIMAL = /(?<![0-9a-f])[0-9a-f]{32}(?:[0-9a-f]{16})?(?![0-9a-f])/gi;
/** Long words; those with digits, or with letters of both cases, are what random bytes look like in base64url. */
const LONG_WORD = /[\w-]{32,}/g;
/** Ids of objects look alike, too, but open nothing. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const isToken = (word: string): boolean =>
  !UUID.test(word) && (/\d/.test(word) || (/[a-z]/.test(word) && /[A-Z]/.test(word)));

/**
 * Masks ids of sessions and tokens in a text, those of shares and setup links included: readers of a log must not be
 * able to take over a session.
 */
export const maskSessions = (text: string): string =>
  text.length < SHORTEST
    ? text
    : text
        .replace(HEXADECIMAL, (id) => maskSession(id)!)
        .replace(LONG_WORD, (word) => (isToken(word) ? maskSession(word)! : word));
