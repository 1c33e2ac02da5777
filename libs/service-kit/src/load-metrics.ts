import { Gauge } from 'prom-client';

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
}

const sources = new Set<LoadSource>();

/** Shows the load of a service in the metrics until the returned function is called. */
export function showLoad(source: LoadSource): () => void {
  sources.add(source);
  return () => sources.delete(source);
}

/** Asks all sources; one that fails is left out: a scrape must not fail because a database is down. */
async function ask(work: (source: LoadSource) => Promise<void> | void): Promise<void> {
  await Promise.all([...sources].map(async (source) => Promise.resolve(work(source)).catch(() => undefined)));
}

new Gauge({
  name: 'groupware_calls_running',
  help: 'Calls that a service answers at the moment',
  labelNames: ['module'],
  async collect() {
    this.reset();
    await ask((source) => this.inc({ module: source.module }, source.calls()));
  },
});

new Gauge({
  name: 'groupware_database_connections',
  help: 'Connections of a service by state; waiting counts callers without one',
  labelNames: ['module', 'shard', 'state'],
  async collect() {
    this.reset();
    await ask(async ({ module, connections }) => {
      for (const [shard, states] of Object.entries((await connections?.()) ?? {}))
        for (const [state, count] of Object.entries(states)) this.inc({ module, shard, state }, count);
    });
  },
});

new Gauge({
  name: 'groupware_outbox_lag_seconds',
  help: 'Age of the oldest event that waits to be sent',
  labelNames: ['module'],
  async collect() {
    this.reset();
    await ask(async ({ module, outbox }) => {
      const waiting = await outbox?.();
      if (waiting) this.set({ module }, waiting.lagMs / 1000);
    });
  },
});

new Gauge({
  name: 'groupware_outbox_events',
  help: 'Events that wait to be sent',
  labelNames: ['module'],
  async collect() {
    this.reset();
    await ask(async ({ module, outbox }) => {
      const waiting = await outbox?.();
      if (waiting) this.set({ module }, waiting.count);
    });
  },
});

new Gauge({
  name: 'groupware_event_backlog',
  help: 'Events that wait to be consumed by a service',
  labelNames: ['module', 'event'],
  async collect() {
    this.reset();
    await ask(async ({ module, backlog }) => {
      for (const [event, count] of Object.entries((await backlog?.()) ?? {})) this.set({ module, event }, count);
    });
  },
});
