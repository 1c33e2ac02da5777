import type { Bus, BusLoad } from '@groupware/messaging';
import { Counter, Gauge } from 'prom-client';
import { BUILD_DATE, VERSION } from './version';

const buses = new Set<Bus>();

/** Shows a connection to NATS in the metrics until the returned function is called. */
export function registerBus(bus: Bus): () => void {
  buses.add(bus);
  return () => void buses.delete(bus);
}

/** Sums that only grow, over the connections of the process. */
function defineSums<L extends string>(
  name: string,
  help: string,
  label: L,
  read: (load: BusLoad) => Iterable<[string, number]>,
) {
  new Counter({
    name,
    help,
    labelNames: [label],
    collect() {
      this.reset();
      for (const { load } of buses)
        for (const [value, count] of read(load)) this.inc({ [label]: value } as never, count);
    },
  });
}

defineSums('groupware_bus_messages_total', 'Messages over the bus', 'direction', ({ messages }) =>
  Object.entries(messages),
);
defineSums('groupware_bus_bytes_total', 'Bytes over the bus', 'direction', ({ bytes }) => Object.entries(bytes));
defineSums(
  'groupware_bus_connection_events_total',
  'What happened to the connection to the bus: disconnect, reconnect, error (also a slow consumer), staleConnection',
  'event',
  ({ events }) => events,
);

new Gauge({
  name: 'groupware_bus_connected',
  help: '1 while the process is connected to the bus',
  collect() {
    for (const { load } of buses) this.set(load.isConnected ? 1 : 0);
  },
});

new Gauge({
  name: 'groupware_bus_calls_waiting',
  help: 'Calls to other services that wait for their answer',
  collect() {
    let count = 0;
    for (const { load } of buses) count += load.waitingCalls;
    this.set(count);
  },
});

const checkUp = new Gauge({
  name: 'groupware_check_up',
  help: '1 when the last look of a health check found everything in order, else 0',
  labelNames: ['check'],
});

/** Notes the outcome of a health check. */
export const recordCheck = (check: string, isUp: boolean): void => checkUp.set({ check }, isUp ? 1 : 0);

new Gauge({
  name: 'groupware_build_info',
  help: 'Always 1; the labels tell what runs',
  labelNames: ['version', 'build_date', 'node'],
}).set({ version: VERSION, build_date: BUILD_DATE, node: process.version }, 1);
