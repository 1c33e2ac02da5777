/** Answer of a ManageSieve server other than OK. */
export class SieveRefusal extends Error {
  override readonly name = 'SieveRefusal';

  constructor(
    /** Response code in upper case, such as `NONEXISTENT` or `QUOTA/MAXSIZE`; empty for none (RFC 5804, section 1.3). */
    readonly code: string,
    /** Explanation of the server, for people. */
    readonly text: string,
    /** True when it also ended the connection. */
    readonly isFarewell = false,
  ) {
    super(`the server refused${code ? ` (${code})` : ''}`);
  }
}

/** The refusal behind a failure, if there is one. */
export function findSieveRefusal(error: unknown): SieveRefusal | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof SieveRefusal) return each;
  return undefined;
}
