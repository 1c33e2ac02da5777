import type { Socket } from 'node:net';
import type { ImapFlow } from 'imapflow';

const TICK_MS = 500;
/** Commands that a server may work on for long without a word. */
const LONG = /^(UID )?(SEARCH|SORT|THREAD|COPY|MOVE|EXPUNGE|DELETE|RENAME)$/;
/** So many times longer they may take. */
const LONG_FACTOR = 4;

/** A command that the library waits for. */
interface Command {
  readonly tag: string;
  readonly command: string;
}

/**
 * Closes a connection on which nothing moves for so long while a command is under way, as after a fail-over behind one address. Time
 * is counted in ticks: a pause of this process is no silence.
 */
export class SilenceWatch {
  /** Whether the connection was closed. */
  isSilent = false;
  private readonly timer: NodeJS.Timeout;
  private last = '';
  private ticks = 0;

  constructor(
    private readonly client: ImapFlow,
    private readonly silenceMs: number,
  ) {
    this.timer = setInterval(() => this.look(), Math.min(TICK_MS, silenceMs)).unref();
  }

  /** Ends the watch. */
  stopWatching(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    // The library shows neither.
    const waitsFor = Reflect.get(this.client, 'currentRequest') as Command | false;
    const socket = Reflect.get(this.client, 'socket') as Socket | undefined;
    // Bytes that arrived and wait here are no silence.
    const isReading = socket?.readableFlowing === true && socket.readableLength === 0;
    if (!waitsFor || !socket || !isReading) return this.rest('');
    const { tag, command } = waitsFor;
    const state = `${tag} ${socket.bytesRead} ${socket.bytesWritten - socket.writableLength}`;
    if (state !== this.last) return this.rest(state);
    this.ticks += 1;
    const limitMs = this.silenceMs * (LONG.test(command) ? LONG_FACTOR : 1);
    if (this.ticks * Math.min(TICK_MS, this.silenceMs) < limitMs) return;
    this.isSilent = true;
    this.stopWatching();
    this.client.close();
  }

  private rest(state: string): void {
    this.last = state;
    this.ticks = 0;
  }
}
