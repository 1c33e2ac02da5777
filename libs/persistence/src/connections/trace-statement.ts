import { activeTracer } from '@groupware/contracts';

/** Longest text of a statement in a trace, characters. Values are parameters: none stands in the text. */
const MAX_TEXT_LENGTH = 1_000;

/** Runs a statement, in a span where tracing is on. */
export function traceStatement<T>(module: string, sql: string, run: () => Promise<T>): Promise<T> {
  const tracer = activeTracer();
  if (!tracer) return run();
  const [verb] = /\w+/.exec(sql) ?? ['statement'];
  const span = tracer.startSpan(`sql ${verb.toLowerCase()}`, 'client', {
    'db.system.name': 'postgresql',
    'db.namespace': module,
    'db.query.text': sql.slice(0, MAX_TEXT_LENGTH),
  });
  const result = run();
  result.then(
    () => span.end(),
    (error: unknown) => span.end({ error: error instanceof Error ? error.name : 'error' }),
  );
  return result;
}
