import { randomUUID } from 'node:crypto';
import {
  RequestErrors,
  UploadErrors,
  type BodyOf,
  type CatalogueError,
  type CookieChange,
  type FileReply,
  type Operation,
  type QueryOf,
  type ResultOf,
} from '@groupware/contracts';
import type { Msg } from 'nats';
import type { Bus } from './bus';
import { ChunkReceiver } from './chunks';
import {
  callHeaders,
  fromWireError,
  HEADER,
  type Beside,
  type CallSurroundings,
  type OutgoingCall,
  type WireError,
} from './wire';

/** A successful answer whose bytes nobody looked at. */
export interface RawReply {
  readonly status?: number;
  /** The envelope's timestamp, ms UTC. */
  readonly timestamp?: number;
  readonly warnings?: readonly CatalogueError[];
  readonly cookies?: readonly CookieChange[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly file?: FileReply['file'];
  /**
   * JSON of the result; empty when there is none; a stream when it is larger than one message. A stream that is not read
   * to its end must be left with `break` or `return()`, so that its sender stops.
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Longest time a call may take unless the operation or the caller says otherwise, ms. */
export const DEFAULT_DEADLINE_MS = 30_000;

const EMPTY = new Uint8Array(0);
const NOTHING: CallSurroundings = {};
const decoder = new TextDecoder();
const nothing = (): void => undefined;

/** Calls operations of other processes. One per process is enough. */
export class Caller {
  /** @param surroundings what a call made now inherits from the call being answered, if any */
  constructor(
    private readonly bus: Bus,
    private readonly surroundings: () => CallSurroundings | undefined = () => undefined,
  ) {}

  /**
   * Calls an operation and parses its result.
   * @throws the catalogue error of the operation; SVL-0032 when nobody answers for the module; SVL-0033 at the deadline
   * and when the signal aborts; UPL-0005 when the call does not fit into a message
   */
  async call<O extends Operation>(
    operation: O,
    call: OutgoingCall & { query?: QueryOf<O>; body?: BodyOf<O> },
  ): Promise<ResultOf<O>> {
    const { body } = await this.request(operation, call);
    const bytes = body instanceof Uint8Array ? body : await collect(body);
    return (bytes.length === 0 ? undefined : JSON.parse(decoder.decode(bytes))) as ResultOf<O>;
  }

  /** Calls an operation and passes on the bytes of its result. Throws like {@link call}. */
  request(operation: Operation, call: OutgoingCall): Promise<RawReply> {
    const { bus } = this;
    const outer = this.surroundings() ?? NOTHING;
    const now = Date.now();
    const deadline =
      call.deadline ?? Math.min(now + (operation.deadlineMs ?? DEFAULT_DEADLINE_MS), outer.deadline ?? Infinity);
    if (deadline <= now || call.signal?.aborted) return Promise.reject(RequestErrors.deadlinePassed(operation.module));
    if (!bus.isConnected) return Promise.reject(RequestErrors.serviceUnavailable(operation.module));
    const { query, body, files, edge } = call;
    const data = Buffer.from(JSON.stringify({ query, body, files: files?.length ? files : undefined, edge }));
    if (data.length > bus.maxBodyBytes) return Promise.reject(UploadErrors.tooLarge(data.length, bus.maxBodyBytes));

    return new Promise<RawReply>((resolve, reject) => {
      const pending = new PendingCall(bus, operation.module, call.signal, deadline - now, resolve, reject);
      call.whenGone?.(pending.cancel);
      try {
        bus.publish(bus.subject(operation.subject), data, {
          reply: pending.subject,
          headers: callHeaders(
            call,
            deadline,
            call.requestId ?? outer.requestId ?? randomUUID(),
            call.trace ?? outer.trace,
            outer.onBehalf,
          ),
        });
      } catch {
        pending.fail(RequestErrors.serviceUnavailable(operation.module));
      }
    });
  }
}

/** One call under way: from the message that asks to the last byte of the answer. */
class PendingCall {
  /** Where the answer goes. */
  readonly subject: string;
  private readonly dispose: () => void;
  private readonly timer: NodeJS.Timeout;
  private receiver: ChunkReceiver | undefined;
  private isFinished = false;

  constructor(
    private readonly bus: Bus,
    private readonly module: string,
    private readonly signal: AbortSignal | undefined,
    waitMs: number,
    private resolve: (reply: RawReply) => void,
    private reject: (error: Error) => void,
  ) {
    ({ subject: this.subject, dispose: this.dispose } = bus.listen((message) => this.receive(message)));
    this.timer = setTimeout(this.cancel, waitMs);
    signal?.addEventListener('abort', this.cancel, { once: true });
  }

  fail(error: Error): void {
    this.finish();
    if (this.receiver) this.receiver.fail(error);
    else this.reject(error);
    this.forget();
  }

  /** Nobody waits any more: tells the service, which may save itself the rest. */
  readonly cancel = (): void => {
    if (this.isFinished) return;
    this.bus.hint(this.bus.subject('cancel'), this.subject);
    this.fail(RequestErrors.deadlinePassed(this.module));
  };

  private finish(): void {
    this.isFinished = true;
    clearTimeout(this.timer);
    this.dispose();
    this.signal?.removeEventListener('abort', this.cancel);
  }

  private receive(message: Msg): void {
    const { headers } = message;
    if (!headers) {
      this.finish();
      return this.succeed({ body: message.data });
    }
    if (headers.code === 503) return this.fail(RequestErrors.serviceUnavailable(this.module));
    if (headers.has(HEADER.errorCode)) return this.fail(errorOf(message));
    const number = headers.get(HEADER.chunk);
    if (number) return this.receiveChunk(message, Number(number), headers.has(HEADER.last));
    this.finish();
    this.succeed(replyOf(message, message.data));
  }

  private succeed(reply: RawReply): void {
    this.resolve(reply);
    this.forget();
  }

  /**
   * Lets go of the promise, and with it of the reply. A Map that others come into and leave keeps what it held for a while
   * (its former tables know their successors), so that every second reply would grow old, which makes collecting dear.
   */
  private forget(): void {
    this.resolve = this.reject = nothing;
  }

  private receiveChunk(message: Msg, number: number, last: boolean): void {
    // The deadline is for the first bytes: the rest of a long answer is limited by the patience of both ends.
    clearTimeout(this.timer);
    const first = !this.receiver;
    this.receiver ??= this.receiverFor(message.reply);
    this.receiver.push(message.data, number, last);
    if (last) this.finish();
    if (first) this.succeed(replyOf(message, this.receiver));
  }

  private receiverFor(creditSubject: string | undefined): ChunkReceiver {
    const send = (text: string) => creditSubject && this.bus.hint(creditSubject, text);
    return new ChunkReceiver(
      this.module,
      {
        grant: (chunks) => send(String(chunks)),
        abandon: () => {
          send('0');
          this.finish();
        },
      },
      this.bus.streamPatienceMs,
    );
  }
}

function errorOf(message: Msg): CatalogueError {
  return fromWireError(JSON.parse(decoder.decode(message.data)) as WireError);
}

function replyOf(message: Msg, body: Uint8Array | AsyncIterable<Uint8Array>): RawReply {
  const text = message.headers?.get(HEADER.beside);
  if (!text) return { body: body ?? EMPTY };
  const { warnings, ...beside } = JSON.parse(text) as Beside;
  return { ...beside, ...(warnings ? { warnings: warnings.map(fromWireError) } : {}), body };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
