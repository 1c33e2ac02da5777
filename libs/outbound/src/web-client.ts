import { Agent, request, type Dispatcher } from 'undici';
import { OutboundFailure } from './outbound-failure';
import type { OutboundGuard } from './outbound-guard';
import { PortList } from './ports';

/** An HTTP request to a host that a user named. */
export interface WebRequest {
  readonly url: string;
  /** Label of metrics, such as `feed`. */
  readonly purpose: string;
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
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

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
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
        return await this.follow(wanted, agent, signal);
      } finally {
        // Nothing is kept: another request looks the host up and checks it anew.
        void agent.destroy().catch(() => undefined);
      }
    });
  }

  private async follow(wanted: WebRequest, agent: Dispatcher, signal: AbortSignal): Promise<WebAnswer> {
    let url = this.readUrl(wanted.url, wanted.allowPlain ?? false);
    let method: NonNullable<WebRequest['method']> = wanted.method ?? 'GET';
    let body = wanted.body;
    let headers: Record<string, string> = { 'accept-encoding': 'identity', ...lowerCase(wanted.headers ?? {}) };
    for (let left = wanted.maxRedirects ?? this.guard.settings.maxRedirects; ; left--) {
      const answer = await request(url, { dispatcher: agent, method, headers, body: body ?? null, signal });
      const location = answer.headers.location;
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string' || wanted.maxRedirects === 0)
        return {
          url: url.href,
          status: answer.statusCode,
          headers: answer.headers,
          body: await this.read(answer, wanted),
        };
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

  private agentFor(wanted: WebRequest, signal: AbortSignal): Agent {
    return new Agent({
      maxHeaderSize: MAX_HEADER_BYTES,
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

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
