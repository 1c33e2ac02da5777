import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The requests of one connection that wait for the answers before theirs. */
class Pipeline {
  private readonly waiting: Exchange[] = [];
  private isBusy = false;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
    private readonly maxWaiting: number,
  ) {}

  add(exchange: Exchange): void {
    if (!this.isBusy) return this.begin(exchange);
    this.waiting.push(exchange);
    // Bytes read are parsed to their end whatever is done here, so some more may come.
    if (this.waiting.length > this.maxWaiting) this.socket.destroy();
    else this.socket.pause();
  }

  private begin({ request, response }: Exchange): void {
    this.isBusy = true;
    response.once('close', () => this.next());
    this.handle(request, response);
  }

  private next(): void {
    this.isBusy = false;
    if (this.socket.destroyed) this.waiting.length = 0;
    if (this.waiting.length === 0) return;
    this.isBusy = true;
    // Others have their turn in between.
    setImmediate(() => {
      const following = this.waiting.shift()!;
      if (this.waiting.length === 0) this.socket.resume();
      this.begin(following);
    });
  }
}

/**
 * Handles the requests of a connection one after the other (RFC 9112 section 9.3.2): a client that sends thousands at once
 * takes one place, and no turn of the event loop works on more than one of them.
 * @param maxWaiting the connection of a client that has sent more, and got no answer to the first, is closed
 */
export function inTurn(handle: RequestListener, maxWaiting: number): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (request, response) => {
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (!pipeline) pipelines.set(socket, (pipeline = new Pipeline(socket, handle, maxWaiting)));
    pipeline.add({ request, response });
  };
}
