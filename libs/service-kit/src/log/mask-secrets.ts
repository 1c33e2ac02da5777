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

/** Addresses at other sites, with what follows the name of the host: in private feeds that is the secret. */
const ADDRESS = /\b(https?|webcal|ftp):\/\/(?:[^\s/?#@]*@)?([^\s/?#@'"<>)]+)[^\s'"<>)]*/gi;

const maskAddresses = (text: string): string =>
  text.includes('://')
    ? text.replace(ADDRESS, (address, scheme: string, host: string) =>
        address.length > scheme.length + host.length + 4 ? `${scheme}://${host}/…` : address,
      )
    : text;

/**
 * Masks what opens something in a text: ids of sessions and tokens, those of shares and setup links included, and addresses at other
 * sites behind their host. Readers of a log must not be able to take over a session, or to read a private feed.
 */
export function maskSecrets(text: string): string {
  const masked = maskAddresses(text);
  return masked.length < SHORTEST
    ? masked
    : masked
        .replace(HEXADECIMAL, (id) => maskSession(id)!)
        .replace(LONG_WORD, (word) => (isToken(word) ? maskSession(word)! : word));
}
