import {
  activeTracer,
  parseJsonInSlices,
  RequestErrors,
  SLICE_BYTES,
  type CatalogueError,
  type Operation,
  type Principal,
  type Span,
} from '@groupware/contracts';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { headers as natsHeaders, type Msg, type Subscription } from 'nats';
import { firstValueFrom, isObservable } from 'rxjs';
import type { Bus } from './bus';
import { CALLER_REPLY } from './bus-permissions';
import type { CallBody } from './call-body';
import { freshErrorId, toCatalogueError } from './call-errors';
import { takesKey } from './call-key';
import type { CallLabels } from './call-labels';
import { CallResponder } from './call-responder';
import { DEFAULT_DEADLINE_MS } from './caller';
import { IdempotentCalls, Kept, type ClaimStore, type ReplyStore } from './idempotent-calls';
import { LazyAbort } from './lazy-abort';
import { principalFor } from './principals';
import { BEAT_TICKS } from './replicas';
import { directSubject, HEADER, isSafe } from './wire';

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

/** Calls that one service answers at the same time unless the options say otherwise. */
export const DEFAULT_MAX_RUNNING = 1000;

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
  private readonly idempotent: IdempotentCalls;
  private readonly responder: CallResponder;
  private isClosing = false;
  private stopBeats: () => void = () => undefined;
  private idle: (() => void) | undefined;

  constructor(private readonly options: ModuleServerOptions) {
    super();
    this.idempotent = new IdempotentCalls(options.replies, options.keyLifetimeMs);
    this.responder = new CallResponder(options.bus, options);
  }

  /** Sets the store of claims, before the first call. */
  useClaims(claims: ClaimStore | undefined): void {
    this.idempotent.useClaims(claims);
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
    this.group.push(subscribe(`ping.${service}`, (message) => bus.respond(message)));
    bus.announce(service, true);
    await bus.flush();
  }

  /** A caller that has not heard yet that this process left is told what the server tells where nobody listens. */
  private receiveDirect(message: Msg, subject: string): void {
    const receive = this.handled.get(subject);
    if (receive && this.group.length > 0) receive(message);
    else this.options.bus.respond(message, undefined, { headers: natsHeaders(503, 'No Responders') });
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
    return !reply || isSafe(operation, headers) || (await this.isWanted(reply, call));
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
      // Its caller may have taken it back behind the message, in the same piece of the stream.
      if (!(await this.mayBegin(message, operation, abort)) || abort.isCancelled) return;
      abort.isBegun = true;
      principal = principalFor(operation, this.options.bus.principals.read(headers));
      if (isOverloaded) throw RequestErrors.serviceUnavailable(operation.module);
      const deadline = Number(headers?.get(HEADER.deadline)) || Date.now() + DEFAULT_DEADLINE_MS;
      const received = (await this.parse(message)) as CallBody;
      this.options.inspect?.call(operation, received);
      const given = this.idempotent.keyOf(operation, headers, received, deadline);
      const key = given && takesKey(operation) ? given : undefined;
      const labels = { operation, principal, requestId, deadline, ...(key ? { key } : {}) };
      const run = (each: CallLabels) => this.run(handler, message, received, each, abort, span);
      const result = await this.beforeDeadline(this.idempotent.runOnce(labels, given, run), deadline, operation, abort);
      if (result instanceof Kept) this.responder.repeat(message, result.reply);
      else await this.responder.respond(message, labels, result, abort);
    } catch (error) {
      failure = toCatalogueError(error);
      this.responder.refuse(message, failure, principal);
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
}
