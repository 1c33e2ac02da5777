import type { ServerResponse } from 'node:http';
import type { Exchange } from '../edge/exchange';

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

/** Part of {@link NO_CACHE} that an answer gets beside its own headers, a flat list: its own rule for caches replaces ours. */
const cacheHeaders = (own: readonly string[]): readonly string[] =>
  own.some((name, index) => index % 2 === 0 && /^cache-control$/i.test(name)) ? NO_CACHE.slice(-2) : NO_CACHE;

/** Content type of every JSON answer. */
export const JSON_TYPE = 'application/json; charset=UTF-8';

/** A body is handed over in slices of this size, so that it shows how fast its reader is, bytes. */
const SLICE_BYTES = 256 * 1024;

/** As many pieces are cheaper to write one by one than to copy. */
const FEW_PIECES = 3;

/** Sends a complete body. `headers` is a flat list of names and values. */
export function sendBuffer(
  exchange: Exchange,
  status: number,
  contentType: string | undefined,
  body: Buffer,
  headers: readonly string[],
): void {
  sendPieces(exchange, status, contentType, [body], headers);
}

/** Sends a body whose pieces are all there, and notes its size; small ones leave in one system call. */
export function sendPieces(
  exchange: Exchange,
  status: number,
  contentType: string | undefined,
  pieces: readonly Uint8Array[],
  headers: readonly string[],
): void {
  const { response } = exchange;
  let size = 0;
  for (const piece of pieces) size += piece.length;
  exchange.bytesSent = size;
  const list = [...cacheHeaders(headers), ...headers];
  if (contentType !== undefined) list.push('Content-Type', contentType);
  if (status !== 204 && status !== 304) list.push('Content-Length', String(size));
  response.writeHead(status, list);
  if (size > SLICE_BYTES) return void sendSlices(exchange, pieces);
  if (pieces.length > FEW_PIECES) return void response.end(Buffer.concat(pieces, size));
  const last = pieces.length - 1;
  for (let index = 0; index < last; index++) response.write(pieces[index]);
  response.end(pieces[last]);
}

async function sendSlices(exchange: Exchange, pieces: readonly Uint8Array[]): Promise<void> {
  const { response } = exchange;
  exchange.startsSending();
  for (const piece of pieces)
    for (let start = 0; start < piece.length; start += SLICE_BYTES) {
      if (!response.write(piece.subarray(start, start + SLICE_BYTES))) await waitForDrain(response);
      if (response.destroyed) return;
    }
  response.end();
}

/**
 * Sends a body that arrives in pieces, no faster than the client reads, and notes the bytes that were sent. Stops reading the
 * source when the client goes away; the listener sees to those that stay and do not read. A source that fails after the
 * first byte breaks the connection: half an answer must not look like a whole one.
 */
export async function sendStream(exchange: Exchange, body: AsyncIterable<Uint8Array>): Promise<void> {
  const { response } = exchange;
  try {
    for await (const part of body) {
      exchange.startsSending();
      if (response.destroyed) return;
      exchange.bytesSent += part.length;
      if (!response.write(part)) await waitForDrain(response);
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves when more may be written, or when the client reads no more. Cheap: it happens for every piece of a large file. */
function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
