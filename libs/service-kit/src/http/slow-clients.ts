import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ListenerSettings } from '../config/listener-settings';

/** Wait for a client: for what, and how far it was when that began. */
interface Wait {
  readonly kind: 'body' | 'reader';
  readonly since: number;
  readonly bytes: number;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  wait?: Wait;
}

/**
 * Closes connections of clients that send a body, or read an answer, slower than the least rate for longer than a stall may
 * take. Time in which the client waits for this process does not count.
 */
export class SlowClients {
  private readonly exchanges = new Set<Exchange>();

  constructor(
    server: Server,
    private readonly limits: Pick<ListenerSettings, 'stallMs' | 'minBytesPerSecond'>,
    private readonly onClosed: () => void = () => undefined,
  ) {
    server.prependListener('request', (request, response) => {
      const exchange: Exchange = { request, response };
      this.exchanges.add(exchange);
      response.on('close', () => this.exchanges.delete(exchange));
    });
    const timer = setInterval(() => this.sweep(performance.now()), Math.min(1_000, limits.stallMs / 4));
    timer.unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Looks at all requests under way at a point in time, ms. */
  sweep(now: number): void {
    for (const exchange of this.exchanges) {
      const current = waitOf(exchange, now);
      const { wait } = exchange;
      if (!current || wait?.kind !== current.kind) exchange.wait = current;
      else if (now - wait.since >= this.limits.stallMs) {
        const least = (this.limits.minBytesPerSecond * (now - wait.since)) / 1_000;
        if (current.bytes - wait.bytes >= least) exchange.wait = current;
        else {
          this.onClosed();
          exchange.response.socket?.destroy();
        }
      }
    }
  }
}

function waitOf({ request, response }: Exchange, since: number): Wait | undefined {
  // That of the request is gone once a stream utility ended it.
  const { socket } = response;
  if (!socket) return undefined;
  // A full buffer, or a connection not read, means that this side does not read: then we do not wait for the client.
  if (!request.complete && !socket.isPaused() && request.readableLength < request.readableHighWaterMark)
    return { kind: 'body', since, bytes: socket.bytesRead };
  if (response.headersSent && socket.writableLength > 0)
    return { kind: 'reader', since, bytes: socket.bytesWritten - socket.writableLength };
  return undefined;
}
