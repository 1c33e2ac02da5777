import type { PoolLoad } from '@groupware/persistence';
import { Gauge } from 'prom-client';
import { Periodic } from './periodic';

/** Source of load metrics of a service. */
export interface LoadSource {
  readonly module: string;
  /** Calls under way. */
  calls(): number;
  /** Connections to the database by shard. */
  connections?(): Readonly<Record<string, PoolLoad>>;
  /** Events that wait to be sent, and the time since the oldest one was stored, ms. */
  outbox?(): Promise<{ count: number; lagMs: number }>;
  /** Events that wait to be consumed, by event. */
  backlog?(): Promise<Readonly<Record<string, number>>>;
  /** Sampling interval of values read from servers, ms. */
  readonly sampleMs: number;
}

/** Last sampled values. */
interface Sample {
  outbox?: Awaited<ReturnType<NonNullable<LoadSource['outbox']>>>;
  backlog: Awaited<ReturnType<NonNullable<LoadSource['backlog']>>>;
}

const sources = new Map<LoadSource, Sample>();

/**
 * Shows the load of a service in the metrics until the returned function is called. Servers are asked in the background: a
 * scrape costs them nothing and does not wait for one that is down, whose last numbers are left out then.
 */
export function registerLoad(source: LoadSource): () => Promise<void> {
  const sample: Sample = { backlog: {} };
  sources.set(source, sample);
  const measure = async (): Promise<void> => {
    const [outbox, backlog] = await Promise.allSettled([source.outbox?.(), source.backlog?.()]);
    sample.outbox = outbox.status === 'fulfilled' ? outbox.value : undefined;
    sample.backlog = (backlog.status === 'fulfilled' ? backlog.value : undefined) ?? {};
  };
  const sampling = new Periodic(measure, () => undefined);
  sampling.start(source.sampleMs);
  sampling.requestRound();
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
    for (const { module, connections } of sources.keys())
      for (const [shard, { open, idle, waiting }] of Object.entries(connections?.() ?? {}))
        for (const [state, count] of Object.entries({ open, idle, waiting })) this.inc({ module, shard, state }, count);
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
