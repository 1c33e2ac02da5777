/** The mail address of a calendar address (RFC 5545, section 3.3.3), as it is written. */
export const addressOf = (uri: string | undefined): string => (uri ?? '').replace(/^mailto:/i, '').trim();

/** True when two calendar addresses stand for the same mail address; never for absent ones. */
export const sameAddress = (first: string | undefined, second: string | undefined): boolean =>
  addressOf(first) !== '' && addressOf(first).toLowerCase() === addressOf(second).toLowerCase();
