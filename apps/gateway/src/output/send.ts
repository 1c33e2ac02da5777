import type { ServerResponse } from 'node:http';

/** Headers of answers that must not be kept by anybody on the way. */
export const NO_CACHE: readonly string[] = [
  'Cache-Control',
  'no-store, no-cache, must-revalidate',
  'Pragma',
  'no-cache',
  'Expires',
  '0',
  'X-Content-Type-Options',
  'nosniff',
];

/** What of {@link NO_CACHE} an answer gets beside its own headers, a flat list: its own rule for caches replaces ours. */
export const cacheHeaders = (own: readonly string[]): readonly string[] =>
  own.some((name, index) => index % 2 === 0 && /^cache-control$/i.test(name)) ? NO_CACHE.slice(-2) : NO_CACHE;

/** Content type of every JSON answer. */
export const JSON_TYPE = 'application/json; charset=UTF-8';

/** Sends a complete body. `headers` is a flat list of names and values. */
export function sendBuffer(
  response: ServerResponse,
  status: number,
  contentType: string | undefined,
  body: Buffer,
  headers: readonly string[],
): void {
  sendPieces(response, status, contentType, [body], headers);
}

/**
 * Sends a body whose pieces are all there; they leave in one system call.
 * @returns bytes of the body
 */
export function sendPieces(
  response: ServerResponse,
  status: number,
  contentType: string | undefined,
  pieces: readonly Uint8Array[],
  headers: readonly string[],
): number {
  let size = 0;
  for (const piece of pieces) size += piece.length;
  const list = [...cacheHeaders(headers), ...headers];
  if (contentType !== undefined) list.push('Content-Type', contentType);
  if (status !== 204 && status !== 304) list.push('Content-Length', String(size));
  response.writeHead(status, list);
  const last = pieces.length - 1;
  for (let index = 0; index < last; index++) response.write(pieces[index]);
  response.end(pieces[last]);
  return size;
}

/**
 * Sends a body that arrives in pieces, no faster than the client reads. Stops reading the source when the client goes
 * away or takes nothing for `idleMs`. A source that fails after the first byte breaks the connection: half an answer must not look like a whole one.
 * @returns bytes sent
 */
export async function sendStream(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  idleMs: number,
): Promise<number> {
  let sent = 0;
  const { socket } = response;
  socket?.setTimeout(idleMs);
  try {
    for await (const part of body) {
      if (response.destroyed) return sent;
      sent += part.length;
      if (!response.write(part)) await drained(response);
      if (response.destroyed) return sent;
    }
    response.end();
    return sent;
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    socket?.setTimeout(0);
  }
}

/** Resolves when more may be written, or when nobody reads any more. Cheap: it happens for every piece of a large file. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
