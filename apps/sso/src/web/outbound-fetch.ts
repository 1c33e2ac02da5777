import { Injectable } from '@nestjs/common';
import { PortList, WebClient } from '@groupware/outbound';

/** Longest time of one call of a provider, ms. */
const TIMEOUT_MS = 10_000;
/** Largest answer of a provider, bytes. */
const MAX_BYTES = 1_048_576;

/** How a provider may be called. */
export interface FetchOptions {
  /** Accept plain HTTP. */
  readonly allowPlain: boolean;
}

/** Options that protocol libraries give a `fetch`. */
interface FetchInit {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
}

/** Gives libraries a `fetch` that goes through the guard of outgoing connections: bounded, without redirects. */
@Injectable()
export class OutboundFetch {
  private readonly ports = new PortList(['1-65535']);

  constructor(private readonly web: WebClient) {}

  /** A `fetch` for addresses that the operator configured. Network causes reject with OutboundFailure. */
  create({ allowPlain }: FetchOptions): (url: string, init?: FetchInit) => Promise<Response> {
    return async (url, init = {}) => {
      const body = init.body === undefined || init.body === null ? undefined : String(init.body);
      const answer = await this.web.fetch({
        url,
        purpose: 'sign-on',
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(body === undefined ? {} : { body }),
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        maxRedirects: 0,
        allowPlain,
        ports: this.ports,
      });
      const headers = new Headers();
      for (const [name, value] of Object.entries(answer.headers))
        for (const each of [value ?? []].flat()) headers.append(name, each);
      const isBodyless = answer.status === 204 || answer.status === 304;
      return new Response(isBodyless ? null : new Uint8Array(answer.body), { status: answer.status, headers });
    };
  }
}
