import { randomUUID } from 'node:crypto';
import {
  assertOutsideTransaction,
  activeTracer,
  CatalogueError,
  RequestErrors,
  UploadErrors,
  type BodyOf,
  type CookieChange,
  type Operation,
  type QueryOf,
  type ResultOf,
  type Tracer,
} from '@groupware/contracts';
import type { Msg, MsgHdrs } from 'nats';
import type { Bus } from './bus';
import { clientKeyHeader, freshKeyHeader, takesClaim, takesKey } from './call-key';
import { mayCall, type BusService } from './bus-permissions';
import { ChunkReceiver } from './chunks';
import {
  callHeaders,
  directSubject,
  fromWireError,
  HEADER,
  isSafe,
  type ResponseMetadata,
  type CallContext,
  type OutgoingCall,
  type WireError,
} from './wire';

/** Successful answer, its bytes unread. */
export interface RawReply {
  readonly status?: number;
  /** The envelope's timestamp, ms UTC. */
  readonly timestamp?: number;
  readonly warnings?: readonly CatalogueError[];
  readonly cookies?: readonly CookieChange[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly file?: ResponseMetadata['file'];
  /**
   * JSON of the result; empty when there is none; a stream when it is larger than one message. A stream that is not read
   * to its end must be left with `break` or `return()`, so that its sender stops.
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Longest time a call may take unless the operation or the caller says otherwise, ms. */
export const DEFAULT_DEADLINE_MS = 30_000;

const EMPTY = new Uint8Array(0);
const NOTHING: CallContext = {};
const decoder = new TextDecoder();
const nothing = (): void => undefined;

/** A call that no process began within so many ticks was given to a process that is stopped or gone, and goes to another one. */
const BEGIN_TICKS = 5;
/** A process that works on a call says so; one that was not heard for so many ticks is stopped or gone. */
const SILENT_TICKS = 20;
/** The same for calls that cannot be sent again: there is no way back from telling that one may have been done. */
const SILENT_TICKS_UNSAFE = 30;
/** Ticks between a failed try and the next one. */
const PAUSE_TICKS = 2;
/** Ticks in which a call that is safe to repeat waits for a bus or a service that went away while it was under way. */
const AWAY_TICKS = 50;
/** After so many tries the patience doubles with each one: the service may be overloaded rather than gone. */
const QUICK_TRIES = 3;
/** After so many tries (8.5 s) a service of which no process is well is given up: until then it may be busy rather than stopped. */
const MOST_TRIES_WHEN_SILENT = 6;

/** Errors that say nothing about whether an earlier try of the call was done. */
const SERVICE_PROBLEMS = [
  RequestErrors.outcomeUnknown,
  RequestErrors.serviceUnavailable,
  RequestErrors.deadlinePassed,
] as const;

/** Calls operations of other processes. */
export class Caller {
  private readonly pending = new Set<PendingCall>();

  /**
   * @param surroundings what a call made now inherits from the call being answered, if any
   * @param allows which operations may be called: what the user of the process may publish on the bus
   * @param provesPrincipals whether it says who calls, as the edge; others pass on the principals of calls they serve
   */
  constructor(
    private readonly bus: Bus,
    private readonly surroundings: () => CallContext | undefined = () => undefined,
    private readonly allows: (operation: Operation) => boolean = () => true,
    private readonly provesPrincipals = true,
    /** Sends every call with a key twice, in tests: it finds handlers whose second reply differs. */
    private readonly sendsTwice = false,
  ) {
    bus.onTick(() => {
      for (const call of this.pending) call.tick();
    });
    bus.onLoss(() => {
      for (const call of this.pending) call.loseBus();
    });
  }

  /** The same for a service, which may call only what its declaration allows: see {@link mayCall}. */
  forService(service: BusService): Caller {
    const { bus, surroundings, sendsTwice } = this;
    const allows = (operation: Operation) => mayCall(service, operation);
    return new Caller(bus, surroundings, allows, service.callsForClients === true, sendsTwice);
  }

  /**
   * Calls an operation and parses its result.
   * @throws the catalogue error of the operation; SVL-0032 when no process answers for the module; SVL-0033 at the deadline
   * and when the signal aborts; SVL-0035 when it may have been done or not; UPL-0005 when the call does not fit into a message
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
    assertOutsideTransaction(`call of ${operation.subject}`);
    const tracer = activeTracer();
    return tracer ? this.traced(tracer, operation, call) : this.sendOnce(operation, call);
  }

  private traced(tracer: Tracer, operation: Operation, call: OutgoingCall): Promise<RawReply> {
    const attributes = { 'rpc.system': 'nats', 'rpc.service': operation.module, 'rpc.method': operation.name };
    const span = tracer.startSpan(`call ${operation.module}.${operation.name}`, 'client', attributes, call.trace);
    const reply = this.sendOnce(operation, { ...call, trace: span.traceparent });
    reply.then(
      () => span.end(),
      (error: unknown) => span.end({ error: error instanceof CatalogueError ? error.code : 'unexpected' }),
    );
    return reply;
  }

  private sendOnce(operation: Operation, call: OutgoingCall): Promise<RawReply> {
    return this.sendsTwice && (takesKey(operation) || takesClaim(operation)) && this.surroundings()?.key === undefined
      ? this.sendTwice(operation, call)
      : this.send(operation, call);
  }

  /** @throws Error when the second reply is not the first one */
  private async sendTwice(operation: Operation, call: OutgoingCall): Promise<RawReply> {
    const header = keyHeader(call);
    const first = await this.send(operation, call, header);
    const again = await this.send(operation, call, header, true);
    const textOf = ({ body, ...beside }: RawReply) =>
      body instanceof Uint8Array ? JSON.stringify([beside, decoder.decode(body)]) : '';
    if (operation.idempotency !== 'effect' && textOf(again) !== textOf(first))
      throw new Error(`${operation.subject} answered ${textOf(first)} and, to the same call, ${textOf(again)}`);
    return first;
  }

  private send(operation: Operation, call: OutgoingCall, chosen?: string, isRepeat = false): Promise<RawReply> {
    const { bus } = this;
    // A mistake in a program, not of its user: an installation with permissions on the bus would refuse the message.
    if (!this.allows(operation))
      return Promise.reject(new Error(`the service calls ${operation.subject} without declaring it in \`calls\``));
    const outer = this.surroundings() ?? NOTHING;
    const now = Date.now();
    const deadline =
      call.deadline ?? Math.min(now + (operation.deadlineMs ?? DEFAULT_DEADLINE_MS), outer.deadline ?? Infinity);
    if (deadline <= now || call.signal?.aborted) return Promise.reject(RequestErrors.deadlinePassed(operation.module));
    if (!bus.isConnected) return Promise.reject(RequestErrors.serviceUnavailable(operation.module));
    const { query, body, files, edge } = call;
    const data = Buffer.from(JSON.stringify({ query, body, files: files?.length ? files : undefined, edge }));
    if (data.length > bus.maxBodyBytes) return Promise.reject(UploadErrors.tooLarge(data.length, bus.maxBodyBytes));
    const headers = callHeaders(
      operation,
      call,
      deadline,
      call.requestId ?? outer.requestId ?? randomUUID(),
      call.trace ?? outer.trace,
      outer.onBehalf,
    );
    try {
      bus.principals.write(headers, call.principal, deadline, this.provesPrincipals);
    } catch (error) {
      return Promise.reject(error);
    }
    let release = nothing;
    if (takesKey(operation)) {
      const nested =
        call.idempotencyKey === undefined && chosen === undefined ? outer.key?.takeCall(operation.subject) : undefined;
      if (nested) release = nested.release;
      headers.set(HEADER.callKey, nested?.header ?? chosen ?? keyHeader(call));
      // A key chosen outside may have been sent before.
      if (isRepeat || call.idempotencyKey !== undefined || outer.key?.isRepeat) headers.set(HEADER.repeated, '1');
    } else if (takesClaim(operation) && (call.idempotencyKey ?? chosen) !== undefined) {
      headers.set(HEADER.callKey, chosen ?? keyHeader(call));
    }
    return new Promise<RawReply>((resolve, fail) => {
      const reject = (error: Error): void => {
        release();
        fail(error);
      };
      const message = { operation, data, headers, isSafe: isSafe(operation, headers) };
      const pending = new PendingCall(bus, message, this.pending, call.signal, deadline - now, resolve, reject);
      call.whenGone?.(pending.cancel);
      pending.send();
    });
  }
}

const keyHeader = ({ principal, idempotencyKey }: OutgoingCall): string =>
  idempotencyKey === undefined ? freshKeyHeader() : clientKeyHeader(principal, idempotencyKey);

/** A call as it is sent, as often as necessary. */
interface OutgoingMessage {
  readonly operation: Operation;
  readonly data: Uint8Array;
  readonly headers: MsgHdrs;
  /** It may be sent again when it may have been done. */
  isSafe: boolean;
}

/** One call under way: from the message that asks to the last byte of the answer. */
class PendingCall {
  /** Reply subject of the current try. */
  private subject = '';
  private dispose: () => void = nothing;
  private readonly timer: NodeJS.Timeout;
  private receiver: ChunkReceiver | undefined;
  private isFinished = false;
  private tries = 0;
  /** Tries that were not begun, since the bus was lost. */
  private lostTries = 0;
  /** The current try went to the queue group of the service. */
  private isForGroup = false;
  /** Ticks since the current try was sent or its process was heard. */
  private quiet = 0;
  /** A process said that it works on the current try. */
  private isBegun = false;
  /** Some try may have been done. */
  private mayBeDone = false;
  /** The same for tries that no process was heard to begin: those with a key begin without a question. */
  private mayBeBegun = false;
  /** No try is under way. */
  private isAway = false;
  /** Ticks for which none was, all together. */
  private awayTicks = 0;

  constructor(
    private readonly bus: Bus,
    private readonly message: OutgoingMessage,
    private readonly all: Set<PendingCall>,
    private readonly signal: AbortSignal | undefined,
    waitMs: number,
    private resolve: (reply: RawReply) => void,
    private reject: (error: Error) => void,
  ) {
    all.add(this);
    this.timer = setTimeout(() => this.expire(), waitMs);
    signal?.addEventListener('abort', this.cancel, { once: true });
  }

  private get module(): string {
    return this.message.operation.module;
  }

  /** Sends the call: to any process of the service, or to one that is well when another is not. */
  send(): void {
    const { bus, message } = this;
    const { operation, data, headers } = message;
    const replica = bus.replicas.pick(operation.service);
    this.isForGroup = replica === undefined;
    const name = replica ? directSubject(replica, operation.service, operation.subject) : operation.subject;
    this.tries += 1;
    if (this.mayBeDone || this.mayBeBegun) headers.set(HEADER.repeated, '1');
    this.quiet = 0;
    this.isAway = false;
    this.isBegun = false;
    ({ subject: this.subject, dispose: this.dispose } = bus.listen(operation.service, (answer) =>
      this.receive(answer),
    ));
    try {
      bus.publish(bus.subject(name), data, { reply: this.subject, headers });
    } catch {
      this.fail(this.lost());
    }
  }

  /** Looks after the current try. */
  tick(): void {
    if (!this.isAway) {
      this.quiet += 1;
      if (this.quiet >= this.patienceTicks) this.loseReplica();
      return;
    }
    this.awayTicks += 1;
    // Only the deadline ends the tries of a call that may have been done: before, a later one may tell what became of it.
    if (this.awayTicks > AWAY_TICKS && !this.isUncertain) return this.fail(this.lost());
    if (this.awayTicks % PAUSE_TICKS === 0 && this.bus.isConnected) this.send();
  }

  private get patienceTicks(): number {
    const factor = 2 ** Math.max(0, this.lostTries + 1 - QUICK_TRIES);
    if (!this.isBegun) return BEGIN_TICKS * factor;
    return this.message.isSafe ? SILENT_TICKS * factor : SILENT_TICKS_UNSAFE;
  }

  /** The process that got the call is silent. */
  private loseReplica(): void {
    const { isSafe, operation } = this.message;
    const canRepeat = (isSafe || !this.isBegun) && !this.receiver;
    this.lostTries += 1;
    if (this.isForGroup && !this.isBegun) this.bus.replicas.suspectGroup(operation.service);
    this.leaveTry();
    const isHopeless =
      this.lostTries >= MOST_TRIES_WHEN_SILENT && !this.isUncertain && this.bus.replicas.isSilent(operation.service);
    if (canRepeat && !isHopeless) this.send();
    else this.fail(this.lost());
  }

  /** The connection was lost with the call on it. */
  loseBus(): void {
    // The tries so far say nothing about the service.
    this.lostTries = 0;
    if (this.isAway) return;
    this.mayBeDone = true;
    this.leaveTry();
    if (this.message.isSafe && !this.receiver) this.isAway = true;
    else this.fail(this.lost());
  }

  /** Gives up or tries again: no process takes calls of the service, or the chosen one is gone. Nothing was done by this try. */
  private findNobody(): void {
    // At first that is an answer; later the service may be about to come back, as after a restart of the server.
    if (this.tries === 1 && !this.bus.replicas.pick(this.message.operation.service)) return this.fail(this.lost());
    this.dispose();
    this.isAway = true;
  }

  /** Turns away from the current try: its process is told, and an answer of it is not heard any more. */
  private leaveTry(): void {
    if (this.isBegun) this.mayBeDone = true;
    else if (takesKey(this.message.operation)) this.mayBeBegun = true;
    this.bus.hint(this.bus.subject('cancel'), this.subject);
    this.dispose();
  }

  /** Some try may have changed something. */
  private get isUncertain(): boolean {
    return this.mayBeDone && !this.message.operation.repeatable;
  }

  /** Answers the error for a call that will get no answer. */
  private lost(): CatalogueError {
    return this.isUncertain || this.mayBeBegun
      ? RequestErrors.outcomeUnknown(this.module)
      : RequestErrors.serviceUnavailable(this.module);
  }

  fail(error: Error): void {
    this.finish();
    if (this.receiver) this.receiver.fail(error);
    else this.reject(error);
    this.forget();
  }

  /** The deadline passed. */
  private expire(): void {
    if (!this.isUncertain && !this.mayBeBegun) return this.cancel();
    if (!this.isAway) this.bus.hint(this.bus.subject('cancel'), this.subject);
    this.fail(this.lost());
  }

  /** Gives up a call for which no caller waits: tells the service, which may save itself the rest. */
  readonly cancel = (): void => {
    if (this.isFinished) return;
    this.bus.hint(this.bus.subject('cancel'), this.subject);
    this.fail(RequestErrors.deadlinePassed(this.module));
  };

  private finish(): void {
    this.isFinished = true;
    this.all.delete(this);
    clearTimeout(this.timer);
    this.dispose();
    this.signal?.removeEventListener('abort', this.cancel);
  }

  private receive(message: Msg): void {
    const { headers } = message;
    this.quiet = 0;
    if (!headers) {
      this.finish();
      return this.succeed({ body: message.data });
    }
    if (headers.has(HEADER.working)) {
      this.isBegun = true;
      if (!message.reply) return;
      // May it begin? This try is still the current one. A server that asks ignores keys.
      if (!this.message.operation.repeatable) this.message.isSafe = false;
      this.bus.hint(message.reply, '1');
      return;
    }
    if (headers.code === 503) return this.findNobody();
    if (headers.has(HEADER.errorCode)) return this.refuse(errorOf(message));
    const number = headers.get(HEADER.chunk);
    if (number) return this.receiveChunk(message, Number(number), headers.has(HEADER.last));
    this.finish();
    this.succeed(replyOf(message, message.data));
  }

  /** The service answered with an error. Where that does not tell whether the call was done, and it is safe, it is sent again. */
  private refuse(error: CatalogueError): void {
    const { isSafe, operation } = this.message;
    if (error.is(RequestErrors.outcomeUnknown)) this.mayBeDone = true;
    const isTelling = !this.isUncertain || !SERVICE_PROBLEMS.some((problem) => error.is(problem));
    if (isTelling || !isSafe || operation.repeatable) return this.fail(error);
    this.dispose();
    this.isAway = true;
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
  const text = message.headers?.get(HEADER.metadata);
  if (!text) return { body: body ?? EMPTY };
  const { warnings, ...beside } = JSON.parse(text) as ResponseMetadata;
  return { ...beside, ...(warnings ? { warnings: warnings.map(fromWireError) } : {}), body };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
