import { textOf, type ImapToken } from './imap-tokens';

/** An answer NO or BAD to a command. */
export class ImapRefusal extends Error {
  override readonly name = 'ImapRefusal';

  constructor(
    /** Response code of RFC 5530 and others in upper case, such as OVERQUOTA; empty without. */
    readonly code: string,
    /** `NO` or `BAD`. */
    readonly status: string,
    cause?: unknown,
  ) {
    super(`refused: ${status} ${code}`, { cause });
  }
}

/** The refusal behind an error of the library; undefined for other errors. */
export function findRefusal(error: unknown): ImapRefusal | undefined {
  if (error instanceof ImapRefusal) return error;
  const { responseStatus, serverResponseCode, code, response } = error as {
    responseStatus?: string;
    serverResponseCode?: string;
    code?: string;
    response?: { readonly attributes?: readonly ({ readonly section?: readonly ImapToken[] } | null)[] };
  };
  if (code === 'NotFound') return new ImapRefusal('NONEXISTENT', 'NO', error);
  if (responseStatus !== 'NO' && responseStatus !== 'BAD') return undefined;
  const told = serverResponseCode ?? textOf(response?.attributes?.[0]?.section?.[0]);
  return new ImapRefusal(told.toUpperCase(), responseStatus, error);
}
