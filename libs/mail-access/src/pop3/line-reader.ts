import type { Socket } from 'node:net';

/** Bounds of one answer. */
export interface AnswerLimits {
  readonly lineBytes: number;
  readonly bytes: number;
}

/** Answers of one line or few (RFC 2449, section 4, allows lines of 512 bytes). */
const SHORT: AnswerLimits = { lineBytes: 4_096, bytes: 65_536 };
const LF = 10;
const NEW_LINE = Buffer.from('\n');

/** Reads lines of a socket, bounded in length and number. */
export class LineReader {
  private buffered: Buffer = Buffer.alloc(0);
  private problem: Error | undefined;
  private wake: () => void = () => undefined;
  private received = 0;
  private limits = SHORT;
  private readonly onData = (chunk: Buffer): void => {
    this.received += chunk.length;
    this.buffered = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    const { lineBytes, bytes } = this.limits;
    const tooLong = this.buffered.length > lineBytes && !this.buffered.subarray(0, lineBytes).includes(LF);
    if (tooLong || this.received > bytes) this.fail(new Error('the answer is too long'));
    this.wake();
  };
  private readonly onEnd = (): void => this.fail(new Error('the server hung up'));
  private readonly onError = (error: Error): void => this.fail(error);

  constructor(private readonly socket: Socket) {
    socket.on('data', this.onData).on('end', this.onEnd).on('close', this.onEnd).on('error', this.onError);
  }

  /** The next line without its end. @throws when the connection ends, is ended, or the limits are exceeded */
  async line(): Promise<string> {
    return (await this.lineBytes()).toString('latin1').replace(/\r$/, '');
  }

  /** Bytes of an answer of several lines up to the one that ends it (RFC 1939, section 3), as they were before they were sent. */
  async text(): Promise<Buffer> {
    const lines: Buffer[] = [];
    for (;;) {
      const line = await this.lineBytes();
      if (line[0] !== 0x2e) lines.push(line, NEW_LINE);
      else if (line.length === 1 || (line.length === 2 && line[1] === 0x0d)) return Buffer.concat(lines);
      else lines.push(line.subarray(1), NEW_LINE);
    }
  }

  /** Begins to count for the next answer. */
  nextAnswer(limits: AnswerLimits = SHORT): void {
    this.limits = limits;
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

  /** The next line without its line feed. */
  private async lineBytes(): Promise<Buffer> {
    for (;;) {
      const end = this.buffered.indexOf(LF);
      if (end >= 0) {
        const line = this.buffered.subarray(0, end);
        this.buffered = this.buffered.subarray(end + 1);
        return line;
      }
      if (this.problem) throw this.problem;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private fail(error: Error): void {
    this.problem ??= error;
    this.socket.destroy();
    this.wake();
  }
}
