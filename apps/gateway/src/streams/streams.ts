import type { Duplex } from 'node:stream';
import { isTopicPattern, MAX_TOPICS, PushErrors, type UserPrincipal } from '@groupware/contracts';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Exchange } from '../edge/exchange';
import { first } from '../input/url';
import { EventStream } from './event-stream';
import type { StreamHub, WantedStream } from './stream-hub';
import { readPosition } from './stream-position';
import { WebSocketStream } from './web-socket-stream';

/** Largest message of a client, bytes. */
const MAX_MESSAGE_BYTES = 1_024;

/** Opens streams for module calls whose session was checked. */
export class Streams {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });

  constructor(private readonly hub: StreamHub) {}

  /** Answers with server-sent events. */
  async events(exchange: Exchange, headers: readonly string[]): Promise<void> {
    await this.hub.open(
      this.wanted(exchange, () => this.eventStream(exchange, headers)),
      'sse',
    );
  }

  /** Turns the connection into a WebSocket. @throws PNS-9007 for a request without upgrade */
  async socket(exchange: Exchange): Promise<void> {
    const { upgrade } = exchange;
    if (!upgrade) throw PushErrors.noUpgrade().with({ headers: { Upgrade: 'websocket', Connection: 'Upgrade' } });
    // The handshake comes last, so that a refusal is an ordinary answer.
    let line: WebSocketStream | undefined;
    await this.hub.open(
      this.wanted(exchange, () => (line ??= new WebSocketStream(this.accept(exchange, upgrade)))),
      'websocket',
    );
  }

  private eventStream(exchange: Exchange, headers: readonly string[]): EventStream {
    exchange.becomesStream();
    return new EventStream(exchange.response, headers);
  }

  private accept(exchange: Exchange, { socket, head }: { socket: Duplex; head: Buffer }): WebSocket {
    exchange.becomesStream();
    exchange.response.detachSocket(socket as never);
    exchange.response.statusCode = 101;
    let opened: WebSocket | undefined;
    // Calls back at once, or has answered a request that is no good handshake.
    this.sockets.handleUpgrade(exchange.request, socket, head, (client) => (opened = client));
    socket.once('close', () => exchange.response.emit('close'));
    if (!opened) {
      socket.destroy();
      throw PushErrors.noUpgrade();
    }
    return opened;
  }

  private wanted(exchange: Exchange, line: WantedStream['line']): WantedStream {
    const { parameters, request, origin } = exchange;
    const topics = first(parameters, 'topics')?.split(',').filter(Boolean);
    for (const topic of topics ?? []) if (!isTopicPattern(topic)) throw PushErrors.badTopic(topic);
    const header = request.headers['last-event-id'];
    const text = (Array.isArray(header) ? header[0] : header) ?? first(parameters, 'lastEventId');
    const position = readPosition(text);
    return {
      principal: exchange.principal as UserPrincipal,
      address: origin.remoteAddress,
      ...(topics && topics.length > 0 ? { topics: topics.slice(0, MAX_TOPICS) } : {}),
      // A position that cannot be read is one that is too old: the client is told so.
      ...(position ? { position } : text ? { position: { epoch: 0, seq: 0, at: 0 } } : {}),
      line,
    };
  }
}
