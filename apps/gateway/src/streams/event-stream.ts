import type { ServerResponse } from 'node:http';
import type { Notice } from '@groupware/contracts';
import { NO_CACHE } from '../output/send';
import type { StreamLine } from './stream-client';
import type { EndReason } from './stream-metrics';

/** Clients come back after a pause of their own between these, ms: not all at once after a restart. */
const RETRY_MS = { least: 1_000, spread: 4_000 };

const texts = new WeakMap<Notice, string>();

/** JSON of a notice's data, made once for all streams. */
export function dataText(notice: Notice): string {
  let text = texts.get(notice);
  if (text === undefined) texts.set(notice, (text = JSON.stringify(notice.data)));
  return text;
}

/** A stream of server-sent events (HTML Living Standard, section 9.2). */
export class EventStream implements StreamLine {
  readonly transport = 'sse';

  constructor(
    private readonly response: ServerResponse,
    headers: readonly string[],
  ) {
    response.writeHead(200, [
      ...NO_CACHE,
      ...headers,
      'Content-Type',
      'text/event-stream; charset=UTF-8',
      // Proxies that collect answers would hold events back.
      'X-Accel-Buffering',
      'no',
    ]);
    response.socket?.setNoDelay(true);
  }

  get waitingBytes(): number {
    return this.response.writableLength;
  }

  hello(id: string): void {
    const retry = RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread);
    this.write(`retry: ${retry}\nid: ${id}\nevent: hello\ndata: {}\n\n`);
  }

  notice(id: string, notice: Notice): void {
    this.write(`id: ${id}\nevent: ${notice.topic}\ndata: ${dataText(notice)}\n\n`);
  }

  resync(id: string): void {
    this.write(`id: ${id}\nevent: resync\ndata: {}\n\n`);
  }

  /** A block without data is no event, but moves the last event id. */
  heartbeat(id: string): void {
    this.write(`id: ${id}\n\n`);
  }

  end(reason: EndReason): void {
    if (reason === 'slow') this.response.destroy();
    else if (!this.response.destroyed) {
      if (reason === 'session') this.write('event: closed\ndata: {"reason":"session"}\n\n');
      // One that does not read would hold up the shutdown.
      const patience = setTimeout(() => this.response.destroy(), 1_000).unref();
      this.response.end(() => clearTimeout(patience));
    }
  }

  onGone(gone: () => void): void {
    if (this.response.destroyed) gone();
    else this.response.once('close', gone);
  }

  private write(text: string): void {
    if (!this.response.destroyed && !this.response.writableEnded) this.response.write(text);
  }
}
