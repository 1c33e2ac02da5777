import { randomBytes } from 'node:crypto';
import { connect, createInbox, type Msg, type MsgHdrs, type NatsConnection, type Subscription } from 'nats';
import { BEAT_TICKS, Replicas, type Beat } from './replicas';

/** How to reach the bus. */
export interface BusOptions {
  /** `nats://user:password@host:port`, a comma list for a cluster. */
  readonly url: string;
  /** Separates installations (and tests) on one server; part of every subject. Default `gw`. */
  readonly prefix?: string;
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
export const TICK_MS = 100;
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
  private readonly inbox = createInbox();
  private readonly listeners = new Map<string, (message: Msg) => void>();
  private readonly answers: Subscription;
  private readonly beats: Subscription;
  private readonly services = new Set<string>();
  private readonly tickListeners = new Set<() => void>();
  private readonly lossListeners = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;
  private counter = 0;
  private ticks = 0;
  private up = true;
  /** Name of this process on the bus. */
  readonly replica = randomBytes(6).toString('hex');
  /** The processes that are heard. */
  readonly replicas = new Replicas();

  private constructor(
    /** For this library only. */
    readonly connection: NatsConnection,
    readonly prefix: string,
    /** See {@link BusOptions.streamPatienceMs}. */
    readonly streamPatienceMs: number,
    onStatus: BusOptions['onStatus'],
  ) {
    this.answers = connection.subscribe(`${this.inbox}.*`, {
      callback: (_error, message) => this.listeners.get(message.subject.slice(this.inbox.length + 1))?.(message),
    });
    this.beats = connection.subscribe(this.subject('beat'), {
      callback: (_error, message) => this.replicas.hear(message.json<Beat>()),
    });
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    void this.watch(onStatus);
  }

  /** Connects; rejects when no server answers in time. */
  static async connect(options: BusOptions): Promise<Bus> {
    const { servers, user, pass } = serversOf(options.url);
    const connection = await connect({
      servers,
      user,
      pass,
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
    return new Bus(
      connection,
      options.prefix ?? 'gw',
      options.streamPatienceMs ?? DEFAULT_STREAM_PATIENCE_MS,
      options.onStatus,
    );
  }

  /** True while a server is connected. */
  get isConnected(): boolean {
    return this.up && !this.connection.isClosed();
  }

  /** Largest body of one message, bytes. */
  get maxBodyBytes(): number {
    return (this.connection.info?.max_payload ?? 1024 * 1024) - HEADER_ROOM;
  }

  /** The full subject of a name in this installation. */
  subject(name: string): string {
    return `${this.prefix}.${name}`;
  }

  /** Registers for messages to a fresh reply subject; `dispose` ends that. */
  listen(callback: (message: Msg) => void): { subject: string; dispose: () => void } {
    const token = (this.counter += 1).toString(36);
    this.listeners.set(token, callback);
    return { subject: `${this.inbox}.${token}`, dispose: () => this.listeners.delete(token) };
  }

  publish(subject: string, data?: Uint8Array, options?: { reply?: string; headers?: MsgHdrs }): void {
    this.connection.publish(subject, data, options);
  }

  /** Publishes what is only a hint: whether the connection is still open does not matter. */
  hint(subject: string, text: string): void {
    if (!this.connection.isClosed() && !this.connection.isDraining()) this.connection.publish(subject, text);
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

  /** Rejects unless some process answers for the service within the time, ms. */
  async ping(service: string, timeoutMs: number): Promise<void> {
    await this.connection.request(this.subject(`ping.${service}`), undefined, { timeout: timeoutMs });
  }

  /** A round trip to the server: everything published before has arrived there. */
  async flush(): Promise<void> {
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
    await this.connection.drain().catch(() => this.connection.close());
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
      if (status.type === 'disconnect' || status.type === 'reconnect') {
        this.up = status.type === 'reconnect';
        if (!this.up) {
          this.replicas.clear();
          for (const listener of this.lossListeners) listener();
        }
        onStatus?.(this.up ? 'connected' : 'disconnected', String(status.data));
      }
    }
  }
}

function serversOf(url: string): { servers: string[]; user?: string; pass?: string } {
  const urls = url.split(',').map((part) => new URL(part.includes('://') ? part : `nats://${part}`));
  const { username, password } = urls[0]!;
  return {
    servers: urls.map(({ host }) => host),
    ...(username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}),
  };
}
