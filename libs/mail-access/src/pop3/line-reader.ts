import type { Socket } from 'node:net';

/** Longest line (RFC 2449, section 4, allows 512) and most bytes of one answer. */
const MAX_LINE_BYTES = 4_096;
const MAX_ANSWER_BYTES = 65_536;

/** Reads lines of a socket, bounded in length and number. */
export class LineReader {
  private buffered = Buffer.alloc(0);
  private problem: Error | undefined;
  private wake: () => void = () => undefined;
  private received = 0;
  private readonly onData = (chunk: Buffer): void => {
    this.received += chunk.length;
    this.buffered = Buffer.concat([this.buffered, chunk]);
    const tooLong = this.buffered.length > MAX_LINE_BYTES && !this.buffered.subarray(0, MAX_LINE_BYTES).includes(10);
    if (tooLong || this.received > MAX_ANSWER_BYTES) this.fail(new Error('the answer is too long'));
    this.wake();
  };
  private readonly onEnd = (): void => this.fail(new Error('the server hung up'));
  private readonly onError = (error: Error): void => this.fail(error);

  constructor(private readonly socket: Socket) {
    socket.on('data', this.onData).on('end', this.onEnd).on('close', this.onEnd).on('error', this.onError);
  }

  /** The next line without its end. @throws when the connection ends, is ended, or the limits are exceeded */
  async line(): Promise<string> {
    for (;;) {
      const end = this.buffered.indexOf(10);
      if (end >= 0) {
        const line = this.buffered.subarray(0, end).toString('latin1').replace(/\r$/, '');
        this.buffered = this.buffered.subarray(end + 1);
        return line;
      }
      if (this.problem) throw this.problem;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Begins to count for the next answer. */
  nextAnswer(): void {
    this.received = this.buffered.length;
  }

  /** True when the peer has sent something unasked. */
  get hasMore(): boolean {
    return this.buffered.length > 0;
  }

  /** Stops reading, so that the socket can be upgraded. */
  release(): Socket {
    this.socket.off('data', this.onData).off('end', this.onEnd).off('close', this.onEnd).off('error', this.onError);
    this.socket.pause();
    return this.socket;
  }

  private fail(error: Error): void {
    this.problem ??= error;
    this.socket.destroy();
    this.wake();
  }
}
