import { randomUUID } from 'node:crypto';
import { EXIT, Stop } from './exit';

/** Address of the REST API, and the credentials of the caller. */
export interface Target {
  readonly url: string;
  readonly login: string;
  /** Asked for when it is needed first. */
  readonly password: () => Promise<string>;
  readonly timeoutMs: number;
}

/** Body of a request. */
export interface RequestParts {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Raw bytes with their type, instead of a JSON body. */
  readonly file?: { readonly bytes: Uint8Array; readonly type: string };
  readonly ifMatch?: string;
}

interface ErrorBody {
  readonly code?: string;
  readonly error?: string;
  readonly error_desc?: string;
  readonly error_id?: string;
  readonly problematic?: { name?: string; reason?: string }[];
}

/** The REST API as the commands call it. */
export class RestClient {
  constructor(private readonly target: Target) {}

  /** Sends a request with the operator's credentials; answers the parsed body. */
  async send<T>(method: string, path: string, parts: RequestParts = {}): Promise<T> {
    const text = await this.text(method, path, parts);
    return (text === '' ? undefined : parse(text)) as T;
  }

  /** The same for an answer that is no JSON. */
  async text(method: string, path: string, parts: RequestParts = {}): Promise<string> {
    const credentials = `${this.target.login}:${await this.target.password()}`;
    const response = await this.fetch(method, path, parts, {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    });
    const text = await response.text();
    if (!response.ok) throw refusal(response.status, text === '' ? undefined : parse(text));
    return text;
  }

  /** Reads a page that needs no credentials, such as health, as text. */
  async plain(path: string): Promise<{ status: number; text: string }> {
    const response = await this.fetch('GET', path, {}, {});
    return { status: response.status, text: await response.text() };
  }

  private async fetch(
    method: string,
    path: string,
    parts: RequestParts,
    credentials: Record<string, string>,
  ): Promise<Response> {
    const url = new URL(path, this.target.url);
    for (const [name, value] of Object.entries(parts.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const headers: Record<string, string> = { accept: 'application/json', ...credentials };
    if (parts.body !== undefined) headers['content-type'] = 'application/json';
    if (parts.file) headers['content-type'] = parts.file.type;
    if (parts.ifMatch) headers['if-match'] = parts.ifMatch;
    if (method === 'POST') headers['idempotency-key'] = randomUUID();
    const body = parts.file
      ? Buffer.from(parts.file.bytes)
      : parts.body === undefined
        ? null
        : JSON.stringify(parts.body);
    try {
      return await fetch(url, { method, headers, body, signal: AbortSignal.timeout(this.target.timeoutMs) });
    } catch (error) {
      const cause = (error as Error).cause;
      const reason =
        cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : (error as Error).message;
      throw new Stop(EXIT.unreachable, `${url.origin} is not reachable: ${reason}`);
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Stop(EXIT.unreachable, 'The answer is not JSON: is this the internal listener of the product?');
  }
}

function refusal(status: number, body: unknown): Stop {
  const error = (body ?? {}) as ErrorBody;
  const fields = (error.problematic ?? []).map(({ name, reason }) => `\n  ${name}: ${reason}`).join('');
  const text = error.error_desc ?? error.error ?? `HTTP ${status}`;
  const exit = status === 503 || status === 504 ? EXIT.unreachable : EXIT.refused;
  return new Stop(
    exit,
    `${error.code ?? status}: ${text}${fields}${error.error_id ? ` [${error.error_id}]` : ''}`,
    body,
  );
}
