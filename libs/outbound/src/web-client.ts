import { Readable } from 'node:stream';
import { Agent, request, type Dispatcher } from 'undici';
import { OutboundFailure } from './outbound-failure';
import type { OutboundGuard } from './outbound-guard';
import { PortList } from './ports';

/** Methods of HTTP, and those of WebDAV (RFC 4918). */
export type WebMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PROPFIND' | 'MKCOL' | 'COPY' | 'MOVE';

/** An HTTP request to a host that a user named. */
export interface WebRequest {
  readonly url: string;
  /** Label of metrics, such as `feed`. */
  readonly purpose: string;
  /** Default GET. */
  readonly method?: WebMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Largest answer, bytes; default: the setting. */
  readonly maxBytes?: number;
  /** Longest time of everything including redirects, ms; default: the setting. */
  readonly timeoutMs?: number;
  /** Default: the setting; 0 answers the redirect itself. */
  readonly maxRedirects?: number;
  /** Accept `http:`; default only `https:`. A redirect from https to http is refused in any case. */
  readonly allowPlain?: boolean;
  /** Ports instead of the general ones for HTTP: for addresses that only the operator configures. */
  readonly ports?: PortList;
  /** User whose attempts are counted; see the guard. */
  readonly onBehalfOf?: string;
  /** Count failures alone; see the guard. */
  readonly countsFailuresOnly?: boolean;
  readonly signal?: AbortSignal;
}

/** An answer, whatever its status. */
export interface WebAnswer {
  /** Address that the answer came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A request whose bytes are streamed: either way as many as there are, no faster than the slower side. */
export interface StreamRequest extends Omit<WebRequest, 'body' | 'maxBytes'> {
  /** A stream cannot be sent twice: redirects are answered then, not followed. */
  readonly body?: string | AsyncIterable<Uint8Array>;
  /** Longest time in which no byte of the answer comes, ms. */
  readonly idleMs: number;
  /** Ends the reading of the answer; `signal` ends what comes before it. */
  readonly bodySignal?: AbortSignal;
}

/** An answer whose body is still to be read: whoever does not read it to its end returns its iterator. */
export interface StreamAnswer extends Omit<WebAnswer, 'body'> {
  readonly body: AsyncIterable<Uint8Array>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** A request on its way. */
type FollowedRequest = Omit<WebRequest, 'body' | 'purpose'> & {
  readonly body?: WebRequest['body'] | AsyncIterable<Uint8Array>;
};

/** An answer whose body is still to be read, with its source. */
interface FollowedAnswer {
  readonly url: URL;
  readonly answer: Dispatcher.ResponseData;
}

const MAX_HEADER_BYTES = 16_384;
/** Headers that stay behind when a redirect leads to another origin. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * HTTP through the guard: each hop is checked, connected to its checked address and counted against one time and size.
 * Compression is not asked for, so that a small answer cannot become a large one.
 */
export class WebClient {
  private readonly ports: PortList;

  constructor(private readonly guard: OutboundGuard) {
    this.ports = new PortList(guard.settings.webPorts);
  }

  /** Sends a request and reads the answer. @throws OutboundFailure for every network cause */
  fetch(wanted: WebRequest): Promise<WebAnswer> {
    return this.guard.attempt(wanted, async (signal) => {
      const agent = this.agentFor(wanted, signal);
      try {
        const { url, answer } = await this.follow(wanted, agent, signal);
        const { statusCode: status, headers } = answer;
        return { url: url.href, status, headers, body: await this.read(answer, wanted) };
      } finally {
        // Nothing is kept: another request looks the host up and checks it anew.
        void agent.destroy().catch(() => undefined);
      }
    });
  }

  /**
   * Sends a request and answers as soon as the head of the answer is there. The time of the request ends with it; the body may take
   * as long as bytes come. @throws OutboundFailure for every network cause, also while the body is read
   */
  async openStream({ body, idleMs, bodySignal, ...wanted }: StreamRequest): Promise<StreamAnswer> {
    return this.guard.attempt(wanted, async (signal) => {
      // The deadline is that of the head alone.
      const ending = new AbortController();
      const end = () => ending.abort();
      signal.addEventListener('abort', end, { once: true });
      const agent = this.agentFor(wanted, signal, idleMs);
      try {
        const followed: FollowedRequest = { ...wanted, body, ...(typeof body === 'object' && { maxRedirects: 0 }) };
        const { url, answer } = await this.follow(followed, agent, ending.signal);
        const { statusCode: status, headers } = answer;
        return { url: url.href, status, headers, body: readStream(answer.body, agent, bodySignal) };
      } catch (error) {
        void agent.destroy().catch(() => undefined);
        throw error;
      } finally {
        signal.removeEventListener('abort', end);
      }
    });
  }

  /** Sends a request and follows its redirects; the body of the answer is still to be read. */
  private async follow(wanted: FollowedRequest, agent: Dispatcher, signal: AbortSignal): Promise<FollowedAnswer> {
    let url = this.readUrl(wanted.url, wanted.allowPlain ?? false);
    let method: WebMethod = wanted.method ?? 'GET';
    let body = wanted.body;
    let headers: Record<string, string> = { 'accept-encoding': 'identity', ...lowerCase(wanted.headers ?? {}) };
    for (let left = wanted.maxRedirects ?? this.guard.settings.maxRedirects; ; left--) {
      const sent = typeof body === 'object' && !(body instanceof Uint8Array) ? Readable.from(body) : body;
      const answer = await request(url, { dispatcher: agent, method, headers, body: sent ?? null, signal });
      const location = answer.headers.location;
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string' || wanted.maxRedirects === 0)
        return { url, answer };
      answer.body.on('error', () => undefined).destroy();
      if (left <= 0) throw new OutboundFailure('too-many-redirects');
      const next = this.readUrl(location, (wanted.allowPlain ?? false) && url.protocol === 'http:', url);
      if (next.origin !== url.origin)
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !PRIVATE_HEADERS.has(name)));
      if (method !== 'HEAD' && (answer.statusCode === 303 || (answer.statusCode < 303 && method === 'POST'))) {
        method = 'GET';
        body = undefined;
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
      }
      url = next;
    }
  }

  private readUrl(text: string, allowPlain: boolean, base?: URL): URL {
    const url = parseUrl(text, base);
    const schemeFits = url?.protocol === 'https:' || (allowPlain && url?.protocol === 'http:');
    // Credentials in an address are never meant for us to send, and confuse readers of logs.
    if (!url || !schemeFits || url.username || url.password) throw new OutboundFailure('bad-url');
    return url;
  }

  private async read(answer: Dispatcher.ResponseData, wanted: WebRequest): Promise<Buffer> {
    const limit = wanted.maxBytes ?? this.guard.settings.maxBytes;
    const announced = Number(answer.headers['content-length'] ?? 0);
    const parts: Buffer[] = [];
    let size = 0;
    try {
      if (announced > limit && wanted.method !== 'HEAD') throw new OutboundFailure('too-large');
      for await (const part of answer.body as AsyncIterable<Buffer>) {
        size += part.length;
        if (size > limit) throw new OutboundFailure('too-large');
        parts.push(part);
      }
    } catch (error) {
      answer.body.on('error', () => undefined).destroy();
      throw error;
    }
    return Buffer.concat(parts);
  }

  private agentFor(wanted: Pick<WebRequest, 'ports'>, signal: AbortSignal, idleMs?: number): Agent {
    return new Agent({
      maxHeaderSize: MAX_HEADER_BYTES,
      ...(idleMs !== undefined && { bodyTimeout: idleMs }),
      connect: (options, callback) => {
        const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
        const open = async () => {
          const target = { host: options.hostname, port, ports: wanted.ports ?? this.ports };
          const admitted = await this.guard.check(target, signal);
          const socket = await this.guard.open(admitted, signal);
          return options.protocol === 'https:'
            ? this.guard.secure(socket, admitted, signal, { ALPNProtocols: ['http/1.1'] })
            : socket;
        };
        open().then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
    });
  }
}

/** The bytes of a body; the connection ends with them, also when the reader stops before. */
async function* readStream(
  body: Dispatcher.ResponseData['body'],
  agent: Agent,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const stop = () => void body.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const part of body as AsyncIterable<Uint8Array>) yield part;
  } catch (error) {
    throw new OutboundFailure('unreachable', error);
  } finally {
    signal?.removeEventListener('abort', stop);
    body.on('error', () => undefined).destroy();
    void agent.destroy().catch(() => undefined);
  }
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
