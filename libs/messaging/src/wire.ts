import {
  CatalogueError,
  errorByKey,
  httpStatusOf,
  RequestErrors,
  type CookieChange,
  type EdgeRequest,
  type FileReply,
  type Operation,
  type Principal,
  type UploadedFile,
} from '@groupware/contracts';
import type { CallKey } from './call-key';
import { headers as natsHeaders, type MsgHdrs } from 'nats';

/** Names of our headers. */
export const HEADER = {
  principal: 'Principal',
  /** The user for whom a service calls that names itself as principal. */
  actingFor: 'Acting-For',
  /** Signature of the gateway over the user or administrator of the call: see `Principals`. */
  proof: 'Principal-Proof',
  deadline: 'Deadline',
  requestId: 'Request-Id',
  /** The key that the client sent, for handlers that care for it themselves. */
  idempotencyKey: 'Idempotency-Key',
  /** Idempotency key of the call: an id and its origin. */
  callKey: 'Call-Key',
  /** The call was sent before, and may have been done. */
  repeated: 'Repeated',
  trace: 'traceparent',
  /** On whose behalf a call is made whose principal does not tell, for logs. */
  onBehalf: 'On-Behalf',
  /** Metadata of a result, as JSON. */
  metadata: 'Beside',
  /**
   * On a message to the caller that is no answer: the call is being worked on (`1`), or may it begin (`?`), which the caller
   * affirms by any answer.
   */
  working: 'Working',
  /** Present on the parts of a streamed answer: their number, from 0. */
  chunk: 'Chunk',
  /** Present on the last part of a streamed answer. */
  last: 'Last',
  errorText: 'Nats-Service-Error',
  errorCode: 'Nats-Service-Error-Code',
} as const;

/** One call as a caller describes it. */
export interface OutgoingCall {
  readonly principal: Principal;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly files?: readonly UploadedFile[];
  readonly edge?: EdgeRequest;
  /**
   * Point in time (ms UTC) after which no caller waits; default: now + the operation's or the general deadline, at most that
   * of the call being answered. Machines of an installation must agree about the time within a fraction of a second.
   */
  readonly deadline?: number;
  readonly requestId?: string;
  readonly idempotencyKey?: string;
  /** W3C trace context. */
  readonly trace?: string;
  readonly signal?: AbortSignal;
  /** The same for callers with many calls and few aborts, without the cost of a signal: takes what ends the call. */
  readonly whenGone?: (end: () => void) => void;
}

/** Context that calls made while another call is answered inherit from it. */
export interface CallContext {
  readonly requestId?: string;
  /** W3C trace context. */
  readonly trace?: string;
  /** Point in time (ms UTC) after which no caller waits for the outer call. */
  readonly deadline?: number;
  /** On whose behalf the outer call is made, a short text for logs. */
  readonly onBehalf?: string;
  /** Key of the outer call. */
  readonly key?: CallKey;
}

/** Whether a call with these headers may be sent again when it may have been done: it changes nothing, or is done once for its key. */
export const isSafe = ({ repeatable, idempotency }: Operation, headers: MsgHdrs | undefined): boolean =>
  repeatable === true ||
  (idempotency !== 'claimed' && headers?.has(HEADER.callKey) === true) ||
  (idempotency === 'own' && headers?.has(HEADER.idempotencyKey) === true);

/** Subject by which one process is reached, instead of any of its service. */
export const directSubject = (replica: string, service: string, subject: string): string =>
  `at.${replica}.${service}.${subject}`;

/** Metadata that travel beside a result. */
export interface ResponseMetadata {
  readonly status?: number;
  readonly timestamp?: number;
  readonly warnings?: readonly WireError[];
  readonly cookies?: readonly CookieChange[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes of a streamed file are the body of the answer. */
  readonly file?: FileReply['file'] & { readonly streamed?: boolean };
}

/** A catalogue error as it travels. */
export interface WireError {
  readonly key: string;
  readonly params: readonly string[];
  readonly errorId?: string;
  readonly problematic?: readonly unknown[];
  readonly truncated?: readonly number[];
  readonly warnings?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Only for callers whose errors show their stack. */
  readonly stack?: string;
}

/** Headers of a call, besides who makes it. */
export function callHeaders(
  { idempotency }: Operation,
  call: OutgoingCall,
  deadline: number,
  requestId: string,
  trace: string | undefined,
  onBehalf?: string,
): MsgHdrs {
  const headers = natsHeaders();
  headers.set(HEADER.deadline, String(deadline));
  headers.set(HEADER.requestId, requestId);
  if (call.idempotencyKey && idempotency === 'own')
    headers.set(HEADER.idempotencyKey, encodeURIComponent(call.idempotencyKey));
  if (trace) headers.set(HEADER.trace, trace);
  if (onBehalf) headers.set(HEADER.onBehalf, onBehalf);
  return headers;
}

/** Longest text beside a result, UTF-16 units: with any characters it fits into the room for headers. */
const MAX_BESIDE_LENGTH = 20_000;

/**
 * Headers of a result, or undefined where nothing travels beside it. Warnings beyond the room of a header are left out;
 * an operation that reports on thousands of items does so in its result.
 */
export function responseHeaders(beside: ResponseMetadata | undefined): MsgHdrs | undefined {
  if (!beside) return undefined;
  let text = JSON.stringify(beside);
  for (let { warnings } = beside; text.length > MAX_BESIDE_LENGTH && warnings?.length;) {
    warnings = warnings.slice(0, warnings.length >> 1);
    text = JSON.stringify({ ...beside, warnings });
  }
  const headers = natsHeaders();
  headers.set(HEADER.metadata, text);
  return headers;
}

/** The error as it travels; cause and stack stay behind. */
export const wireError = (error: CatalogueError): WireError => ({
  key: error.entry.key,
  params: error.params,
  errorId: error.errorId,
  problematic: error.details.problematic,
  truncated: error.details.truncated,
  warnings: error.details.warnings,
  headers: error.details.headers,
});

const stackOf = (error: CatalogueError): string => {
  const { cause } = error.details;
  return `${error.stack ?? ''}${cause instanceof Error ? `\nCaused by: ${cause.stack}` : ''}`;
};

/** The body of an error answer; details that do not fit into a message are left out. */
export function errorBytes(error: CatalogueError, maxBytes: number, showsStack = false): Uint8Array {
  const wire = showsStack ? { ...wireError(error), stack: stackOf(error) } : wireError(error);
  const bytes = Buffer.from(JSON.stringify(wire));
  if (bytes.length <= maxBytes) return bytes;
  return Buffer.from(JSON.stringify({ key: wire.key, params: wire.params, errorId: wire.errorId }));
}

/** The catalogue error that travelled; an unknown key (a newer service) becomes the generic error with the same id. */
export function fromWireError(wire: WireError): CatalogueError {
  const entry = errorByKey(wire.key) ?? RequestErrors.unexpected.entry;
  const { problematic, truncated, warnings, headers, stack } = wire;
  const error = new CatalogueError(entry, wire.params, { problematic, truncated, warnings, headers }, wire.errorId);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Headers of an error answer. */
export function errorHeaders(error: CatalogueError): MsgHdrs {
  const headers = natsHeaders();
  headers.set(HEADER.errorText, error.code);
  headers.set(HEADER.errorCode, String(httpStatusOf(error.entry)));
  return headers;
}
