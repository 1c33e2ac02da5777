import type { Operation } from '@groupware/contracts';
import type { CallOutcome } from '@groupware/messaging';
import { collectDefaultMetrics, Counter, Histogram, register } from 'prom-client';

/** The metrics of a process; names and labels exist here only. */
export const metrics = register;

let started = false;

/** Starts the process's own metrics, once. */
export function collectProcessMetrics(): void {
  if (started) return;
  started = true;
  collectDefaultMetrics({ register });
}

const calls = new Counter({
  name: 'groupware_operations_total',
  help: 'Operations answered by the services of this process',
  labelNames: ['module', 'action', 'outcome'],
});
const duration = new Histogram({
  name: 'groupware_operation_seconds',
  help: 'Time to answer an operation',
  labelNames: ['module', 'action'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

/** The counters of one outcome of one operation; looking them up by their labels costs more than counting. */
interface BoundMetrics {
  readonly calls: Counter.Internal;
  readonly duration: Histogram.Internal<'module' | 'action'>;
}
const bound = new WeakMap<Operation, Map<string, BoundMetrics>>();

function bindMetrics(operation: Operation, outcome: string): BoundMetrics {
  const { module, name: action } = operation;
  return { calls: calls.labels({ module, action, outcome }), duration: duration.labels({ module, action }) };
}

/** Counts one answered operation. */
export function countCall({ operation, code, durationMs }: CallOutcome): void {
  let outcomes = bound.get(operation);
  if (!outcomes) bound.set(operation, (outcomes = new Map()));
  let found = outcomes.get(code);
  if (!found) outcomes.set(code, (found = bindMetrics(operation, code)));
  found.calls.inc();
  found.duration.observe(durationMs / 1000);
}
