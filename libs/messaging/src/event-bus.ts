import { setTimeout as wait } from 'node:timers/promises';
import type { EventMessage } from '@groupware/contracts';
import {
  AckPolicy,
  DeliverPolicy,
  ErrorCode,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type ConsumerMessages,
  type JetStreamClient,
  type JsMsg,
} from 'nats';
import type { Bus } from './bus';

/** How long events are kept for consumers that are away. */
export const EVENT_LIFE_MS = 7 * 24 * 60 * 60 * 1000;
/** Longest time to wait until an event is stored, ms. */
const PUBLISH_TIMEOUT_MS = 5000;
/** An event not acknowledged in time is delivered again. */
export const ACK_WAIT_MS = 30_000;
/** Events that a consumer takes ahead of the one in hand. */
const TAKE_AHEAD = 50;
/** Delays before a failed event is delivered again; the last one repeats. */
export const RETRY_DELAYS_MS = [200, 1000, 5000, 15_000, 60_000] as const;

/** A running consumer. */
export interface EventSubscription {
  /** Waits for the event in hand, then ends. */
  stop(): Promise<void>;
}

/** Pause before a consumer that lost its stream is set up again, ms. */
const REOPEN_DELAY_MS = 1000;

/**
 * Domain events over JetStream: at least once, kept while a consumer is away, one at a time for each consumer of a
 * process. An event that failed comes again later, so later events may overtake it.
 */
export class EventBus {
  private readonly stream: string;
  private client: JetStreamClient | undefined;
  private readonly subscriptions = new Set<EventSubscription>();
  /** Names of events by service. */
  private readonly consumed = new Map<string, Set<string>>();

  constructor(
    private readonly bus: Bus,
    private readonly report: (problem: unknown, what: string) => void = () => {},
  ) {
    this.stream = `${bus.prefix.replace(/[^A-Za-z0-9_-]/g, '_')}-events`;
  }

  /** Makes the stream where it is missing. Safe to call from many processes. */
  async open(): Promise<void> {
    const manager = await this.bus.connection.jetstreamManager();
    const config = {
      name: this.stream,
      subjects: [this.bus.subject('event.>')],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      max_age: nanos(EVENT_LIFE_MS),
      duplicate_window: nanos(2 * 60 * 1000),
    };
    try {
      await manager.streams.info(this.stream);
    } catch {
      await manager.streams.add(config).catch((error: unknown) => {
        // Another process was faster.
        if (!(error instanceof NatsError && /already in use/.test(error.message))) throw error;
      });
    }
    this.client = this.bus.connection.jetstream();
  }

  /** Publishes an event; the message id removes duplicates within two minutes. Resolves when it is stored. */
  async publish(message: EventMessage): Promise<void> {
    const send = () =>
      this.jetstream().publish(this.bus.subject(`event.${message.name}`), Buffer.from(JSON.stringify(message)), {
        msgID: message.id,
        timeout: PUBLISH_TIMEOUT_MS,
      });
    try {
      await send();
    } catch (error) {
      // No stream answers: the server may have come back without its data.
      if (!(error instanceof NatsError && error.code === ErrorCode.NoResponders)) throw error;
      await this.open();
      await send();
    }
  }

  /**
   * Delivers every event of a name to one process of the service, again until the handler resolves. Starts with the
   * oldest event kept, so that a module added later catches up.
   */
  async subscribe(
    service: string,
    event: { readonly name: string },
    handle: (message: EventMessage) => Promise<void>,
  ): Promise<EventSubscription> {
    const run = new EventLoop(
      () => this.messages(service, event.name),
      (message) => handle(message.json<EventMessage>()),
      (error) => this.report(error, `event ${event.name}`),
    );
    await run.start();
    this.consumed.set(service, (this.consumed.get(service) ?? new Set()).add(event.name));
    const subscription = {
      stop: async () => {
        this.subscriptions.delete(subscription);
        await run.stop();
      },
    };
    this.subscriptions.add(subscription);
    return subscription;
  }

  /** Tells every process, now; those that are away miss it. For caches only. */
  broadcast(topic: string, payload: object): void {
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
    await manager.streams.info(this.stream);
  }

  /** Events that a service has still to consume, by name. */
  async backlog(service: string): Promise<Record<string, number>> {
    const manager = await this.bus.connection.jetstreamManager();
    const names = [...(this.consumed.get(service) ?? [])];
    const waiting = await Promise.all(
      names.map(async (name) => {
        const info = await manager.consumers.info(this.stream, durableOf(service, name));
        return [name, info.num_pending + info.num_ack_pending] as const;
      }),
    );
    return Object.fromEntries(waiting);
  }

  /** Ends all consumers after the events in hand. */
  async close(): Promise<void> {
    await Promise.all([...this.subscriptions].map((subscription) => subscription.stop()));
  }

  /** Sets up the durable consumer, and the stream if it is gone, and begins to take events. */
  private async messages(service: string, name: string): Promise<ConsumerMessages> {
    const durable = durableOf(service, name);
    const manager = await this.bus.connection.jetstreamManager();
    const config = {
      durable_name: durable,
      filter_subject: this.bus.subject(`event.${name}`),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      deliver_policy: DeliverPolicy.All,
      max_ack_pending: 256,
    };
    try {
      await manager.consumers.add(this.stream, config);
    } catch (error) {
      if (!(error instanceof NatsError && /stream not found/.test(error.message))) throw error;
      await this.open();
      await manager.consumers.add(this.stream, config);
    }
    const consumer = await this.jetstream().consumers.get(this.stream, durable);
    return consumer.consume({ max_messages: TAKE_AHEAD, abort_on_missing_resource: true });
  }

  private jetstream(): JetStreamClient {
    if (!this.client) throw new Error('EventBus.open() was not called');
    return this.client;
  }
}

const durableOf = (service: string, name: string): string => `${service}-${name}`.replace(/[^A-Za-z0-9_-]/g, '_');

/** Takes events for one handler until it is stopped, whatever happens to the stream meanwhile. */
class EventLoop {
  private current: ConsumerMessages | undefined;
  private stopped = false;
  private readonly pause = new AbortController();
  private ended: Promise<void> | undefined;

  constructor(
    private readonly open: () => Promise<ConsumerMessages>,
    private readonly handle: (message: JsMsg) => Promise<void>,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Rejects when the consumer can't be set up at all. */
  async start(): Promise<void> {
    this.current = await this.open();
    this.ended = this.run();
  }

  /** Ends after the event in hand; those taken ahead go back. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.pause.abort();
    await this.current?.close();
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        this.current ??= await this.open();
        for await (const message of this.current) {
          if (this.stopped) message.nak();
          else await this.deliver(message);
        }
      } catch (error) {
        if (!this.stopped) this.report(error);
      }
      this.current = undefined;
      if (!this.stopped) await wait(REOPEN_DELAY_MS, undefined, { signal: this.pause.signal }).catch(() => undefined);
    }
  }

  private async deliver(message: JsMsg): Promise<void> {
    // Long work keeps the event: without this it would be delivered to another process meanwhile.
    const keep = setInterval(() => attempt(() => message.working()), ACK_WAIT_MS / 2);
    try {
      await this.handle(message);
      // A lost acknowledgement brings the event again, which consumers expect.
      await message.ackAck().catch(this.report);
    } catch (error) {
      this.report(error);
      const tries = Math.min(message.info.deliveryCount, RETRY_DELAYS_MS.length);
      attempt(() => message.nak(RETRY_DELAYS_MS[tries - 1]));
    } finally {
      clearInterval(keep);
    }
  }
}

/** Tells the server something that it will find out by itself when the connection is gone. */
function attempt(tell: () => void): void {
  try {
    tell();
  } catch {
    // Not acknowledged means delivered again.
  }
}
