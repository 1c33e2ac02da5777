/** The mail address of a calendar address (RFC 5545, section 3.3.3), as it is written. */
export const toMailAddress = (uri: string | undefined): string => (uri ?? '').replace(/^mailto:/i, '').trim();

/** True when two calendar addresses stand for the same mail address; never for absent ones. */
export const isSameAddress = (first: string | undefined, second: string | undefined): boolean =>
  toMailAddress(first) !== '' && toMailAddress(first).toLowerCase() === toMailAddress(second).toLowerCase();
