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

/** Finds the SDK at each span. Without one every call here does nothing. */
export const tracer = trace.getTracer('digital-gold');

/** The part of W3C's context that rows and payloads keep: two random ids and a flag. */
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
  /** Words of our own: never an id, an address or an amount. */
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

/** Names the span of the request at hand by its route, which is found after it is opened. */
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
      return await work({ setAttributes: (more) => void span.setAttributes(more) });
    } catch (error) {
      const message = error instanceof Error ? error.name : 'Error';
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  });
};
