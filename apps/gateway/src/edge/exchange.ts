import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  CatalogueError,
  localeOf,
  RequestErrors,
  type CookieChange,
  type Operation,
  type Principal,
} from '@groupware/contracts';
import type { ClientOrigin } from '@groupware/service-kit';
import { discardBody, hasBody } from '../input/body-reader';
import { first, parseParameters, splitTarget, type Parameters } from '../input/url';

const random = (): string =>
  Math.floor(Math.random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');
const node = random() + random();
let counter = 0;

/** A fresh id of a request or error: `<random of the process>-<counter>`. */
const freshId = (): string => `${node}-${++counter}`;

/** One HTTP request on its way through the edge, with what was found out about it so far. */
export class Exchange {
  readonly requestId = freshId();
  readonly startedAt = performance.now();
  readonly path: string;
  readonly parameters: Parameters;
  module = '';
  action = '';
  operation?: Operation;
  principal?: Principal;
  sessionId?: string;
  /** The public session was enough: the address stands in a page. */
  isOfPage?: boolean;
  /** Cookies to write beside a success, found missing by the session check. */
  cookies: readonly CookieChange[] = [];
  /** Code of the error that was answered. */
  code?: string;
  bytesSent = 0;
  /** The call came below a path for applications: an access token is needed. */
  needsToken?: boolean;
  /** The bytes of a form that was read before its operation was known. */
  form?: Buffer;
  /** The connection, when the request asks for an upgrade. */
  upgrade?: { readonly socket: Duplex; readonly head: Buffer };
  private readonly ends: (() => void)[] = [];
  private streaming: (() => void) | undefined;
  private sending: (() => void) | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly origin: ClientOrigin,
    private readonly onError: (exchange: Exchange, error: CatalogueError) => void = () => undefined,
  ) {
    const { path, query } = splitTarget(request.url ?? '/');
    this.path = path;
    this.parameters = parseParameters(query);
  }

  /** HEAD is answered as GET without the body, which the HTTP server leaves out by itself. */
  get method(): string {
    return this.request.method === 'HEAD' ? 'GET' : (this.request.method ?? 'GET');
  }

  get userAgent(): string {
    return this.request.headers['user-agent'] ?? '';
  }

  /** Locale for texts: the user's, else the one the request names, else English. */
  get locale(): string {
    if (this.principal?.kind === 'user') return this.principal.locale;
    const wanted = [
      first(this.parameters, 'language'),
      first(this.parameters, 'locale'),
      this.request.headers['accept-language'],
    ];
    return wanted.map(localeOf).find(Boolean) ?? 'en_US';
  }

  /** Takes what is to be done when the client goes away before the answer is complete. */
  readonly whenGone = (end: () => void): void => {
    this.ends.push(end);
  };

  /** Takes what is to be done when the answer turns out to be a stream. */
  onStream(begins: () => void): void {
    this.streaming = begins;
  }

  /** The answer stays open from now on: it is no call under way any more. */
  becomesStream(): void {
    this.streaming?.();
    this.streaming = undefined;
  }

  /** Takes what is to be done when only the client is waited for any more. */
  onSending(begins: () => void): void {
    this.sending = begins;
  }

  /** The answer is there: from now on it takes as long as the client reads. */
  readonly startsSending = (): void => {
    this.sending?.();
    this.sending = undefined;
  };

  /** The connection or the answer ended. */
  closed(): void {
    if (this.response.writableFinished) return;
    for (const end of this.ends) end();
  }

  /** Notes the error that is answered. */
  fail(error: CatalogueError): void {
    this.code = error.code;
    this.onError(this, error);
  }

  /** Notes the warnings of an answer and gives them the ids under which they are found in the log. */
  warn(warnings: readonly CatalogueError[] = []): void {
    for (const warning of warnings) this.onError(this, asCatalogueError(warning));
  }

  /**
   * Gets rid of an unread body before an error is answered. The connection stays open meanwhile: closed while its client still sends,
   * it would be reset, and the client would not see the answer (RFC 9112 section 9.6).
   * @returns headers the answer needs: the connection of a body that cannot be read any more is not used again
   */
  dropBody(): readonly string[] {
    if (this.request.complete || !hasBody(this.request)) return [];
    if (this.request.destroyed) return ['Connection', 'close'];
    discardBody(this.request);
    return [];
  }

  /** True when no client reads an answer any more. */
  get isGone(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }
}

/** Headers of the answer to a failed call, a flat list; an outage says when to try again (RFC 9110 section 10.2.3). */
export function failureHeaders(error: CatalogueError, status: number, retryAfterSeconds: number): string[] {
  const headers = Object.entries(error.details.headers ?? {}).flat();
  if (status === 503 && error.details.headers?.['Retry-After'] === undefined)
    headers.push('Retry-After', String(retryAfterSeconds));
  return headers;
}

/** Gives any failure its place in the catalogue and an id; what was not foreseen becomes SVL-0011 with its cause. */
export function asCatalogueError(error: unknown): CatalogueError {
  const known = error instanceof CatalogueError ? error : RequestErrors.unexpected().with({ cause: error });
  known.errorId ??= freshId();
  return known;
}
