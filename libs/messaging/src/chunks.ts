import { RequestErrors } from '@groupware/contracts';

/** Chunks that may be under way before the receiver grants more. */
export const CREDIT_WINDOW = 8;
/** The receiver grants credits in steps of so many chunks. */
export const CREDIT_STEP = 4;

/** The receiving end of a streamed answer: an async iterable that grants credits while it is consumed. */
export class ChunkReceiver implements AsyncIterable<Uint8Array> {
  private readonly queue: Uint8Array[] = [];
  private finished = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;
  private consumed = 0;

  constructor(
    private readonly grant: (chunks: number) => void,
    private readonly cancel: () => void,
  ) {}

  push(bytes: Uint8Array, last: boolean): void {
    if (bytes.length > 0) this.queue.push(bytes);
    this.finished ||= last;
    this.wake?.();
  }

  fail(error: Error): void {
    if (this.finished) return;
    this.failure = error;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.queue.shift();
        if (next) {
          this.consumed += 1;
          if (this.consumed % CREDIT_STEP === 0) this.grant(CREDIT_STEP);
          yield next;
        } else if (this.failure) throw this.failure;
        else if (this.finished) return;
        else await new Promise<void>((resolve) => (this.wake = resolve));
        this.wake = undefined;
      }
    } finally {
      if (!this.finished) this.cancel();
    }
  }
}

/** The sending end: knows how many chunks the receiver will take. */
export class ChunkCredit {
  private available = CREDIT_WINDOW;
  private cancelled = false;
  private wake: (() => void) | undefined;

  constructor(private readonly patienceMs: number) {}

  /** Called with what the receiver sent: a number of chunks, or 0 to stop. */
  receive(chunks: number): void {
    if (chunks === 0) this.cancelled = true;
    this.available += chunks;
    this.wake?.();
  }

  /**
   * Waits until one more chunk may be sent.
   * @returns false when the receiver went away
   * @throws SVL-0033 when the receiver grants nothing for too long
   */
  async take(): Promise<boolean> {
    while (this.available === 0 && !this.cancelled) {
      const granted = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), this.patienceMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      if (!granted) throw RequestErrors.deadlinePassed('stream');
    }
    this.available -= 1;
    return !this.cancelled;
  }
}

/** Cuts bytes, or a stream of them, into pieces of at most `size` bytes. */
export async function* pieces(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  const whole = source instanceof Uint8Array ? [source] : source;
  for await (const bytes of whole)
    for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}
