import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import {
  activeTracer,
  CatalogueError,
  FileReply,
  JsonText,
  parseJsonInSlices,
  Reply,
  RequestErrors,
  SLICE_BYTES,
  type Operation,
  type Principal,
  type ReplyOptions,
  type Span,
} from '@groupware/contracts';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { headers as natsHeaders, type Msg, type MsgHdrs, type Subscription } from 'nats';
import { firstValueFrom, isObservable } from 'rxjs';
import type { Bus } from './bus';
import type { CallBody } from './call-body';
import { CallKey, parseKeyHeader, takesClaim, takesKey } from './call-key';
import { CALLER_REPLY } from './bus-permissions';
import { DEFAULT_DEADLINE_MS } from './caller';
import { CHUNK_BYTES, ChunkCredit, encodeInSlices, encodeList, pieces } from './chunks';
import { principalFor } from './principals';
import { BEAT_TICKS } from './replicas';
import {
  responseHeaders,
  directSubject,
  errorBytes,
  errorHeaders,
  HEADER,
  isSafe,
  wireError,
  type ResponseMetadata,
} from './wire';

/** How one call ended, for logs and metrics. */
export interface CallOutcome {
  readonly operation: Operation;
  readonly principal: Principal;
  readonly requestId: string;
  readonly durationMs: number;
  /** `ok`, or the code of the error. */
  readonly code: string;
  readonly error?: CatalogueError;
}

/** Facts about a call known before its handler runs. */
export interface CallLabels {
  readonly operation: Operation;
  readonly principal: Principal;
  readonly requestId: string;
  /** W3C trace context. */
  readonly trace?: string;
  /** Point in time (ms UTC) after which no caller waits. */
  readonly deadline: number;
  /** See {@link CallContext.onBehalf}. */
  readonly onBehalf?: string;
  /** The idempotency key, for an operation that takes one. */
  readonly key?: CallKey;
}

/** A reply as it is kept under the key of its call. */
export interface KeptReply {
  readonly bytes: Uint8Array;
  readonly metadata?: string;
}

/** Store of replies to calls with keys that clients chose. */
export interface ReplyStore {
  /** @throws SVL-0036 when the key was used for another request */
  find(key: CallKey, principal: Principal): Promise<KeptReply | undefined>;
  keep(key: CallKey, principal: Principal, reply: KeptReply): Promise<void>;
  /** Whether a transaction of the call was committed before. */
  isDone(key: CallKey, principal: Principal): Promise<boolean>;
}

/** Store of calls whose effects are not in the database: each is begun once for its key. */
export interface ClaimStore {
  /**
   * Takes a key for a call that begins: `mine` for the first one; then what is known of that.
   * @throws SVL-0036 when the key was used for another request, SVL-0032 when the store is away
   */
  claim(key: CallKey, service: string): Promise<'mine' | 'begun' | 'replyLost' | KeptReply>;
  /** Keeps what a call answered; without a reply, that it was done. */
  keep(key: CallKey, reply: KeptReply | undefined): Promise<void>;
  /** Gives the key back: nothing was done. */
  release(key: CallKey): Promise<void>;
}

/** Calls that one service answers at the same time unless the options say otherwise. */
export const DEFAULT_MAX_RUNNING = 1000;
const DEFAULT_KEY_LIFETIME_MS = 24 * 3_600_000;

/** Options of a module server. */
export interface ModuleServerOptions {
  readonly bus: Bus;
  /** Queue group: each call reaches one process of the service. */
  readonly service: string;
  readonly operations: readonly Operation[];
  /** Calls beyond so many under way are answered with SVL-0032 at once. Default {@link DEFAULT_MAX_RUNNING}. */
  readonly maxRunning?: number;
  /** Told about every call that ended. */
  readonly observe?: (outcome: CallOutcome) => void;
  /** Runs a handler with log labels in place. */
  readonly within?: <T>(labels: CallLabels, run: () => Promise<T>) => Promise<T>;
  /** Whether errors answered to a caller carry their stack. Default: never. */
  readonly showsStack?: (principal: Principal) => boolean;
  /** Awaited after each slice of a large message. */
  readonly pause?: () => Promise<void> | undefined;
  /** Default: such a call is answered anew, by what its transactions noted. */
  readonly replies?: ReplyStore;
  /** How long a key that a client chose is remembered, ms. */
  readonly keyLifetimeMs?: number;
  /** Looks at calls and results, in tests: a caller or model that lies is found early. */
  readonly inspect?: {
    call(operation: Operation, call: CallBody): void;
    result(operation: Operation, result: unknown): void;
  };
}

/** Ticks after which a caller hears for the first time that its call is worked on: most calls never get there. */
const FIRST_BEAT_TICKS = 2;
/** Longest wait for a caller that is asked whether a call may begin, ms. */
const CLAIM_TIMEOUT_MS = 5_000;
/** A call with a key that another one has waits so long for the end of that, ms: it may be under way. */
const SAME_CALL_WAIT_MS = 3_000;
const SAME_CALL_PAUSE_MS = 100;

const node = randomBytes(4).toString('hex');
let errors = 0;

/** A fresh id for an error: unique over processes and restarts. */
export const freshErrorId = (): string => `${node}-${(errors += 1)}`;

const ANONYMOUS: Principal = { kind: 'anonymous' };
const decoder = new TextDecoder();
const nothing = (): undefined => undefined;

/**
 * The Nest transport strategy of one module: subscribes to the subjects of its operations, runs handlers, and sends
 * results and errors in our wire form. Closing waits for the calls under way.
 */
export class ModuleServer extends Server implements CustomTransportStrategy {
  /** In the queue group of the service. */
  private group: Subscription[] = [];
  private readonly others: Subscription[] = [];
  private readonly handled = new Map<string, (message: Msg) => void>();
  private readonly running = new Map<string, LazyAbort>();
  /** Claims of calls with effects elsewhere; a service with such operations has a store of them. */
  private claims: ClaimStore | undefined;
  private isClosing = false;
  private stopBeats: () => void = () => undefined;
  private idle: (() => void) | undefined;

  constructor(private readonly options: ModuleServerOptions) {
    super();
  }

  /** Sets the store of claims, before the first call. */
  useClaims(claims: ClaimStore | undefined): void {
    this.claims = claims;
  }

  /** Called by Nest once all handlers are known. */
  listen(callback: (error?: unknown) => void): void {
    const { bus, service, operations } = this.options;
    for (const operation of operations) {
      const handler = this.getHandlerByPattern(operation.subject);
      if (handler) this.handled.set(operation.subject, (message) => void this.answer(operation, handler, message));
    }
    const direct = bus.subject(directSubject(bus.replica, service, ''));
    this.others.push(
      bus.connection.subscribe(`${direct}>`, {
        callback: (_error, message) => this.receiveDirect(message, message.subject.slice(direct.length)),
      }),
      bus.connection.subscribe(bus.subject('cancel'), {
        callback: (_error, message) => this.running.get(message.string())?.cancel(),
      }),
    );
    this.stopBeats = bus.onTick(() => this.beat());
    this.join().then(() => callback(), callback);
  }

  /** Takes calls: its share of those of the service. */
  async join(): Promise<void> {
    const { bus, service } = this.options;
    if (this.isClosing || this.group.length > 0) return;
    const subscribe = (name: string, receive: (message: Msg) => void) =>
      bus.connection.subscribe(bus.subject(name), {
        queue: service,
        callback: (_error, message) => receive(message),
      });
    this.group = [...this.handled].map(([subject, receive]) => subscribe(subject, receive));
    this.group.push(subscribe(`ping.${service}`, (message) => void message.respond()));
    bus.announce(service, true);
    await bus.flush();
  }

  /** A caller that has not heard yet that this process left is told what the server tells where nobody listens. */
  private receiveDirect(message: Msg, subject: string): void {
    const receive = this.handled.get(subject);
    if (receive && this.group.length > 0) receive(message);
    else message.respond(undefined, { headers: natsHeaders(503, 'No Responders') });
  }

  /** Takes no new calls; those under way go on. A caller finds another process, or hears at once that there is none. */
  async leave(): Promise<void> {
    this.options.bus.announce(this.options.service, false);
    const group = this.group;
    this.group = [];
    await Promise.all(group.map((subscription) => subscription.drain().catch(() => undefined)));
  }

  /** Takes no new calls, then waits for those under way. The connection stays open: it belongs to the process. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.leave();
    await Promise.all(this.others.map((subscription) => subscription.drain().catch(() => undefined)));
    if (this.running.size > 0) await new Promise<void>((resolve) => (this.idle = resolve));
    this.stopBeats();
    await this.options.bus.flush().catch(() => undefined);
  }

  /** Calls under way. */
  get load(): number {
    return this.running.size;
  }

  override on(): never {
    throw new Error('the module server has no events');
  }

  override unwrap<T>(): T {
    return this.options.bus.connection as T;
  }

  /** Tells callers of calls that take longer that they are worked on. */
  private beat(): void {
    for (const [subject, call] of this.running)
      if (call.isBegun && (call.ticks += 1) % BEAT_TICKS === FIRST_BEAT_TICKS) this.tellWorking(subject);
  }

  private tellWorking(subject: string, claim?: string): void {
    const headers = natsHeaders();
    headers.set(HEADER.working, claim ? '?' : '1');
    const { bus } = this.options;
    if (bus.isConnected) bus.publish(subject, undefined, { headers, ...(claim ? { reply: claim } : {}) });
  }

  /**
   * Whether to begin a call that must not be done twice. Its caller may have turned to another process meanwhile, so it is asked;
   * it says yes once, and sends the call nowhere else from then on. A key does the same without a question.
   */
  private async mayBegin({ reply, headers }: Msg, operation: Operation, call: LazyAbort): Promise<boolean> {
    if (!reply || isSafe(operation, headers)) return true;
    return (await this.isWanted(reply, call)) && !call.isCancelled;
  }

  private isWanted(subject: string, call: LazyAbort): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isWanted: boolean) => {
        clearTimeout(timer);
        claim.dispose();
        call.onCancel = undefined;
        resolve(isWanted);
      };
      // At once, for the same call may come again right behind: a slow process must not be full with calls given up.
      call.onCancel = () => {
        this.running.delete(subject);
        end(false);
      };
      const claim = this.options.bus.listen(CALLER_REPLY, ({ headers }) => end(headers?.code !== 503));
      const timer = setTimeout(end, CLAIM_TIMEOUT_MS, false);
      this.tellWorking(subject, claim.subject);
    });
  }

  /** Answers one call. Never rejects: its promise is not awaited. */
  private async answer(operation: Operation, handler: MessageHandler, message: Msg): Promise<void> {
    const started = performance.now();
    const { headers } = message;
    const key = message.reply ?? freshErrorId();
    const requestId = headers?.get(HEADER.requestId) ?? '';
    let principal = ANONYMOUS;
    let failure: CatalogueError | undefined;
    const abort = new LazyAbort();
    const isOverloaded = this.running.size >= (this.options.maxRunning ?? DEFAULT_MAX_RUNNING);
    this.running.set(key, abort);
    const span = activeTracer()?.startSpan(
      `${operation.module}.${operation.name}`,
      'server',
      { 'rpc.system': 'nats', 'rpc.service': operation.module, 'rpc.method': operation.name },
      headers?.get(HEADER.trace) || undefined,
    );
    try {
      if (!(await this.mayBegin(message, operation, abort))) return;
      abort.isBegun = true;
      principal = principalFor(operation, this.options.bus.principals.read(headers));
      if (isOverloaded) throw RequestErrors.serviceUnavailable(operation.module);
      const deadline = Number(headers?.get(HEADER.deadline)) || Date.now() + DEFAULT_DEADLINE_MS;
      const received = (await this.parse(message)) as CallBody;
      this.options.inspect?.call(operation, received);
      const given = this.keyOf(operation, headers, received, deadline);
      const key = given && takesKey(operation) ? given : undefined;
      const labels = { operation, principal, requestId, deadline, ...(key ? { key } : {}) };
      const run = () => this.run(handler, message, received, labels, abort, span);
      const result = await this.beforeDeadline(
        given && !key ? this.runClaimed(labels, given, run) : this.runOnce(labels, run),
        deadline,
        operation,
        abort,
      );
      if (result instanceof Kept) this.repeat(message, result.reply);
      else await this.respond(message, labels, result, abort);
    } catch (error) {
      failure = toCatalogueError(error);
      this.refuse(message, failure, principal);
    } finally {
      span?.end(failure && { error: failure.code });
      this.running.delete(key);
      // A Map keeps what it held for a while, see `PendingCall`: it must not be the promise of the result.
      abort.onCancel = undefined;
      if (this.running.size === 0) this.idle?.();
    }
    try {
      this.options.observe?.({
        operation,
        principal,
        requestId,
        durationMs: performance.now() - started,
        code: failure?.code ?? 'ok',
        error: failure,
      });
    } catch {
      // An observer that fails must not end the process.
    }
  }

  private keyOf(
    operation: Operation,
    headers: MsgHdrs | undefined,
    body: CallBody,
    deadline: number,
  ): CallKey | undefined {
    const header = takesKey(operation) || takesClaim(operation) ? headers?.get(HEADER.callKey) : undefined;
    const parsed = header ? parseKeyHeader(header) : undefined;
    if (!parsed) return undefined;
    const lifetimeMs = this.options.keyLifetimeMs ?? DEFAULT_KEY_LIFETIME_MS;
    const call = { operation, body, deadline, lifetimeMs };
    return new CallKey(parsed.id, parsed.origin, headers!.has(HEADER.repeated), call);
  }

  /** Runs a call, or finds what was answered to it before. */
  private async runOnce({ operation, principal, key }: CallLabels, run: () => Promise<unknown>): Promise<unknown> {
    if (!key) return run();
    const { replies } = this.options;
    try {
      const kept = key.origin === 'client' ? await replies?.find(key, principal) : undefined;
      return kept ? new Kept(kept) : await run();
    } catch (error) {
      const isReused = error instanceof CatalogueError && error.is(RequestErrors.keyReused);
      if (isReused) throw operation.keyReused?.() ?? error;
      // It failed before it came to what was done before, which may be why.
      const isDone = key.isRepeat && key.stepsDone === 0 && (await replies?.isDone(key, principal));
      throw isDone ? RequestErrors.replyLost().with({ cause: error }) : error;
    } finally {
      key.endCall();
    }
  }

  /**
   * Runs a call whose effect is not in the database, unless one with its key was begun before. That it failed is told again by doing
   * it again, unless its failure leaves open what was done.
   */
  private async runClaimed(
    { operation, deadline }: CallLabels,
    key: CallKey,
    run: () => Promise<unknown>,
  ): Promise<unknown> {
    const { claims } = this;
    if (!claims) throw RequestErrors.serviceUnavailable(operation.module);
    const kept = await this.claim(claims, operation, key, deadline);
    if (kept) return kept;
    let result: unknown;
    try {
      result = await run();
    } catch (error) {
      if (!toCatalogueError(error).entry.mayBeDone) await claims.release(key);
      throw error;
    }
    await claims.keep(key, await toKept(result));
    return result;
  }

  /** Takes the key of a call; answers what the call before it answered. @throws SVL-0035 and SVL-0037 where that is not known */
  private async claim(
    claims: ClaimStore,
    operation: Operation,
    key: CallKey,
    deadline: number,
  ): Promise<Kept | undefined> {
    const end = Math.min(Date.now() + SAME_CALL_WAIT_MS, deadline);
    for (;;) {
      const state = await claims.claim(key, operation.service).catch((error: unknown) => {
        const isReused = error instanceof CatalogueError && error.is(RequestErrors.keyReused);
        throw isReused ? (operation.keyReused?.() ?? error) : error;
      });
      if (state === 'mine') return undefined;
      if (state === 'replyLost') throw RequestErrors.replyLost();
      if (state !== 'begun') return new Kept(state);
      if (Date.now() + SAME_CALL_PAUSE_MS >= end) throw RequestErrors.outcomeUnknown(operation.module);
      await new Promise((resolve) => setTimeout(resolve, SAME_CALL_PAUSE_MS));
    }
  }

  private run(
    handler: MessageHandler,
    message: Msg,
    received: CallBody,
    labels: CallLabels,
    abort: LazyAbort,
    span: Span | undefined,
  ): Promise<unknown> {
    const { within } = this.options;
    const { query = {}, body, files = [], edge } = received;
    const { principal, deadline, requestId } = labels;
    const idempotencyKey = message.headers?.get(HEADER.idempotencyKey);
    const trace = span?.traceparent ?? message.headers?.get(HEADER.trace);
    const call = {
      principal,
      query,
      body,
      files,
      edge,
      deadline,
      requestId,
      idempotencyKey: idempotencyKey ? decodeURIComponent(idempotencyKey) : undefined,
      get signal() {
        return abort.signal;
      },
    };
    const handle = async () => {
      const result = (await handler(call)) as unknown;
      return isObservable(result) ? firstValueFrom(result) : result;
    };
    const run = span ? () => span.within(handle) : handle;
    if (!within) return run();
    const onBehalf = message.headers?.get(HEADER.onBehalf);
    return within(trace || onBehalf ? { ...labels, trace, ...(onBehalf ? { onBehalf } : {}) } : labels, run);
  }

  /** Small messages are parsed at once, larger ones in slices. */
  private parse({ data }: Msg): unknown {
    if (data.length <= SLICE_BYTES) return data.length === 0 ? {} : JSON.parse(decoder.decode(data));
    const limits = { depth: Infinity, values: Infinity, members: Infinity };
    const { pause = nothing } = this.options;
    return parseJsonInSlices(Buffer.from(data.buffer, data.byteOffset, data.byteLength), { limits, pause });
  }

  /** Sends an error; no caller can be told when even that fails. */
  private refuse(message: Msg, failure: CatalogueError, principal: Principal): void {
    if (!message.reply) return;
    try {
      const { bus, showsStack } = this.options;
      const bytes = errorBytes(failure, bus.maxBodyBytes, showsStack?.(principal));
      message.respond(bytes, { headers: errorHeaders(failure) });
    } catch {
      // The connection is closed: the caller's deadline does the rest.
    }
  }

  private beforeDeadline(
    outcome: Promise<unknown>,
    deadline: number,
    operation: Operation,
    abort: LazyAbort,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        abort.cancelled();
        reject(RequestErrors.deadlinePassed(operation.module));
      };
      abort.onCancel = stop;
      const timer = setTimeout(stop, Math.max(deadline - Date.now(), 0));
      outcome.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  private async respond(
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
    const { maxBodyBytes } = this.options.bus;
    // Encoding all of a long text at once would hold up all other calls.
    const text = data instanceof JsonText && typeof data.text === 'string' ? data.text : '';
    if (text.length > maxBodyBytes && key?.origin !== 'client')
      return this.stream(message, operation, encodeInSlices(text), headers, abort);
    const bytes = await serialise(data);
    if (key?.origin === 'client')
      await this.options.replies?.keep(key, principal, { bytes, metadata: headers?.get(HEADER.metadata) });
    if (bytes.length > maxBodyBytes) return this.stream(message, operation, bytes, headers, abort);
    message.respond(bytes, headers && { headers });
  }

  /** Answers what was answered before. */
  private repeat(message: Msg, { bytes, metadata: beside }: KeptReply): void {
    const headers = natsHeaders();
    if (beside) headers.set(HEADER.metadata, beside);
    message.respond(bytes, beside ? { headers } : undefined);
  }

  private async stream(
    message: Msg,
    operation: Operation,
    source: Uint8Array | AsyncIterable<Uint8Array>,
    firstHeaders: MsgHdrs | undefined,
    abort: LazyAbort,
  ): Promise<void> {
    const { bus } = this.options;
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
}

const EMPTY = Buffer.alloc(0);

/** The reply as it is kept; undefined for a stream. */
async function toKept(result: unknown): Promise<KeptReply | undefined> {
  const { data, beside } = split(result);
  if (isStream(data instanceof JsonText ? data.text : data)) return undefined;
  return { bytes: await serialise(data), metadata: responseHeaders(beside)?.get(HEADER.metadata) };
}

/** A reply that was found. */
class Kept {
  constructor(readonly reply: KeptReply) {}
}

/** An abort signal that costs nothing unless a handler asks for it. */
class LazyAbort {
  /** Ticks since the call began. */
  ticks = 0;
  /** Its handler runs. */
  isBegun = false;
  /** The caller went away, or turned to another process. */
  isCancelled = false;
  private controller: AbortController | undefined;
  private aborted = false;
  onCancel: (() => void) | undefined;

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      // A call may ask many services at once, each of which listens.
      setMaxListeners(0, this.controller.signal);
    }
    if (this.aborted) this.controller.abort();
    return this.controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.onCancel?.();
  }

  cancelled(): void {
    this.aborted = true;
    this.controller?.abort();
  }
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

/** Any thrown value as a catalogue error with an id; what was not foreseen becomes the generic one. */
export function toCatalogueError(error: unknown): CatalogueError {
  const known = error instanceof CatalogueError ? error : RequestErrors.unexpected().with({ cause: error });
  known.errorId ??= freshErrorId();
  return known;
}
