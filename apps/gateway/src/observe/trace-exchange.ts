import { activeTracer } from '@groupware/contracts';
import type { Exchange } from '../edge/exchange';

/** Version, trace, parent and flags of a W3C trace context; version ff and ids of zeros are invalid (section 3.2.2). */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Answers a request, in a span where tracing is on: a child of the one that the client's `traceparent` (W3C Trace Context)
 * names, else the first of a trace.
 */
export function traceExchange(exchange: Exchange, answer: () => Promise<void>): Promise<void> {
  const tracer = activeTracer();
  if (!tracer) return answer();
  const { request, response, method } = exchange;
  const header = request.headers.traceparent;
  const parent = typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
  // Neither path nor query: they hold sessions and tokens.
  const span = tracer.startSpan(method, 'server', { 'http.request.method': method }, parent);
  response.once('close', () => {
    const { operation, code } = exchange;
    const status = response.statusCode;
    const error = code ?? (status >= 500 ? String(status) : response.writableFinished ? undefined : 'aborted');
    span.end({
      name: operation ? `${method} ${operation.module}.${operation.name}` : method,
      attributes: {
        ...(response.headersSent ? { 'http.response.status_code': status } : {}),
        'groupware.request_id': exchange.requestId,
      },
      ...(error ? { error } : {}),
    });
  });
  return span.within(answer);
}
