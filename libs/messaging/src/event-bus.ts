import { assertOutsideTransaction, type EventMessage } from '@groupware/contracts';
import {
  AckPolicy,
  DeliverPolicy,
  ErrorCode,
  nanos,
  NatsError,
  type ConsumerConfig,
  type ConsumerInfo,
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
} from 'nats';
import type { Bus } from './bus';
import { LaneHandling, type LaneOptions } from './event-lanes';
import { ACK_WAIT_MS, EventLoop, SerialHandling } from './event-loop';
import {
  DEFAULT_EVENT_STREAM,
  EventStream,
  type EventReceipt,
  type EventStreamSettings,
  type StreamGeneration,
} from './event-stream';

/** Longest time to wait until an event is stored, ms. */
const PUBLISH_TIMEOUT_MS = 5000;
/** Events that a consumer takes ahead of the one in hand. */
const TAKE_AHEAD = 50;
/** Events of one consumer that all its processes may hold. */
const MAX_HELD = 256;

/** A running consumer. */
export interface EventSubscription {
  /** Waits for the event in hand, then ends. */
  stop(): Promise<void>;
}

/** A consumer that takes several events at once. */
export interface BatchSubscription extends LaneOptions {
  readonly service: string;
  /** Tells the consumers of a service apart. */
  readonly consumer: string;
  /** Names of events. */
  readonly events: readonly string[];
  /**
   * Takes events of one context in their order; all of them come again when it rejects, each by itself.
   */
  readonly handle: (messages: readonly EventMessage[]) => Promise<void>;
}

/**
 * Domain events over JetStream: at least once, kept while a consumer is away. An event that failed comes again later, so
 * later events may overtake it.
 */
export class EventBus {
  private readonly stream: EventStream;
  private client: JetStreamClient | undefined;
  private readonly loops = new Set<EventLoop>();
  /** Durable names of consumers by service, with the events they are shown as. */
  private readonly consumed = new Map<string, Map<string, string>>();
  private watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly report: (problem: unknown, what: string) => void = () => {},
    private readonly settings: EventStreamSettings = DEFAULT_EVENT_STREAM,
  ) {
    this.stream = new EventStream(bus, settings, report);
    this.stream.onGeneration(({ id, kept }) => {
      report(id, kept ? 'the stream of events came back older than it was' : 'the stream of events is a new one');
      for (const loop of this.loops) loop.reopen();
    });
  }

  /** Makes the stream where it is missing, and keeps an eye on it. Safe to call from many processes. */
  async open(): Promise<void> {
    await this.stream.open();
    this.client = this.bus.connection.jetstream();
    this.watch ??= setInterval(() => this.checkStream(), this.settings.checkMs).unref();
  }

  /** Looks now whether the stream is there and as long as it was, such as after the connection came back. */
  checkStream(): void {
    if (this.bus.isConnected) this.stream.checkSoon();
  }

  /** The life of the stream that was found last. */
  get generation(): StreamGeneration {
    return this.stream.generation;
  }

  /** Calls back when the stream was lost and made anew, or came back older than it was. Returns the way to stop that. */
  onGeneration(listener: (generation: StreamGeneration) => void): () => void {
    return this.stream.onGeneration(listener);
  }

  /** Takes over what the broker confirmed before a restart: a stream that is behind that came back from a backup. */
  rememberReceipt(receipt: EventReceipt): Promise<void> {
    return this.stream.remember(receipt);
  }

  /** Publishes an event; the message id removes duplicates within the window. Resolves when it is stored. */
  async publish(message: EventMessage): Promise<EventReceipt> {
    assertOutsideTransaction(`event ${message.name}`);
    const before = this.stream.mark;
    const send = () =>
      this.jetstream().publish(this.bus.subject(`event.${message.name}`), Buffer.from(JSON.stringify(message)), {
        msgID: message.id,
        timeout: PUBLISH_TIMEOUT_MS,
      });
    const ack = await send().catch(async (error: unknown) => {
      // No stream answers: the server may have come back without its data.
      if (!(error instanceof NatsError && error.code === ErrorCode.NoResponders)) throw error;
      await this.stream.check();
      return send();
    });
    const receipt = { generation: this.stream.generation.id, seq: ack.seq };
    if (!ack.duplicate) this.stream.confirm(receipt, before);
    return receipt;
  }

  /**
   * Delivers every event of a name to one process of the service, one at a time, again until the handler resolves. Starts
   * with the oldest event kept, so that a module added later catches up.
   */
  subscribe(
    service: string,
    event: { readonly name: string },
    handle: (message: EventMessage) => Promise<void>,
  ): Promise<EventSubscription> {
    const report = (error: unknown) => this.report(error, `event ${event.name}`);
    const durable = durableOf(service, event.name);
    this.show(service, durable, event.name);
    const filter = this.bus.subject(`event.${event.name}`);
    return this.follow(
      new EventLoop(
        () => this.consume(durable, filter, TAKE_AHEAD, MAX_HELD),
        new SerialHandling((message) => handle(message.json<EventMessage>()), report),
        report,
      ),
    );
  }

  /**
   * Delivers several events together to one process of the service: those of one context in the order in which they were
   * published, whatever their names, different contexts at the same time. Starts where consumers of the single events
   * were, else with the oldest event kept.
   */
  subscribeBatches(wanted: BatchSubscription): Promise<EventSubscription> {
    const { service, consumer, events, lanes, batchSize } = wanted;
    const report = (error: unknown) => this.report(error, `events of ${consumer}`);
    const durable = durableOf(service, consumer);
    this.show(service, durable, consumer);
    const subjects = new Set(events.map((name) => this.bus.subject(`event.${name}`)));
    const ahead = 2 * lanes * batchSize;
    return this.follow(
      new EventLoop(
        () =>
          this.consume(durable, this.bus.subject('event.>'), ahead, 2 * ahead, (manager) =>
            this.startAfter(
              manager,
              events.map((name) => durableOf(service, name)),
            ),
          ),
        new LaneHandling(
          (raw) => {
            if (!subjects.has(raw.subject)) return undefined;
            const message = raw.json<EventMessage>();
            return { key: message.contextId, message };
          },
          wanted.handle,
          report,
          { lanes, batchSize },
        ),
        report,
      ),
    );
  }

  /** Tells every process, now; those that are away miss it. For caches only. */
  broadcast(topic: string, payload: object): void {
    assertOutsideTransaction(`broadcast ${topic}`);
    this.bus.publish(this.bus.subject(`broadcast.${topic}`), Buffer.from(JSON.stringify(payload)));
  }

  /** Listens to broadcasts of a topic. */
  onBroadcast<P extends object>(topic: string, handle: (payload: P) => void): () => void {
    const subscription = this.bus.connection.subscribe(this.bus.subject(`broadcast.${topic}`), {
      callback: (_error, message) => {
        try {
          handle(message.json<P>());
        } catch (error) {
          this.report(error, `broadcast ${topic}`);
        }
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Round trip to the stream. Rejects when it does not answer. */
  async ping(): Promise<void> {
    const manager = await this.bus.connection.jetstreamManager();
    await manager.streams.info(this.stream.name);
  }

  /** Events that a service has still to consume, by name of the event or of the consumer. */
  async backlog(service: string): Promise<Record<string, number>> {
    const manager = await this.bus.connection.jetstreamManager();
    const waiting = await Promise.all(
      [...(this.consumed.get(service) ?? [])].map(async ([durable, name]) => {
        const info = await manager.consumers.info(this.stream.name, durable);
        return [name, info.num_pending + info.num_ack_pending] as const;
      }),
    );
    return Object.fromEntries(waiting);
  }

  /** Ends all consumers after the events in hand. */
  async close(): Promise<void> {
    clearInterval(this.watch);
    await Promise.all([...this.loops].map((loop) => this.end(loop)));
  }

  private async follow(loop: EventLoop): Promise<EventSubscription> {
    await loop.start();
    this.loops.add(loop);
    return { stop: () => this.end(loop) };
  }

  private async end(loop: EventLoop): Promise<void> {
    this.loops.delete(loop);
    await loop.stop();
  }

  private show(service: string, durable: string, name: string): void {
    this.consumed.set(service, (this.consumed.get(service) ?? new Map<string, string>()).set(durable, name));
  }

  /** Sets up the durable consumer, and the stream if it is gone, and begins to take events. */
  private async consume(
    durable: string,
    filter: string,
    ahead: number,
    maxHeld: number,
    startOf?: (manager: JetStreamManager) => Promise<number | undefined>,
  ): Promise<ConsumerMessages> {
    await this.stream.check();
    const manager = await this.bus.connection.jetstreamManager();
    const found = await this.findConsumer(manager, durable);
    if (!found) {
      const start = await startOf?.(manager);
      const config: Partial<ConsumerConfig> = {
        durable_name: durable,
        filter_subject: filter,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(ACK_WAIT_MS),
        max_ack_pending: maxHeld,
        ...(start === undefined
          ? { deliver_policy: DeliverPolicy.All }
          : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start }),
      };
      await manager.consumers.add(this.stream.name, config).catch((error: unknown) => {
        // Another process was faster.
        if (!(error instanceof NatsError && /already/.test(error.message))) throw error;
      });
    }
    const consumer = await this.jetstream().consumers.get(this.stream.name, durable);
    return consumer.consume({ max_messages: ahead, abort_on_missing_resource: true });
  }

  /** A consumer that fits the stream; one that is ahead of it, which came back from a backup, is removed. */
  private async findConsumer(manager: JetStreamManager, durable: string): Promise<ConsumerInfo | undefined> {
    try {
      const found = await manager.consumers.info(this.stream.name, durable);
      const { state } = await manager.streams.info(this.stream.name);
      if (found.delivered.stream_seq <= state.last_seq) return found;
      await manager.consumers.delete(this.stream.name, durable);
      return undefined;
    } catch (error) {
      if (error instanceof NatsError && /consumer not found/.test(error.message)) return undefined;
      throw error;
    }
  }

  /** The number after those that all of some former consumers have dealt with. They go once no process uses them. */
  private async startAfter(manager: JetStreamManager, durables: readonly string[]): Promise<number | undefined> {
    const { state } = await manager.streams.info(this.stream.name);
    const found = await Promise.all(durables.map((durable) => this.findConsumer(manager, durable)));
    const former = found.filter((info) => info !== undefined);
    for (const { name } of former)
      await manager.consumers.update(this.stream.name, name, { inactive_threshold: nanos(this.settings.maxAgeMs) });
    if (former.length === 0) return undefined;
    // One that waits for nothing may not have seen an event of its name for long.
    const done = former.map(({ ack_floor, num_pending, num_ack_pending }) =>
      num_pending + num_ack_pending === 0 ? state.last_seq : ack_floor.stream_seq,
    );
    return Math.min(...done) + 1;
  }

  private jetstream(): JetStreamClient {
    if (!this.client) throw new Error('EventBus.open() was not called');
    return this.client;
  }
}

const durableOf = (service: string, name: string): string => `${service}-${name}`.replace(/[^A-Za-z0-9_-]/g, '_');
