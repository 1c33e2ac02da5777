/** Attributes of the work of a span. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A piece of work in a trace. */
export interface Span {
  /** W3C trace context that makes the span the parent of what bears it. */
  readonly traceparent: string;
  /** Runs work whose spans are children of this one. */
  within<T>(work: () => T): T;
  /** Ends the span. `error`: code or name of what went wrong; `name`: a better name than the first one. */
  end(outcome?: { readonly error?: string; readonly name?: string; readonly attributes?: SpanAttributes }): void;
}

/** Origin of the request for the work: outside of the process (`server`), or this process, which asks another (`client`). */
export type SpanKind = 'server' | 'client';

/** Makes spans. */
export interface Tracer {
  /** @param parent W3C trace context; default: the span within which this runs */
  startSpan(name: string, kind: SpanKind, attributes: SpanAttributes, parent?: string): Span;
}

let current: Tracer | undefined;

/** Switches tracing on for the process, or off. */
export function setTracer(tracer: Tracer | undefined): void {
  current = tracer;
}

/** The tracer of the process; undefined while tracing is off, which costs this look and nothing else. */
export const activeTracer = (): Tracer | undefined => current;
