import type { Operation } from '@groupware/contracts';
import { Counter, Gauge, Histogram, register, type Registry } from 'prom-client';
import { STAGES, type Admission } from '../edge/admission';
import type { Exchange } from '../edge/exchange';

const REQUESTS = 'groupware_http_requests_running';

/** Numbers about the HTTP edge. Label values come from contracts only, so that no client can make up new ones. */
export class EdgeMetrics {
  private readonly duration: Histogram<'module' | 'operation' | 'status'>;
  private readonly errors: Counter<'module' | 'operation' | 'code'>;
  private admissions: readonly (readonly [string, Pick<Admission, 'count'>])[] = [];
  /** By operation and status: one look-up without a text to be made first. */
  private readonly known = new Map<Operation | undefined, Map<number, { observe(seconds: number): void }>>();

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
    registry.removeSingleMetric(REQUESTS);
    const read = () => this.admissions;
    new Gauge({
      name: REQUESTS,
      help: 'Requests under way: their body comes in (receiving), they are worked on (running), their answer goes out (sending)',
      labelNames: ['listener', 'stage'],
      registers,
      collect() {
        for (const [listener, admission] of read())
          for (const stage of STAGES) this.set({ listener, stage }, admission.count(stage));
      },
    });
  }

  /** Shows the requests that the listeners have in hand. */
  showRequests(admissions: Readonly<Record<string, Pick<Admission, 'count'>>>): void {
    this.admissions = Object.entries(admissions);
  }

  /** A request was answered, or given up by the client. */
  finished(exchange: Exchange, milliseconds: number): void {
    const { operation, response, code } = exchange;
    let byStatus = this.known.get(operation);
    if (!byStatus) this.known.set(operation, (byStatus = new Map()));
    let duration = byStatus.get(response.statusCode);
    if (!duration) {
      duration = this.duration.labels({ ...labelsOf(operation), status: String(response.statusCode) });
      byStatus.set(response.statusCode, duration);
    }
    duration.observe(milliseconds / 1000);
    if (code) this.errors.inc({ ...labelsOf(operation), code });
  }
}

const labelsOf = (operation: Operation | undefined) => ({
  module: operation?.module ?? 'none',
  operation: operation?.name ?? 'none',
});
