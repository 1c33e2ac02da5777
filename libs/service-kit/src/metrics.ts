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

/** Counts one answered operation. */
export function countCall({ operation, code, durationMs }: CallOutcome): void {
  calls.inc({ module: operation.module, action: operation.name, outcome: code });
  duration.observe({ module: operation.module, action: operation.name }, durationMs / 1000);
}
