import { assertOutsideTransaction } from '@groupware/contracts';
import type { Command, Redis } from 'ioredis';
import { Counter, Gauge, Histogram } from 'prom-client';

const duration = new Histogram({
  name: 'groupware_redis_command_seconds',
  help: 'Time to answer a command of Redis',
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5],
});
const failures = new Counter({
  name: 'groupware_redis_failures_total',
  help: 'Commands of Redis that failed',
});
const connections = new Counter({
  name: 'groupware_redis_connection_events_total',
  help: 'What happened to connections to Redis: connect, reconnecting, error',
  labelNames: ['event'],
});
const all = new Set<Redis>();
new Gauge({
  name: 'groupware_redis_connected',
  help: 'Connections to Redis that can be used',
  collect() {
    this.set([...all].filter(({ status }) => status === 'ready').length);
  },
});

/** Counts and times the commands of a connection until it ends. */
export function measureRedis(redis: Redis): void {
  all.add(redis);
  redis.once('end', () => all.delete(redis));
  for (const event of ['connect', 'reconnecting', 'error']) redis.on(event, () => connections.inc({ event }));
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, stream) => {
    assertOutsideTransaction(`Redis command ${command.name}`);
    const started = performance.now();
    command.promise.then(
      () => duration.observe((performance.now() - started) / 1000),
      () => failures.inc(),
    );
    return send(command, stream);
  };
}
