import type { IncomingMessage } from 'node:http';

/** Why the head of a request is refused. */
export interface HeadProblem {
  readonly status: 400 | 405 | 408 | 413 | 431 | 501;
  readonly reason: string;
}

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[\w.~!$&'()*+,;=%-]{0,255})(:\d{0,5})?$/i;
const ABSOLUTE = /^https?:\/\/([^/?#]*)((?:[/?#].*)?)$/is;

const problem = (status: HeadProblem['status'], reason: string): HeadProblem => ({ status, reason });

/**
 * Finds what makes a request ambiguous, so that a proxy in front may have read it otherwise: several or malformed hosts
 * (RFC 9112 section 3.2), transfer codings other than `chunked` (section 6.1). The parser has refused the rest before: both Content-Length and Transfer-Encoding, folded lines, bad chunk sizes. A target in absolute
 * form (section 3.2.2) becomes path and host.
 */
export function refuseHead(request: IncomingMessage, maxHeaders: number): HeadProblem | undefined {
  const { rawHeaders } = request;
  if (rawHeaders.length > maxHeaders * 2) return problem(431, `more than ${maxHeaders} headers`);
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts++;
  if (hosts > 1) return problem(400, 'several Host headers');
  const { headers, method = '', url = '' } = request;
  if (method === 'TRACE' || method === 'CONNECT') return problem(405, `the method ${method} is not allowed`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (request.httpVersionMajor < 1 || request.httpVersionMinor < 1))
    return problem(400, 'Transfer-Encoding needs HTTP/1.1');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return problem(501, 'Transfer-Encoding is not chunked');
  if (!url.startsWith('/')) {
    const [, host, path] = ABSOLUTE.exec(url) ?? [];
    if (host === undefined) return problem(400, 'the target is no path');
    headers.host = host;
    request.url = path!.startsWith('/') ? path : `/${path}`;
  }
  if (!HOST.test(headers.host ?? '')) return problem(400, 'the Host header is malformed');
  return undefined;
}
