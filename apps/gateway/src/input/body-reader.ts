import type { IncomingMessage } from 'node:http';

const EMPTY = Buffer.alloc(0);

/** A body that exceeds its limit; carries what was seen of it. */
export class BodyTooLarge extends Error {
  constructor(
    readonly sizeBytes: number,
    readonly maxBytes: number,
  ) {
    super(`body of ${sizeBytes} bytes exceeds ${maxBytes}`);
  }
}

/** The client went away before the body was complete. */
export class BodyAborted extends Error {}

/** The announced size of a body, or undefined when it comes in chunks. */
export function announcedSize(request: IncomingMessage): number | undefined {
  const header = request.headers['content-length'];
  return header === undefined ? undefined : Number(header);
}

/** True when the request can have a body at all. */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (announcedSize(request) ?? 0) > 0;
}

/**
 * Reads a whole body of at most `maxBytes`. A larger one is refused as soon as it is known to be larger.
 * @throws BodyTooLarge, BodyAborted
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = announcedSize(request);
  if (announced !== undefined && announced > maxBytes) return Promise.reject(new BodyTooLarge(announced, maxBytes));
  if (!hasBody(request)) return Promise.resolve(EMPTY);
  // Most bodies came with the head. They need no listeners, and no events of a stream.
  if (request.complete && !request.readableFlowing && request.readableLength <= maxBytes)
    return Promise.resolve((request.read() as Buffer | null) ?? EMPTY);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onAbort).off('close', onAbort);
    };
    const onData = (part: Buffer): void => {
      size += part.length;
      if (size > maxBytes) {
        settle();
        reject(new BodyTooLarge(size, maxBytes));
      } else parts.push(part);
    };
    const onEnd = (): void => {
      settle();
      resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts, size));
    };
    const onAbort = (): void => {
      settle();
      reject(new BodyAborted('the client closed the connection'));
    };
    request.on('data', onData).on('end', onEnd).on('error', onAbort).on('close', onAbort);
  });
}

/**
 * Throws away the rest of a refused body, so that the client sees the answer instead of a broken connection; gives up
 * after `maxBytes` or `maxMs` and closes the connection.
 */
export function discardBody(request: IncomingMessage, maxBytes = 64 * 1024 * 1024, maxMs = 10_000): void {
  if (request.complete || request.destroyed) return;
  let left = maxBytes;
  const timer = setTimeout(() => request.destroy(), maxMs);
  timer.unref();
  request.on('data', (part: Buffer) => {
    left -= part.length;
    if (left < 0) request.destroy();
  });
  request.on('error', () => undefined);
  request.once('close', () => clearTimeout(timer));
  request.resume();
}
