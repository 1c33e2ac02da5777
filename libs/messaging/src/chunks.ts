import { setImmediate } from 'node:timers/promises';
import { RequestErrors } from '@groupware/contracts';

/** Chunks that may be under way before the receiver grants more. */
const CREDIT_WINDOW = 8;
/** The receiver grants credits in steps of so many chunks. */
const CREDIT_STEP = 4;
/** Size of one piece of a streamed answer, bytes; smaller where the server's messages are smaller. */
export const CHUNK_BYTES = 256 * 1024;
/** Small pieces of a stream are gathered up to this size, so that credits and messages are not spent on lines, bytes. */
const GATHER_BYTES = 64 * 1024;

/** Events that a receiver tells the sender and its owner. */
export interface ReceiverEvents {
  /** So many more chunks may come. */
  readonly grant: (chunks: number) => void;
  /** Nothing more is wanted or expected before the end was seen. */
  readonly abandon: () => void;
}

/**
 * The receiving end of a streamed answer: an async iterable that grants credits while it is consumed. It fails when a
 * chunk is missing, and when neither end does anything for too long: no reader may wait for a process that died.
 */
export class ChunkReceiver implements AsyncIterable<Uint8Array> {
  private readonly queue: Uint8Array[] = [];
  private readonly idle: NodeJS.Timeout;
  private finished = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;
  private consumed = 0;
  private received = 0;

  constructor(
    private readonly module: string,
    private readonly events: ReceiverEvents,
    patienceMs: number,
  ) {
    this.idle = setTimeout(() => this.giveUp(RequestErrors.deadlinePassed(module)), patienceMs);
  }

  /** Takes the next chunk; `number` counts from 0, so that one lost with a connection is noticed. */
  push(bytes: Uint8Array, number: number, last: boolean): void {
    if (this.finished || this.failure) return;
    if (number !== this.received) return this.giveUp(RequestErrors.serviceUnavailable(this.module));
    this.received += 1;
    this.idle.refresh();
    if (bytes.length > 0) this.queue.push(bytes);
    if (last) this.finish();
    this.wake?.();
  }

  /** Ends the stream with an error, after the chunks that came before it. */
  fail(error: Error): void {
    if (this.finished) return;
    this.failure ??= error;
    clearTimeout(this.idle);
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.queue.shift();
        if (next) {
          this.consumed += 1;
          if (!this.finished) {
            this.idle.refresh();
            if (this.consumed % CREDIT_STEP === 0) this.events.grant(CREDIT_STEP);
          }
          yield next;
        } else if (this.failure) throw this.failure;
        else if (this.finished) return;
        else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      if (!this.finished && !this.failure) {
        this.finish();
        this.events.abandon();
      }
    }
  }

  private finish(): void {
    this.finished = true;
    clearTimeout(this.idle);
  }

  private giveUp(error: Error): void {
    if (this.finished || this.failure) return;
    this.fail(error);
    this.events.abandon();
  }
}

/** The sending end: knows how many chunks the receiver will take. */
export class ChunkCredit {
  private available = CREDIT_WINDOW;
  private cancelled = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly module: string,
    private readonly patienceMs: number,
  ) {}

  /** Called with what the receiver sent: a number of chunks, or 0 to stop. */
  receive(chunks: number): void {
    if (chunks > 0) this.available += chunks;
    else this.cancelled = true;
    this.wake?.();
  }

  /** True once the receiver wants nothing more. */
  get isCancelled(): boolean {
    return this.cancelled;
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
      if (!granted) throw RequestErrors.deadlinePassed(this.module);
    }
    this.available -= 1;
    return !this.cancelled;
  }
}

/** Text is encoded in slices of so many characters: mostly a piece each, as messages of 64 KiB cost the bus a third more. */
const SLICE_CHARACTERS = 256 * 1024;

/** Encodes a text slice by slice, as they are taken. No character is cut in two. */
export async function* encodeInSlices(text: string): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + SLICE_CHARACTERS, text.length);
    const last = text.charCodeAt(end - 1);
    const isCut = end < text.length && last >= 0xd800 && last < 0xdc00;
    if (isCut) end += 1;
    yield Buffer.from(text.slice(start, end));
    start = end;
  }
}

/**
 * Cuts bytes, or a stream of them, into pieces of at most `size` bytes. The first bytes of a stream go out at once, for
 * the caller waits for them; later ones are gathered.
 */
export async function* pieces(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) {
    yield* slices(source, size);
    return;
  }
  const enough = Math.min(GATHER_BYTES, size);
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let isFirst = true;
  const take = () => {
    const whole = gathered.length === 1 ? gathered[0]! : Buffer.concat(gathered, gatheredBytes);
    gathered = [];
    gatheredBytes = 0;
    return whole;
  };
  for await (const bytes of source) {
    if (bytes.length === 0) continue;
    gathered.push(bytes);
    gatheredBytes += bytes.length;
    if (isFirst || gatheredBytes >= enough) yield* slices(take(), size);
    isFirst = false;
  }
  if (gatheredBytes > 0) yield* slices(take(), size);
}

function* slices(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}

/** Elements of a list that are written in one go. */
const ELEMENTS_AT_ONCE = 2_000;

/** A list as JSON; long ones are written in slices, since all at once would hold up all other calls. */
export async function encodeList(list: readonly unknown[]): Promise<Uint8Array> {
  if (list.length <= ELEMENTS_AT_ONCE) return Buffer.from(JSON.stringify(list));
  const slices: Uint8Array[] = [];
  for (let at = 0; at < list.length; at += ELEMENTS_AT_ONCE) {
    const slice = JSON.stringify(list.slice(at, at + ELEMENTS_AT_ONCE));
    slices.push(Buffer.from(`${at === 0 ? '[' : ','}${slice.slice(1, -1)}`));
    await setImmediate();
  }
  return Buffer.concat([...slices, Buffer.from(']')]);
}
