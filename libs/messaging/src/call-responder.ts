import {
  FileReply,
  JsonText,
  Reply,
  type CatalogueError,
  type Operation,
  type Principal,
  type ReplyOptions,
} from '@groupware/contracts';
import { headers as natsHeaders, type Msg, type MsgHdrs } from 'nats';
import type { Bus } from './bus';
import { CALLER_REPLY } from './bus-permissions';
import type { CallLabels } from './call-labels';
import { CHUNK_BYTES, ChunkCredit, encodeInSlices, encodeList, pieces } from './chunks';
import type { KeptReply, ReplyStore } from './idempotent-calls';
import type { LazyAbort } from './lazy-abort';
import { errorBytes, errorHeaders, HEADER, responseHeaders, wireError, type ResponseMetadata } from './wire';

/** Options of a responder: those of its module server that answers depend on. */
export interface ResponderOptions {
  readonly replies?: ReplyStore;
  readonly showsStack?: (principal: Principal) => boolean;
  readonly inspect?: { result(operation: Operation, result: unknown): void };
}

/** Sends results and errors of calls in our wire form. */
export class CallResponder {
  constructor(
    private readonly bus: Bus,
    private readonly options: ResponderOptions,
  ) {}

  /** Sends a result, in pieces when it is long, and keeps it where the call has a key of a client. */
  async respond(
    message: Msg,
    { operation, principal, key }: CallLabels,
    result: unknown,
    abort: LazyAbort,
  ): Promise<void> {
    const { data, beside } = split(result);
    this.options.inspect?.result(operation, data);
    if (!message.reply) return;
    const headers = responseHeaders(beside);
    const source = data instanceof JsonText ? data.text : data;
    if (isStream(source)) return this.stream(message, operation, source, headers, abort);
    const { maxBodyBytes } = this.bus;
    // Encoding all of a long text at once would hold up all other calls.
    const text = data instanceof JsonText && typeof data.text === 'string' ? data.text : '';
    if (text.length > maxBodyBytes && key?.origin !== 'client')
      return this.stream(message, operation, encodeInSlices(text), headers, abort);
    const bytes = await serialise(data);
    if (key?.origin === 'client')
      await this.options.replies?.keep(key, principal, { bytes, metadata: headers?.get(HEADER.metadata) });
    if (bytes.length > maxBodyBytes) return this.stream(message, operation, bytes, headers, abort);
    this.bus.respond(message, bytes, headers && { headers });
  }

  /** Answers what was answered before. */
  repeat(message: Msg, { bytes, metadata: beside }: KeptReply): void {
    const headers = natsHeaders();
    if (beside) headers.set(HEADER.metadata, beside);
    this.bus.respond(message, bytes, beside ? { headers } : undefined);
  }

  private async stream(
    message: Msg,
    operation: Operation,
    source: Uint8Array | AsyncIterable<Uint8Array>,
    firstHeaders: MsgHdrs | undefined,
    abort: LazyAbort,
  ): Promise<void> {
    const { bus } = this;
    const credit = new ChunkCredit(operation.module, bus.streamPatienceMs);
    const inbox = bus.listen(CALLER_REPLY, (granted) => credit.receive(Number(granted.string())));
    abort.onCancel = () => {
      abort.cancelled();
      credit.receive(0);
    };
    let number = 0;
    const send = (piece: Uint8Array | undefined) => {
      const headers = (number === 0 && firstHeaders) || natsHeaders();
      headers.set(HEADER.chunk, String(number));
      if (!piece) headers.set(HEADER.last, '1');
      number += 1;
      bus.publish(message.reply!, piece, { reply: inbox.subject, headers });
    };
    try {
      for await (const piece of pieces(source, Math.min(bus.maxBodyBytes, CHUNK_BYTES))) {
        if (!(await credit.take())) return;
        send(piece);
      }
      if (!credit.isCancelled) send(undefined);
    } finally {
      inbox.dispose();
    }
  }

  /** Sends an error; no caller can be told when even that fails. */
  refuse(message: Msg, failure: CatalogueError, principal: Principal): void {
    if (!message.reply) return;
    try {
      const bytes = errorBytes(failure, this.bus.maxBodyBytes, this.options.showsStack?.(principal));
      this.bus.respond(message, bytes, { headers: errorHeaders(failure) });
    } catch {
      // The connection is closed: the caller's deadline does the rest.
    }
  }
}

const EMPTY = Buffer.alloc(0);

/** The reply as it is kept; undefined for a stream. */
export async function toKeptReply(result: unknown): Promise<KeptReply | undefined> {
  const { data, beside } = split(result);
  if (isStream(data instanceof JsonText ? data.text : data)) return undefined;
  return { bytes: await serialise(data), metadata: responseHeaders(beside)?.get(HEADER.metadata) };
}

const isStream = (data: unknown): data is AsyncIterable<Uint8Array> =>
  typeof data === 'object' && data !== null && Symbol.asyncIterator in data;

async function serialise(data: unknown): Promise<Uint8Array> {
  if (data === undefined || data === EMPTY) return EMPTY;
  if (data instanceof JsonText)
    return typeof data.text === 'string' ? Buffer.from(data.text) : (data.text as Uint8Array);
  return Array.isArray(data) ? encodeList(data) : Buffer.from(JSON.stringify(data));
}

function split(result: unknown): { data: unknown; beside?: ResponseMetadata } {
  if (result instanceof Reply) return { data: result.data, beside: toResponseMetadata(result.options) };
  if (result instanceof FileReply) {
    const { content, file, options } = result;
    const beside = { ...toResponseMetadata(options), file: content ? { ...file, streamed: true } : file };
    return { data: content && new JsonText(content), beside };
  }
  return { data: result };
}

const toResponseMetadata = ({ warnings, ...rest }: ReplyOptions): ResponseMetadata => ({
  ...rest,
  ...(warnings?.length ? { warnings: warnings.map(wireError) } : {}),
});
