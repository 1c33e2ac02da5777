import { activeTracer } from '@groupware/contracts';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';
import { startTracing } from './open-telemetry';
import { TracingSettings } from './tracing-settings';

describe('tracing', () => {
  it('is off unless a collector is set', async () => {
    expect(await startTracing(new TracingSettings(), ['a'])).toBeUndefined();
    expect(activeTracer()).toBeUndefined();
  });

  it('makes spans with their parents, and follows the flag of a traceparent', async () => {
    const spans: ReadableSpan[] = [];
    const exporter: SpanExporter = {
      export: (some, done) => {
        spans.push(...some);
        done({ code: 0 });
      },
      shutdown: () => Promise.resolve(),
    };
    const settings = Object.assign(new TracingSettings(), { endpoint: 'http://127.0.0.1:1', samplePercent: 100 });
    const end = await startTracing(settings, ['a', 'b'], exporter);
    const tracer = activeTracer()!;
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const parent = tracer.startSpan('parent', 'server', {}, `00-${trace}-b7ad6b7169203331-01`);
    await parent.within(async () => {
      await Promise.resolve();
      tracer.startSpan('child', 'client', { n: 1 }).end({ error: 'X-1', name: 'renamed' });
    });
    parent.end();
    tracer.startSpan('left out', 'server', {}, `00-${trace}-b7ad6b7169203331-00`).end();
    tracer.startSpan('a trace of its own', 'server', {}, 'rubbish').end();
    await end!();
    expect(activeTracer()).toBeUndefined();
    const byName = new Map(spans.map((span) => [span.name, span]));
    expect([...byName.keys()].sort()).toEqual(['a trace of its own', 'parent', 'renamed']);
    const [outer, inner] = [byName.get('parent')!, byName.get('renamed')!];
    expect(outer.resource.attributes['service.name']).toBe('groupware-a-b');
    expect([outer.spanContext().traceId, outer.parentSpanContext?.spanId]).toEqual([trace, 'b7ad6b7169203331']);
    expect([inner.spanContext().traceId, inner.parentSpanContext?.spanId]).toEqual([trace, outer.spanContext().spanId]);
    expect(inner).toMatchObject({ status: { code: 2 }, attributes: { n: 1, 'error.type': 'X-1' } });
    expect(parent.traceparent).toBe(`00-${trace}-${outer.spanContext().spanId}-01`);
    expect(byName.get('a trace of its own')!.spanContext().traceId).not.toBe(trace);
  });
});
