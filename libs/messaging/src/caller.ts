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
import { callHeaders, fromWireError, HEADER, type Beside, type OutgoingCall, type WireError } from './wire';

/** A successful answer whose bytes nobody looked at. */
export interface RawReply {
  readonly status?: number;
  /** The envelope's timestamp, ms UTC. */
  readonly timestamp?: number;
  readonly warnings?: readonly CatalogueError[];
  readonly cookies?: readonly CookieChange[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly file?: FileReply['file'];
  /** JSON of the result; empty when there is none; a stream when it is larger than one message. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Longest time a call may take unless the operation or the caller says otherwise, ms. */
export const DEFAULT_DEADLINE_MS = 30_000;

const EMPTY = new Uint8Array(0);
const decoder = new TextDecoder();

/** Calls operations of other processes. One per process is enough. */
export class Caller {
  constructor(private readonly bus: Bus) {}

  /**
   * Calls an operation and parses its result.
   * @throws the catalogue error of the operation; SVL-0032 when nobody answers for the module; SVL-0033 at the deadline
   */
  async call<O extends Operation>(
    operation: O,
    call: OutgoingCall & { query?: QueryOf<O>; body?: BodyOf<O> },
  ): Promise<ResultOf<O>> {
    const { body } = await this.request(operation, call);
    const bytes = body instanceof Uint8Array ? body : Buffer.concat(await collect(body));
    return (bytes.length === 0 ? undefined : JSON.parse(decoder.decode(bytes))) as ResultOf<O>;
  }

  /** Calls an operation and passes on the bytes of its result. Throws like {@link call}. */
  request(operation: Operation, call: OutgoingCall): Promise<RawReply> {
    const deadline = call.deadline ?? Date.now() + (operation.deadlineMs ?? DEFAULT_DEADLINE_MS);
    const waitMs = deadline - Date.now();
    if (waitMs <= 0) return Promise.reject(RequestErrors.deadlinePassed(operation.module));
    const { query, body, files, edge } = call;
    const data = Buffer.from(JSON.stringify({ query, body, files: files?.length ? files : undefined, edge }));
    if (data.length > this.bus.maxBodyBytes)
      return Promise.reject(UploadErrors.tooLarge(data.length, this.bus.maxBodyBytes));
    if (!this.bus.isConnected) return Promise.reject(RequestErrors.serviceUnavailable(operation.module));

    return new Promise<RawReply>((resolve, reject) => {
      let receiver: ChunkReceiver | undefined;
      const finish = () => {
        clearTimeout(timer);
        inbox.dispose();
        call.signal?.removeEventListener('abort', abort);
      };
      const fail = (error: Error) => {
        finish();
        if (receiver) receiver.fail(error);
        else reject(error);
      };
      const cancel = () => this.bus.publish(this.bus.subject('cancel'), Buffer.from(inbox.subject));
      const abort = () => {
        cancel();
        fail(RequestErrors.deadlinePassed(operation.module));
      };
      const inbox = this.bus.listen((message) => {
        const chunk = message.headers?.get(HEADER.chunk);
        if (!chunk) {
          if (message.headers?.get(HEADER.errorCode)) return fail(errorOf(message));
          finish();
          if (message.headers?.code === 503) return reject(RequestErrors.serviceUnavailable(operation.module));
          return resolve(replyOf(message, message.data));
        }
        // The deadline is for the first bytes: a slow reader of a long answer is limited by the credits.
        clearTimeout(timer);
        if (!receiver) {
          const creditSubject = message.reply;
          const send = (text: string) => creditSubject && this.bus.publish(creditSubject, Buffer.from(text));
          receiver = new ChunkReceiver(
            (chunks) => send(String(chunks)),
            () => {
              send('0');
              finish();
            },
          );
          resolve(replyOf(message, receiver));
        }
        receiver.push(message.data, chunk === 'end');
        if (chunk === 'end') finish();
      });
      const timer = setTimeout(() => {
        cancel();
        fail(RequestErrors.deadlinePassed(operation.module));
      }, waitMs);
      call.signal?.addEventListener('abort', abort, { once: true });
      try {
        this.bus.publish(this.bus.subject(operation.subject), data, {
          reply: inbox.subject,
          headers: callHeaders(call, deadline, call.requestId ?? randomUUID()),
        });
      } catch {
        fail(RequestErrors.serviceUnavailable(operation.module));
      }
    });
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

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}
