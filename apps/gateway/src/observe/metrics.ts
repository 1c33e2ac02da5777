import { Counter, Gauge, Histogram, register, type Registry } from 'prom-client';
import type { Stage } from '../edge/admission';
import type { Exchange } from '../edge/exchange';

/** Numbers about the HTTP edge. Label values come from contracts only, so that nobody can make up new ones. */
export class EdgeMetrics {
  private readonly duration: Histogram<'module' | 'operation' | 'status'>;
  private readonly errors: Counter<'module' | 'operation' | 'code'>;
  private readonly requests: Gauge<'listener' | 'stage'>;
  private readonly known = new Map<string, { observe(seconds: number): void }>();

  constructor(registry: Registry = register) {
    const registers = [registry];
    const metric = <T>(name: string, make: () => T): T => (registry.getSingleMetric(name) as T | undefined) ?? make();
    this.duration = metric(
      'groupware_http_request_seconds',
      () =>
        new Histogram({
          name: 'groupware_http_request_seconds',
          help: 'Time from the head of a request to the end of its answer',
          labelNames: ['module', 'operation', 'status'],
          buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
          registers,
        }),
    );
    this.errors = metric(
      'groupware_http_errors_total',
      () =>
        new Counter({
          name: 'groupware_http_errors_total',
          help: 'Answers with an error, by code',
          labelNames: ['module', 'operation', 'code'],
          registers,
        }),
    );
    this.requests = metric(
      'groupware_http_requests_running',
      () =>
        new Gauge({
          name: 'groupware_http_requests_running',
          help: 'Requests under way: their body comes in (receiving), they are worked on (running), their answer goes out (sending)',
          labelNames: ['listener', 'stage'],
          registers,
        }),
    );
  }

  /** A request begins, goes on or ends. */
  setRequests(listener: 'public' | 'internal', stage: Stage, count: number): void {
    this.requests.set({ listener, stage }, count);
  }

  /** A request was answered, or given up by the client. */
  finished(exchange: Exchange, milliseconds: number): void {
    const module = exchange.operation?.module ?? 'none';
    const operation = exchange.operation?.name ?? 'none';
    const status = String(exchange.response.statusCode);
    const key = `${module}/${operation}/${status}`;
    let child = this.known.get(key);
    if (!child) this.known.set(key, (child = this.duration.labels({ module, operation, status })));
    child.observe(milliseconds / 1000);
    if (exchange.code) this.errors.inc({ module, operation, code: exchange.code });
  }
}
