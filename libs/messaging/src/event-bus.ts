import type { EventMessage } from '@groupware/contracts';
import {
  AckPolicy,
  DeliverPolicy,
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
/** An event not acknowledged in time is delivered again. */
export const ACK_WAIT_MS = 30_000;
/** Delays before a failed event is delivered again; the last one repeats. */
export const RETRY_DELAYS_MS = [200, 1000, 5000, 15_000, 60_000] as const;

/** A running consumer. */
export interface EventSubscription {
  /** Waits for the event in hand, then ends. */
  stop(): Promise<void>;
}

/** Domain events over JetStream: at least once, in order per consumer, kept while a consumer is away. */
export class EventBus {
  private readonly stream: string;
  private client: JetStreamClient | undefined;
  private readonly subscriptions = new Set<EventSubscription>();

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
    await this.jetstream().publish(this.bus.subject(`event.${message.name}`), Buffer.from(JSON.stringify(message)), {
      msgID: message.id,
      timeout: 5000,
    });
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
    const durable = `${service}-${event.name}`.replace(/[^A-Za-z0-9_-]/g, '_');
    const manager = await this.bus.connection.jetstreamManager();
    await manager.consumers.add(this.stream, {
      durable_name: durable,
      filter_subject: this.bus.subject(`event.${event.name}`),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      deliver_policy: DeliverPolicy.All,
      max_ack_pending: 256,
    });
    const consumer = await this.jetstream().consumers.get(this.stream, durable);
    const messages = await consumer.consume({ max_messages: 50 });
    const loop = this.consume(messages, event.name, handle);
    const subscription = {
      stop: async () => {
        this.subscriptions.delete(subscription);
        await messages.close();
        await loop;
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
      callback: (_error, message) => handle(message.json<P>()),
    });
    return () => subscription.unsubscribe();
  }

  /** Ends all consumers after the events in hand. */
  async close(): Promise<void> {
    await Promise.all([...this.subscriptions].map((subscription) => subscription.stop()));
  }

  private async consume(
    messages: ConsumerMessages,
    name: string,
    handle: (message: EventMessage) => Promise<void>,
  ): Promise<void> {
    for await (const message of messages) await this.deliver(message, name, handle);
  }

  private async deliver(message: JsMsg, name: string, handle: (message: EventMessage) => Promise<void>): Promise<void> {
    // Long work keeps the event: without this it would be delivered to another process meanwhile.
    const keep = setInterval(() => message.working(), ACK_WAIT_MS / 2);
    try {
      await handle(message.json<EventMessage>());
      await message.ackAck();
    } catch (error) {
      this.report(error, `event ${name}`);
      const attempt = Math.min(message.info.deliveryCount, RETRY_DELAYS_MS.length) - 1;
      message.nak(RETRY_DELAYS_MS[attempt]);
    } finally {
      clearInterval(keep);
    }
  }

  private jetstream(): JetStreamClient {
    if (!this.client) throw new Error('EventBus.open() was not called');
    return this.client;
  }
}
