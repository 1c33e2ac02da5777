import { parse } from 'node:querystring';
import { RequestErrors, type RequestData } from '@groupware/contracts';

const MAX_PARAMETERS = 1000;

/** A request to analyze. */
export interface AnalysedRequest {
  /** Path below the base of the client API without slashes at its ends; undefined outside of it. */
  readonly apiPath: string | undefined;
  /** Whole path, percent-encoded. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  /** Values by lower-case name; the values of the same name joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** The peer of the proxy that asks; see {@link ClientAddresses} for who is behind it. */
  readonly remoteAddress: string;
  /** Fields of the form; undefined without a body. */
  readonly form: ReadonlyMap<string, string> | undefined;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function parseForm(body: string | undefined): Map<string, string> | undefined {
  if (body === undefined || body === '') return undefined;
  if (!BASE64.test(body)) throw RequestErrors.badBodyData('body: no base64');
  const values = parse(Buffer.from(body, 'base64').toString('utf8'), '&', '=', { maxKeys: MAX_PARAMETERS });
  return new Map(
    Object.entries(values).map(([name, value]) => [name, (Array.isArray(value) ? value[0] : value) ?? '']),
  );
}

/** Path below the longest matching base path. */
function toApiPath(path: string, bases: readonly string[]): string | undefined {
  const fitting = bases.filter((base) => path === base || path.startsWith(`${base}/`));
  const base = fitting.sort((a, b) => b.length - a.length)[0];
  return base === undefined ? undefined : path.slice(base.length).replace(/^\/+|(?<!\/)\/+$/g, '');
}

/**
 * Reads the description of a request.
 * @param bases base paths of the client API, without slash at the end
 * @throws SVL-0031 for an URL that is not absolute and a body that is no base64
 */
export function parseRequest(data: RequestData, bases: readonly string[]): AnalysedRequest {
  let url: URL;
  try {
    url = new URL(data.url);
  } catch {
    throw RequestErrors.badBodyData('url: not absolute');
  }
  if (!/^https?:$/.test(url.protocol)) throw RequestErrors.badBodyData('url: neither http nor https');
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const { name, value } of data.headers) {
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}${key === 'cookie' ? '; ' : ', '}${value}` : value;
  }
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) if (!query.has(name)) query.set(name, value);
  return {
    apiPath: toApiPath(url.pathname, bases),
    path: url.pathname,
    query,
    headers,
    remoteAddress: data.remoteIP,
    form: parseForm(data.body),
  };
}
