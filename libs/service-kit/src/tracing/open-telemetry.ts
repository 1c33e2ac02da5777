import { setTracer, type Span, type SpanAttributes, type SpanKind, type Tracer } from '@groupware/contracts';
import type { Context, Span as OpenTelemetrySpan } from '@opentelemetry/api';
import { VERSION } from '../version';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { TracingSettings } from './tracing-settings';

const SCOPE = 'groupware';
/** Spans are sent so often, ms. */
const FLUSH_MS = 1_000;

/**
 * Sends traces to an OpenTelemetry collector; loads its packages only then. Answers what sends the rest and ends it;
 * undefined where no collector is set.
 * @param modules names of the modules of this process
 * @param exporter takes the spans instead of the collector, in tests
 */
export async function startTracing(
  settings: TracingSettings,
  modules: readonly string[],
  exporter?: SpanExporter,
): Promise<(() => Promise<void>) | undefined> {
  if (settings.endpoint === '') return undefined;
  const api = await import('@opentelemetry/api');
  const sdk = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName || `groupware-${modules.join('-')}`,
      'service.version': VERSION,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(settings.samplePercent / 100) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(
        exporter ??
          new OTLPTraceExporter({
            url: `${settings.endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`,
            timeoutMillis: 5_000,
          }),
        { scheduledDelayMillis: FLUSH_MS },
      ),
    ],
  });
  provider.register();
  const tracer = api.trace.getTracer(SCOPE, VERSION);
  const propagation = new (await import('@opentelemetry/core')).W3CTraceContextPropagator();
  const KINDS: Readonly<Record<SpanKind, number>> = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };

  const parentOf = (parent: string | undefined): Context =>
    parent === undefined
      ? api.context.active()
      : propagation.extract(api.ROOT_CONTEXT, { traceparent: parent }, api.defaultTextMapGetter);

  class TracedWork implements Span {
    private readonly context: Context;

    constructor(
      private readonly span: OpenTelemetrySpan,
      parent: Context,
    ) {
      this.context = api.trace.setSpan(parent, span);
    }

    get traceparent(): string {
      const carrier: { traceparent?: string } = {};
      propagation.inject(this.context, carrier, api.defaultTextMapSetter);
      return carrier.traceparent ?? '';
    }

    within<T>(work: () => T): T {
      return api.context.with(this.context, work);
    }

    end({ error, name, attributes }: Parameters<Span['end']>[0] = {}): void {
      if (name) this.span.updateName(name);
      if (attributes) this.span.setAttributes(attributes);
      if (error) {
        this.span.setAttribute('error.type', error);
        this.span.setStatus({ code: api.SpanStatusCode.ERROR });
      }
      this.span.end();
    }
  }

  const port: Tracer = {
    startSpan(name: string, kind: SpanKind, attributes: SpanAttributes, parent?: string): Span {
      const context = parentOf(parent);
      return new TracedWork(tracer.startSpan(name, { kind: KINDS[kind], attributes }, context), context);
    },
  };
  setTracer(port);
  return async () => {
    setTracer(undefined);
    await provider.shutdown();
    api.trace.disable();
    api.context.disable();
    api.propagation.disable();
  };
}
