import { randomBytes } from 'node:crypto';
import {
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  nuid,
  type ConnectionOptions,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from 'nats';
import { Principals, type PrincipalKeys } from './principals';
import { inboxOf, PING_REPLY, REQUEST_REPLY } from './bus-permissions';
import { BEAT_TICKS, Replicas, type Beat } from './replicas';

/** Credentials of a process for a NATS server, besides a login in the URL. */
export interface BusCredentials {
  /** Seed of an nkey (`SU…`): the server knows only its public half. */
  readonly nkeySeed?: string;
  /** Content of a `.creds` file: a JWT and the seed that fits it. */
  readonly creds?: string;
  /** Certificate and key of the client, PEM, for servers that verify both ends; need a `tls://` URL. */
  readonly certificate?: string;
  readonly key?: string;
  /** Certificate of the authority that the server's must come from, PEM; default: those that Node trusts. */
  readonly authority?: string;
}

/** How to reach the bus. */
export interface BusOptions {
  /**
   * `nats://user:password@host:port`, a comma list for a cluster. With `tls://` a server that does not speak TLS is refused;
   * with `nats://` TLS is used when the server wants it.
   */
  readonly url: string;
  readonly credentials?: BusCredentials;
  /** Part of the subject of every answer to this process: only its own user may hear them. Default `any`. */
  readonly client?: string;
  /** Separates installations (and tests) on one server; part of every subject. Default `gw`. */
  readonly prefix?: string;
  /** Keys by which principals are proven; without any the bus is believed. */
  readonly principals?: PrincipalKeys;
  /** Shown in the server's connection list. */
  readonly name?: string;
  /** Longest time to wait for the first connection, ms. */
  readonly timeoutMs?: number;
  /** A streamed answer where neither end does anything for so long is given up, ms. Default 30,000. */
  readonly streamPatienceMs?: number;
  /** Told about lost and restored connections. */
  readonly onStatus?: (status: 'disconnected' | 'connected', detail: string) => void;
}

/** Pace of everything that watches over calls, ms. */
const TICK_MS = 100;
/** Numbers about the connection of a process to NATS, since its start. */
export interface BusLoad {
  readonly isConnected: boolean;
  /** Calls, and streamed answers, whose other end has still to say something. */
  readonly waitingCalls: number;
  readonly messages: { readonly in: number; readonly out: number };
  readonly bytes: { readonly in: number; readonly out: number };
  /** How often the connection changed by kind: `disconnect`, `reconnect`, `error` (also a slow consumer), `staleConnection`, `ldm`. */
  readonly events: ReadonlyMap<string, number>;
}

interface PublishOptions {
  readonly reply?: string;
  readonly headers?: MsgHdrs;
}

interface OutgoingMessage {
  readonly subject: string;
  readonly data: Uint8Array | undefined;
  readonly options: PublishOptions | undefined;
}

/** Room left in a message for headers, bytes. */
const HEADER_ROOM = 64 * 1024;
/** A connection is made anew when so many pings, sent at this pace, ms, were not answered: it may be silent for good. */
const PING_INTERVAL_MS = 1_500;
const MAX_PINGS_OUT = 2;
const DEFAULT_STREAM_PATIENCE_MS = 30_000;

/**
 * The connection of a process to NATS, with one inbox subscription that all answers share. It reconnects by itself for
 * ever; while it is away, calls fail with the answer for a missing service.
 */
export class Bus {
  /** Unguessable, so that processes of one user do not answer each other's calls by mistake. */
  private readonly nonce = nuid.next();
  private readonly listeners = new Map<string, (message: Msg) => void>();
  private readonly answers: Subscription;
  private readonly beats: Subscription;
  private readonly services = new Set<string>();
  private readonly tickListeners = new Set<() => void>();
  private readonly lossListeners = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;
  /** Published in this turn of the event loop, in their order; they leave in one write. */
  private outgoing: OutgoingMessage[] = [];
  private counter = 0;
  private ticks = 0;
  private up = true;
  /** Name of this process on the bus. */
  readonly replica = randomBytes(6).toString('hex');
  /** The processes that are heard. */
  readonly replicas = new Replicas();
  /** Counts of events of the connection, by kind. */
  private readonly events = new Map<string, number>();

  private constructor(
    /** For this library only. */
    readonly connection: NatsConnection,
    readonly prefix: string,
    /** Principals as they travel in headers. */
    readonly principals: Principals,
    private readonly inbox: string,
    /** See {@link BusOptions.streamPatienceMs}. */
    readonly streamPatienceMs: number,
    onStatus: BusOptions['onStatus'],
  ) {
    this.answers = connection.subscribe(`${inbox}.*.${this.nonce}.*`, {
      callback: (_error, message) => this.listeners.get(message.subject)?.(message),
    });
    this.beats = connection.subscribe(this.subject('beat'), {
      callback: (_error, message) => this.replicas.hear(message.json<Beat>()),
    });
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    void this.watch(onStatus);
  }

  /** Connects; rejects when no server answers in time. */
  static async connect(options: BusOptions): Promise<Bus> {
    const prefix = options.prefix ?? 'gw';
    const inbox = inboxOf(prefix, options.client ?? 'any');
    const connection = await connect({
      ...connectionTo(options.url, options.credentials),
      inboxPrefix: `${inbox}.${REQUEST_REPLY}`,
      name: options.name,
      timeout: options.timeoutMs ?? 5000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: PING_INTERVAL_MS,
      maxPingOut: MAX_PINGS_OUT,
      noEcho: false,
      // A stack trace for each request costs more than the request.
      noAsyncTraces: true,
    });
    const principals = new Principals(options.principals ?? {}, prefix);
    return new Bus(
      connection,
      prefix,
      principals,
      inbox,
      options.streamPatienceMs ?? DEFAULT_STREAM_PATIENCE_MS,
      options.onStatus,
    );
  }

  /** Numbers about the connection, for metrics. */
  get load(): BusLoad {
    const { inMsgs, outMsgs, inBytes, outBytes } = this.connection.stats();
    return {
      isConnected: this.isConnected,
      waitingCalls: this.listeners.size,
      messages: { in: inMsgs, out: outMsgs },
      bytes: { in: inBytes, out: outBytes },
      events: this.events,
    };
  }

  /** True while a server is connected. */
  get isConnected(): boolean {
    return this.up && !this.connection.isClosed();
  }

  /** True when the connection does not come back: the server refused its credentials again, for example. */
  get isClosed(): boolean {
    return this.connection.isClosed();
  }

  /** Largest body of one message, bytes. */
  get maxBodyBytes(): number {
    return this.maxMessageBytes - HEADER_ROOM;
  }

  private get isOpen(): boolean {
    return !this.connection.isClosed() && !this.connection.isDraining();
  }

  private get maxMessageBytes(): number {
    return this.connection.info?.max_payload ?? 1024 * 1024;
  }

  /** The full subject of a name in this installation. */
  subject(name: string): string {
    return `${this.prefix}.${name}`;
  }

  /**
   * Registers for messages to a fresh reply subject; `dispose` ends that.
   * @param from who may publish there: the name of a service, or {@link CALLER_REPLY}
   */
  listen(from: string, callback: (message: Msg) => void): { subject: string; dispose: () => void } {
    const subject = `${this.inbox}.${from}.${this.nonce}.${(this.counter += 1).toString(36)}`;
    this.listeners.set(subject, callback);
    return { subject, dispose: () => this.listeners.delete(subject) };
  }

  /**
   * Publishes at the end of this turn of the event loop, with everything else that the turn publishes.
   * @throws Error when the connection is closed, or the server takes no message of this size
   */
  publish(subject: string, data?: Uint8Array, options?: PublishOptions): void {
    if (!this.isOpen) throw new Error('the connection is closed');
    const sizeBytes = (data?.length ?? 0) + sizeOfHeaders(options?.headers);
    if (sizeBytes > this.maxMessageBytes) throw new Error(`a message of ${sizeBytes} bytes is too large`);
    if (this.outgoing.push({ subject, data, options }) === 1) setImmediate(() => this.sendOutgoing());
  }

  /** Answers a message, as {@link publish} does; a message without a reply subject gets no answer. */
  respond({ reply }: Msg, data?: Uint8Array, options?: PublishOptions): void {
    if (reply) this.publish(reply, data, options);
  }

  /** Publishes what is only a hint: whether the connection is still open does not matter. */
  hint(subject: string, text: string): void {
    if (this.isOpen) this.publish(subject, Buffer.from(text));
  }

  /** Calls back at every tick while the process runs. Returns the way to stop that. */
  onTick(listener: () => void): () => void {
    this.tickListeners.add(listener);
    return () => this.tickListeners.delete(listener);
  }

  /** Calls back when the connection is lost: what was on its way may or may not have arrived. */
  onLoss(listener: () => void): void {
    this.lossListeners.add(listener);
  }

  /** Tells callers that this process takes calls of a service, or takes no more of them. */
  announce(service: string, takesCalls: boolean): void {
    if (takesCalls) this.services.add(service);
    else this.services.delete(service);
    this.beat();
  }

  /** Rejects unless some process answers for the service within the time, ms, or was heard a moment ago. */
  async ping(service: string, timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      // A queue group may have a member that is not read from any more.
      const expire = () =>
        end(this.replicas.isAnyWell(service) ? undefined : new Error(`no answer within ${timeoutMs} ms`));
      const timer = setTimeout(expire, timeoutMs);
      const { subject, dispose } = this.listen(PING_REPLY, ({ headers }) =>
        end(headers?.code === 503 ? new Error(`nobody answers for ${service}`) : undefined),
      );
      const end = (error?: Error) => {
        clearTimeout(timer);
        dispose();
        if (error) reject(error);
        else resolve();
      };
      this.publish(this.subject(`ping.${service}`), undefined, { reply: subject });
    });
  }

  /** A round trip to the server: everything published before has arrived there. */
  async flush(): Promise<void> {
    this.sendOutgoing();
    await this.connection.flush();
  }

  /** Sends what is left, then closes. */
  async close(): Promise<void> {
    if (this.connection.isClosed()) return;
    clearInterval(this.timer);
    this.services.clear();
    this.beat();
    this.beats.unsubscribe();
    this.answers.unsubscribe();
    this.sendOutgoing();
    await this.connection.drain().catch(() => this.connection.close());
  }

  private sendOutgoing(): void {
    const messages = this.outgoing;
    this.outgoing = [];
    // Messages of a closed connection are lost, like those that it sent a moment before.
    if (!this.isOpen) return;
    for (const { subject, data, options } of messages) this.connection.publish(subject, data, options);
  }

  private tick(): void {
    this.ticks += 1;
    if (this.up) this.replicas.tick();
    if (this.ticks % BEAT_TICKS === 0 && this.services.size > 0) this.beat();
    for (const listener of this.tickListeners) listener();
  }

  private beat(): void {
    const beat: Beat = { replica: this.replica, services: [...this.services] };
    if (this.isConnected) this.hint(this.subject('beat'), JSON.stringify(beat));
  }

  private async watch(onStatus: BusOptions['onStatus']): Promise<void> {
    for await (const status of this.connection.status()) {
      this.events.set(status.type, (this.events.get(status.type) ?? 0) + 1);
      if (status.type === 'disconnect' || status.type === 'reconnect') {
        this.up = status.type === 'reconnect';
        if (!this.up) {
          this.replicas.clear();
          for (const listener of this.lossListeners) listener();
        } else if (this.services.size > 0) this.beat();
        onStatus?.(this.up ? 'connected' : 'disconnected', String(status.data));
      }
    }
  }
}

/** Size of headers as they are sent, bytes: `NATS/1.0`, a line for each, an empty one. */
function sizeOfHeaders(headers: MsgHdrs | undefined): number {
  let size = 0;
  for (const [key, values] of headers ?? [])
    for (const value of values) size += Buffer.byteLength(key) + Buffer.byteLength(value) + ': \r\n'.length;
  return size === 0 ? 0 : size + 'NATS/1.0\r\n\r\n'.length;
}

function connectionTo(url: string, credentials: BusCredentials = {}): ConnectionOptions {
  const urls = url.split(',').map((part) => new URL(part.includes('://') ? part : `nats://${part}`));
  const { username, password } = urls[0]!;
  const { nkeySeed, creds, certificate, key, authority } = credentials;
  const bytes = (text: string) => new TextEncoder().encode(text);
  return {
    servers: urls.map(({ host }) => host),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: { ca: authority, cert: certificate, key } } : {}),
    ...(username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}),
    ...(nkeySeed ? { authenticator: nkeyAuthenticator(bytes(nkeySeed)) } : {}),
    ...(creds ? { authenticator: credsAuthenticator(bytes(creds)) } : {}),
  };
}
