import { randomUUID } from 'node:crypto';
import {
  DiscardPolicy,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from 'nats';
import type { Bus } from './bus';
import { streamOf } from './bus-permissions';

/** How the stream of events is stored. */
export interface EventStreamSettings {
  /** Servers of a cluster that hold a copy each; an odd number. */
  readonly replicas: number;
  /** The oldest events (or the new ones, see `discard`) go beyond this size, bytes; -1: no limit. */
  readonly maxBytes: number;
  /** How long events are kept for consumers that are away, ms. */
  readonly maxAgeMs: number;
  readonly storage: 'file' | 'memory';
  /** Policy at the limit of size: the `old` events go, or `new` ones are refused and wait in the outbox. */
  readonly discard: 'old' | 'new';
  /** An event published twice within this time is stored once, ms. */
  readonly duplicateWindowMs: number;
  /** Pause between looks whether the stream is there and as long as it was, ms. */
  readonly checkMs: number;
}

/** Settings of an installation on one machine. */
export const DEFAULT_EVENT_STREAM: EventStreamSettings = {
  replicas: 1,
  maxBytes: -1,
  maxAgeMs: 7 * 24 * 60 * 60 * 1000,
  storage: 'file',
  discard: 'old',
  duplicateWindowMs: 2 * 60 * 1000,
  checkMs: 2_000,
};

/**
 * One life of the stream. It ends when the stream is lost, or comes back from a backup: events confirmed before may be
 * missing then.
 */
export interface StreamGeneration {
  readonly id: string;
  /** For a stream that went back: events of that generation up to this number are still there. */
  readonly kept?: { readonly id: string; readonly lastSeq: number };
}

/** Place where the broker stored an event. */
export interface EventReceipt {
  /** Generation of the stream, see {@link StreamGeneration}. */
  readonly generation: string;
  /** Number in the stream. */
  readonly seq: number;
}

const isMissing = (error: unknown): boolean => error instanceof NatsError && /stream not found/.test(error.message);

const RESTORED = /^restored (\S+) (\S+) (\d+)$/;

/**
 * Generation of a stream. Its creation names it; one that came back from a backup was given a description by the process
 * that noticed.
 */
function generationOf({ created, config }: StreamInfo): StreamGeneration {
  const [, id, former, lastSeq] = RESTORED.exec(config.description ?? '') ?? [];
  return id ? { id, kept: { id: former!, lastSeq: Number(lastSeq) } } : { id: created };
}

const streamNameOf = (prefix: string): string => `${prefix.replace(/[^A-Za-z0-9_-]/g, '_')}-events`;

/**
 * Throws away all events of an installation, for restores of its databases: they tell of what the backup does not have.
 * Services make a new stream when they start, send again what the databases have as sent last, and clients load anew.
 * @returns whether there were any
 */
export async function discardEvents(bus: Bus): Promise<boolean> {
  const manager = await bus.connection.jetstreamManager();
  try {
    return await manager.streams.delete(streamNameOf(bus.prefix));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** The JetStream stream that holds all events of an installation. */
export class EventStream {
  readonly name: string;
  private current: StreamGeneration | undefined;
  /** Highest number that was confirmed in the current generation, as far as it is known here. */
  private highest = 0;
  private checking: Promise<StreamGeneration> | undefined;
  private readonly listeners = new Set<(generation: StreamGeneration) => void>();

  constructor(
    private readonly bus: Bus,
    private readonly settings: EventStreamSettings,
    private readonly report: (problem: unknown, what: string) => void,
  ) {
    this.name = streamOf(bus.prefix);
  }

  /** The generation that was found last. Throws before {@link open}. */
  get generation(): StreamGeneration {
    if (!this.current) throw new Error('EventBus.open() was not called');
    return this.current;
  }

  /** Makes the stream where it is missing, and gives it the settings of this process. Safe to call from many processes. */
  async open(): Promise<void> {
    const manager = await this.bus.connection.jetstreamManager();
    await this.configure(manager, await this.findOrCreate(manager));
    await this.check();
  }

  /** Calls back when the stream has another generation. Returns the way to stop that. */
  onGeneration(listener: (generation: StreamGeneration) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Takes over what was confirmed to another process, or before a restart. */
  async remember({ generation, seq }: EventReceipt): Promise<void> {
    if (generation !== this.generation.id || seq <= this.highest) return;
    this.highest = seq;
    await this.check();
  }

  /** Notes a confirmation. `before`: what {@link mark} answered before the event was sent. */
  confirm(receipt: EventReceipt, before: EventReceipt): void {
    if (receipt.generation !== before.generation || receipt.generation !== this.current?.id) return;
    // Numbers only grow, so a smaller one means that the stream was replaced by an older or an empty one.
    if (receipt.seq <= before.seq) this.checkSoon();
    else if (receipt.seq > this.highest) this.highest = receipt.seq;
  }

  /** Receipt that every later confirmation has to exceed. */
  get mark(): EventReceipt {
    return { generation: this.generation.id, seq: this.highest };
  }

  /** Looks now, and reports what goes wrong. */
  checkSoon(): void {
    this.check().catch((error: unknown) => this.report(error, 'the stream of events could not be looked at'));
  }

  /** Makes the stream anew where it is gone, and notices one that is not the former or went back. */
  check(): Promise<StreamGeneration> {
    return (this.checking ??= this.look().finally(() => (this.checking = undefined)));
  }

  private async look(): Promise<StreamGeneration> {
    const expected = { generation: this.current?.id, seq: this.highest };
    const manager = await this.bus.connection.jetstreamManager();
    let found = await this.findOrCreate(manager);
    if (generationOf(found).id === expected.generation && found.state.last_seq < expected.seq)
      found = await this.beginGeneration(manager, found);
    const generation = generationOf(found);
    if (generation.id === this.current?.id) return generation;
    const isFirst = this.current === undefined;
    this.current = generation;
    this.highest = 0;
    if (!isFirst) for (const listener of this.listeners) listener(generation);
    return generation;
  }

  /** Writes into the stream that it went back, for all processes. */
  private async beginGeneration(
    manager: JetStreamManager,
    { config, created, state }: StreamInfo,
  ): Promise<StreamInfo> {
    const former = generationOf({ config, created } as StreamInfo).id;
    return manager.streams.update(this.name, {
      ...config,
      description: `restored ${randomUUID()} ${former} ${state.last_seq}`,
    });
  }

  private async findOrCreate(manager: JetStreamManager): Promise<StreamInfo> {
    try {
      return await manager.streams.info(this.name);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      return await manager.streams.add({
        name: this.name,
        subjects: [this.bus.subject('event.>')],
        retention: RetentionPolicy.Limits,
        storage: this.settings.storage === 'memory' ? StorageType.Memory : StorageType.File,
        ...this.limits(),
      });
    } catch (error) {
      // Another process was faster, with settings of its own.
      if (!(error instanceof NatsError && /already in use/.test(error.message))) throw error;
      return manager.streams.info(this.name);
    }
  }

  private limits(): Pick<StreamConfig, 'num_replicas' | 'max_bytes' | 'max_age' | 'discard' | 'duplicate_window'> {
    const { replicas, maxBytes, maxAgeMs, discard, duplicateWindowMs } = this.settings;
    return {
      num_replicas: replicas,
      max_bytes: maxBytes,
      max_age: nanos(maxAgeMs),
      discard: discard === 'new' ? DiscardPolicy.New : DiscardPolicy.Old,
      duplicate_window: nanos(duplicateWindowMs),
    };
  }

  /** Changed settings take effect at the next start. Where the server refuses them, the former ones stay. */
  private async configure(manager: JetStreamManager, { config }: StreamInfo): Promise<void> {
    const wanted = this.limits();
    if (Object.entries(wanted).every(([name, value]) => config[name as keyof typeof wanted] === value)) return;
    await manager.streams
      .update(this.name, { ...config, ...wanted })
      .catch((error: unknown) => this.report(error, 'the settings of the stream of events were not taken over'));
  }
}
