import type { Notice } from '@groupware/contracts';
import type { WebSocket } from 'ws';
import { dataText } from './event-stream';
import type { StreamLine } from './stream-client';
import type { EndReason } from './stream-metrics';

/** Closing codes (RFC 6455, section 7.4; 4000 and above are ours). */
const CODES: Record<EndReason, number> = { client: 1000, slow: 4008, session: 4001, shutdown: 1001 };

/** A stream over a WebSocket: one JSON object per message, `type` says what it is. */
export class WebSocketStream implements StreamLine {
  readonly transport = 'websocket';
  private isAnswered = true;

  constructor(private readonly socket: WebSocket) {
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => (this.isAnswered = true));
    socket.on('message', (data) => {
      // The only word that clients have for us: pages cannot send the protocol's own ping.
      if (String(data) === '{"type":"ping"}') this.write('{"type":"pong"}');
    });
  }

  get waitingBytes(): number {
    return this.socket.bufferedAmount;
  }

  hello(id: string): void {
    this.write(`{"type":"hello","id":"${id}"}`);
  }

  notice(id: string, notice: Notice): void {
    this.write(`{"type":"notice","id":"${id}","topic":${JSON.stringify(notice.topic)},"data":${dataText(notice)}}`);
  }

  resync(id: string): void {
    this.write(`{"type":"resync","id":"${id}"}`);
  }

  /** A client that did not answer the last ping is gone. */
  heartbeat(id: string): void {
    if (!this.isAnswered) return this.socket.terminate();
    this.isAnswered = false;
    this.socket.ping();
    this.write(`{"type":"position","id":"${id}"}`);
  }

  end(reason: EndReason): void {
    if (reason === 'slow') return this.socket.terminate();
    this.socket.close(CODES[reason], reason);
    setTimeout(() => this.socket.terminate(), 1_000).unref();
  }

  onGone(gone: () => void): void {
    if (this.socket.readyState === this.socket.CLOSED) gone();
    else this.socket.once('close', gone);
  }

  private write(text: string): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(text);
  }
}
