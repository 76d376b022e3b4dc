import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';

/** Looks up the SDK at each span. Without an SDK, no call here has an effect. */
export const tracer = trace.getTracer('digital-gold');

/**
 * The header of W3C's trace context that rows and payloads store. It has two random ids and a flag.
 */
const header = 'traceparent';

/** Returns the trace and span that this code is a part of, or undefined if nothing is traced. */
export const currentTraceparent = (): string | undefined => {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier[header];
};

/** Returns a context that continues the trace of a `traceparent`. */
export const continuing = (traceparent: string): Context =>
  propagation.extract(ROOT_CONTEXT, { [header]: traceparent });

/** Returns the id of the trace that this code is a part of, for log lines. */
export const currentTraceId = (): string | undefined => {
  const span = trace.getSpanContext(context.active());
  return span === undefined || !trace.isSpanContextValid(span) ? undefined : span.traceId;
};

interface SpanOptions {
  /** The name. It is one of our own words, and never an id, an address or an amount. */
  readonly name: string;
  readonly kind: 'client' | 'consumer' | 'internal';
  readonly attributes?: Attributes;
  /** Continues the trace of `traceparent` instead of the current one. */
  readonly traceparent?: string | undefined;
}

const kinds = {
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** Names the span of the current request by its route, which is found after the span was opened. */
export const nameRequestSpan = (method: string, route: string): void => {
  trace.getActiveSpan()?.updateName(`${method} ${route}`).setAttribute('http.route', route);
};

/** A running span of a trace. */
export interface OpenSpan {
  setAttributes(attributes: Attributes): void;
}

/**
 * Runs `work` as a span of a trace. Only the name of an error is recorded, since its text may quote
 * a customer's input.
 */
export const inSpan = <T>(
  { name, kind, attributes = {}, traceparent }: SpanOptions,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> => {
  const parent = traceparent === undefined ? context.active() : continuing(traceparent);
  return tracer.startActiveSpan(name, { kind: kinds[kind], attributes }, parent, async (span) => {
    try {
      return await work({ setAttributes: (added) => void span.setAttributes(added) });
    } catch (error) {
      const message = error instanceof Error ? error.name : 'Error';
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  });
};
