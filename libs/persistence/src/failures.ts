import { RequestErrors, CatalogueError } from '@groupware/contracts';

const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
};
const messageOf = (error: unknown): string =>
  String((error as { message?: unknown } | null | undefined)?.message ?? '');

// Names of pg for a broken or missing connection; it has no codes for these.
const CONNECTION_TEXTS =
  /^(Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after)/i;
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** True when the server could not be reached, is starting, stopping or full, or the connection broke. */
export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (code && (SYSTEM_CODES.has(code) || /^(08|57P0|53300|25P03)/.test(code))) return true;
  return CONNECTION_TEXTS.test(messageOf(error));
}

/** True when a connection was not made within its time limit: the server is slow, or this process was busy. */
export const isConnectTimeout = (error: unknown): boolean =>
  /connection timeout|timeout expired/i.test(messageOf(error));

/** Thrown in a transaction that locked what is no longer the case: all of it is run again. */
export class LostRace extends Error {
  /** That of a serialization failure. */
  readonly code = '40001';
}

/** True when a repetition of the whole transaction may succeed: serialization failure or deadlock. */
export const isLostRace = (error: unknown): boolean => /^40(001|P01)$/.test(codeOf(error) ?? '');

/** True when a prepared statement of this connection went stale because a migration changed a table. */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === '0A000' && /cached plan/.test(messageOf(error));

/** True when a connection was found dead or out of date; "timeout exceeded when trying to connect" and refusals would only fail again. */
export const isStaleConnection = (error: unknown): boolean =>
  isStalePlan(error) ||
  (isConnectionFailure(error) &&
    /terminated|not queryable|57P0[12]|ECONNRESET|EPIPE/.test(`${codeOf(error)} ${messageOf(error)}`));

/** True when the server takes no writes: it may have been the primary before. */
const isReadOnly = (error: unknown): boolean =>
  codeOf(error) === '25006' || (codeOf(error) === '0A000' && /during recovery/.test(messageOf(error)));

/** True when the connection on which this happened must not be used again. */
export const breaksConnection = (error: unknown): boolean =>
  isConnectionFailure(error) || isStalePlan(error) || isReadOnly(error);

/** True when a text holds what the server cannot store: NUL, or half of a surrogate pair inside JSON. */
function isUnstorableText(error: unknown): boolean {
  const detail = (error as { detail?: unknown } | null | undefined)?.detail;
  return (
    /^(22021|22P05)$/.test(codeOf(error) ?? '') || (codeOf(error) === '22P02' && /surrogate/.test(String(detail ?? '')))
  );
}

/** Gives outages, time-outs and texts that cannot be stored their place in the catalogue; leaves everything else as it is. */
export function asFailure(error: unknown, module: string): unknown {
  if (error instanceof CatalogueError) return error;
  if (isConnectionFailure(error)) return RequestErrors.serviceUnavailable(module).with({ cause: error });
  if (isUnstorableText(error))
    return RequestErrors.badBodyData('a text holds characters that cannot be stored').with({ cause: error });
  // Cancelled by statement_timeout, or a lock that did not come free in lock_timeout.
  if (/^(57014|55P03)$/.test(codeOf(error) ?? '')) return RequestErrors.deadlinePassed(module).with({ cause: error });
  return error;
}
