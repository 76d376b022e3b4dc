import { z } from 'zod';

const attributesSchema = z.array(z.object({ key: z.string(), value: z.json() })).default([]);

const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.int(),
              startTimeUnixNano: z.coerce.bigint(),
              endTimeUnixNano: z.coerce.bigint(),
              attributes: attributesSchema,
              status: z.object({ code: z.int().default(0) }).default({ code: 0 }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A part of a trace, in milliseconds since 1970. */
export interface Span {
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly service: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

const textOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(String).join(', ');
};

const textsOf = (attributes: z.output<typeof attributesSchema>): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, textOf(value)]));

const msOf = (nano: bigint): number => Number(nano / 1000n) / 1000;

const spansOf = (body: string): Span[] =>
  exportSchema.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = textsOf(resource.attributes)['service.name'] ?? '';
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        traceId: span.traceId,
        id: span.spanId,
        parentId: span.parentSpanId === '' ? undefined : span.parentSpanId,
        service: service.replace(/^digital-gold-/u, ''),
        name: span.name,
        startMs: msOf(span.startTimeUnixNano),
        endMs: msOf(span.endTimeUnixNano),
        isFailed: span.status.code === 2,
        attributes: textsOf(span.attributes),
      }));
  });

/** Keeps the newest traces in memory. */
export const createTraces = (maxTraces = 500) => {
  const traces = new Map<string, Span[]>();
  return {
    /**
     * Receives an OTLP export in JSON.
     * @throws Error if it is not an export
     */
    take(body: string): void {
      for (const span of spansOf(body)) {
        const known = traces.get(span.traceId) ?? [];
        // The trace that got a span last is the newest.
        traces.delete(span.traceId);
        traces.set(span.traceId, [...known, span]);
      }
      for (const id of [...traces.keys()].slice(0, Math.max(0, traces.size - maxTraces))) {
        traces.delete(id);
      }
    },
    /** Returns the spans of a trace, the earliest first. */
    spans: (traceId: string): Span[] =>
      (traces.get(traceId) ?? []).toSorted((a, b) => a.startMs - b.startMs),
    /** Returns the ids of the traces, the newest first. */
    ids: (): string[] => [...traces.keys()].toReversed(),
  };
};

export type Traces = ReturnType<typeof createTraces>;
