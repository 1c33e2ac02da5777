import type { Socket } from 'node:net';

/** A part of an answer: a word, or a string that was between quotes or counted. */
export interface SieveToken {
  readonly kind: 'atom' | 'string';
  readonly value: string;
}

/** Bounds of what a ManageSieve server may send, bytes. */
export interface SieveLimits {
  readonly maxLineBytes: number;
  /** Largest script. */
  readonly maxLiteralBytes: number;
}

/** Lines of text and their counted strings, as a ManageSieve server sends them (RFC 5804, section 4). */
export class SieveReader {
  private buffered: Buffer = Buffer.alloc(0);
  private problem: Error | undefined;
  private wake: () => void = () => undefined;
  private readonly onData = (chunk: Buffer): void => {
    this.buffered = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    if (this.buffered.length > this.limits.maxLineBytes + this.limits.maxLiteralBytes)
      this.fail(new Error('the answer is too long'));
    this.wake();
  };
  private readonly onEnd = (): void => this.fail(new Error('the server hung up'));
  private readonly onError = (error: Error): void => this.fail(error);

  constructor(
    private readonly socket: Socket,
    private readonly limits: SieveLimits,
  ) {
    socket.on('data', this.onData).on('end', this.onEnd).on('close', this.onEnd).on('error', this.onError);
  }

  /** The parts of the next line. @throws when the connection ends, or a limit is exceeded */
  async line(): Promise<readonly SieveToken[]> {
    const tokens: SieveToken[] = [];
    for (;;) {
      const line = (await this.rawLine()).toString('utf8');
      const literal = /\{(\d{1,10})\+?\}$/.exec(line);
      tokens.push(...tokensOf(literal ? line.slice(0, literal.index) : line));
      if (!literal) return tokens;
      tokens.push({ kind: 'string', value: (await this.bytes(Number(literal[1]))).toString('utf8') });
    }
  }

  /** True when the peer has sent something unasked. */
  get hasMore(): boolean {
    return this.buffered.length > 0;
  }

  /** True when the connection ended, or was ended for what came. */
  get hasEnded(): boolean {
    return this.problem !== undefined;
  }

  /** Stops reading, so that the socket can be upgraded. */
  release(): Socket {
    this.socket.off('data', this.onData).off('end', this.onEnd).off('close', this.onEnd).off('error', this.onError);
    this.socket.pause();
    return this.socket;
  }

  /** Ends the connection; pending reads fail with the error. */
  fail(error: Error): void {
    this.problem ??= error;
    this.socket.destroy();
    this.wake();
  }

  private async rawLine(): Promise<Buffer> {
    for (let from = 0; ; from = Math.max(0, this.buffered.length - 1), await this.more()) {
      const end = this.buffered.indexOf(10, from);
      if ((end < 0 ? this.buffered.length : end) > this.limits.maxLineBytes)
        this.fail(new Error('a line of the answer is too long'));
      else if (end >= 0) return withoutReturn(this.take(end + 1).subarray(0, -1));
    }
  }

  private async bytes(count: number): Promise<Buffer> {
    if (count > this.limits.maxLiteralBytes) this.fail(new Error('a text of the answer is too long'));
    while (this.buffered.length < count) await this.more();
    return this.take(count);
  }

  private take(count: number): Buffer {
    const taken = this.buffered.subarray(0, count);
    this.buffered = this.buffered.subarray(count);
    return taken;
  }

  private async more(): Promise<void> {
    if (this.problem) throw this.problem;
    await new Promise<void>((resolve) => (this.wake = resolve));
  }
}

const withoutReturn = (line: Buffer): Buffer => (line.at(-1) === 13 ? line.subarray(0, -1) : line);

const TOKEN = /[ \t]*(?:"((?:[^"\\]|\\.)*)"|([()])|([^\s"()]+))/y;

function tokensOf(line: string): SieveToken[] {
  const tokens: SieveToken[] = [];
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(line); found; found = TOKEN.exec(line)) {
    const [, quoted, mark, atom] = found;
    tokens.push(
      quoted === undefined
        ? { kind: 'atom', value: mark ?? atom! }
        : { kind: 'string', value: quoted.replace(/\\(.)/g, '$1') },
    );
  }
  return tokens;
}
