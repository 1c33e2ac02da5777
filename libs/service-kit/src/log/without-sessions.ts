/** The id of a session as logs show it: its begin, so that lines about it can be found together. */
export const maskSession = (id: string | undefined): string | undefined => id && `${id.slice(0, 6)}…`;

/** Ids of sessions and of shares: 32 or 48 hexadecimal digits. */
const HEXADECIMAL = /(?<![0-9a-f])[0-9a-f]{32}(?:[0-9a-f]{16})?(?![0-9a-f])/gi;
/** Long words; those with digits, or with letters of both cases, are what random bytes look like in base64url. */
const LONG_WORD = /[\w-]{32,}/g;
/** Ids of objects look alike, too, but open nothing. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const isToken = (word: string): boolean =>
  !UUID.test(word) && (/\d/.test(word) || (/[a-z]/.test(word) && /[A-Z]/.test(word)));

/**
 * A text without the ids of sessions and tokens in it, those of shares and of set-up links included: whoever reads a log must
 * not go on with the session of another.
 */
export const withoutSessions = (text: string): string =>
  text
    .replace(HEXADECIMAL, (id) => maskSession(id)!)
    .replace(LONG_WORD, (word) => (isToken(word) ? maskSession(word)! : word));
