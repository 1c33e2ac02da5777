import { Gauge } from 'prom-client';
import { Periodic } from './periodic';

/** Where the numbers about the load of a service come from. */
export interface LoadSource {
  readonly module: string;
  /** Calls under way. */
  calls(): number;
  /** Connections to the database by shard. */
  connections?(): Promise<Readonly<Record<string, { open: number; idle: number; waiting: number }>>>;
  /** Events that wait to be sent, and the time since the oldest one was stored, ms. */
  outbox?(): Promise<{ count: number; lagMs: number }>;
  /** Events that wait to be consumed, by event. */
  backlog?(): Promise<Readonly<Record<string, number>>>;
  /** Pause between two measurements of what servers are asked for, ms. */
  readonly sampleMs: number;
}

/** What the servers said last. */
interface Sample {
  connections: Awaited<ReturnType<NonNullable<LoadSource['connections']>>>;
  outbox?: Awaited<ReturnType<NonNullable<LoadSource['outbox']>>>;
  backlog: Awaited<ReturnType<NonNullable<LoadSource['backlog']>>>;
}

const sources = new Map<LoadSource, Sample>();

/**
 * Shows the load of a service in the metrics until the returned function is called. Servers are asked in the background: a
 * scrape costs them nothing and does not wait for one that is down, whose last numbers are left out then.
 */
export function showLoad(source: LoadSource): () => Promise<void> {
  const sample: Sample = { connections: {}, backlog: {} };
  sources.set(source, sample);
  const measure = async (): Promise<void> => {
    const [connections, outbox, backlog] = await Promise.allSettled([
      source.connections?.(),
      source.outbox?.(),
      source.backlog?.(),
    ]);
    sample.connections = (connections.status === 'fulfilled' ? connections.value : undefined) ?? {};
    sample.outbox = outbox.status === 'fulfilled' ? outbox.value : undefined;
    sample.backlog = (backlog.status === 'fulfilled' ? backlog.value : undefined) ?? {};
  };
  const sampling = new Periodic(measure, () => undefined);
  sampling.start(source.sampleMs);
  sampling.round();
  return async () => {
    sources.delete(source);
    await sampling.stop();
  };
}

new Gauge({
  name: 'groupware_calls_running',
  help: 'Calls that a service answers at the moment',
  labelNames: ['module'],
  collect() {
    this.reset();
    for (const source of sources.keys()) this.inc({ module: source.module }, source.calls());
  },
});

new Gauge({
  name: 'groupware_database_connections',
  help: 'Connections of a service by state; waiting counts callers without one',
  labelNames: ['module', 'shard', 'state'],
  collect() {
    this.reset();
    for (const [{ module }, { connections }] of sources)
      for (const [shard, states] of Object.entries(connections))
        for (const [state, count] of Object.entries(states)) this.inc({ module, shard, state }, count);
  },
});

new Gauge({
  name: 'groupware_outbox_lag_seconds',
  help: 'Age of the oldest event that waits to be sent',
  labelNames: ['module'],
  collect() {
    this.reset();
    for (const [{ module }, { outbox }] of sources) if (outbox) this.set({ module }, outbox.lagMs / 1000);
  },
});

new Gauge({
  name: 'groupware_outbox_events',
  help: 'Events that wait to be sent',
  labelNames: ['module'],
  collect() {
    this.reset();
    for (const [{ module }, { outbox }] of sources) if (outbox) this.set({ module }, outbox.count);
  },
});

new Gauge({
  name: 'groupware_event_backlog',
  help: 'Events that wait to be consumed by a service',
  labelNames: ['module', 'event'],
  collect() {
    this.reset();
    for (const [{ module }, { backlog }] of sources)
      for (const [event, count] of Object.entries(backlog)) this.set({ module, event }, count);
  },
});
