/**
 * Traces, only where OTEL_EXPORTER_OTLP_ENDPOINT is set; a process without it pays nothing. Loaded
 * before everything else, with `node --import ./dist/otel/main.js ...`: under ESM only modules that
 * are loaded after the hook can be watched. The SDK reads the other OTEL_* variables itself.
 * Paths with their ids and tokens, the addresses of clients and SQL parameters are not recorded,
 * and texts of errors pass the log's scrubs.
 */
import { register } from 'node:module';
import { scrubText } from '../../platform/observability/redact.ts';

/**
 * Attributes that the span of a request does not get: they hold ids and push tokens, or identify
 * customers. Undefined ones are dropped. The route names itself as `http.route`.
 */
const unrecordedOfRequests = {
  'url.path': undefined,
  'url.query': undefined,
  'client.address': undefined,
  'network.peer.address': undefined,
  'network.peer.port': undefined,
  'user_agent.original': undefined,
};

/** The same for calls: an object's path holds its customer's id. `server.address` stays. */
const unrecordedOfCalls = { 'url.full': undefined };

/**
 * Probes, and the live price: it is answered from memory, so a trace of it would say nothing and
 * cost more than the answer.
 */
const untraced = /^\/(?:healthz|readyz|metrics|v1\/price\/current)(?:\?|$)/u;

/** The texts of errors in a span. */
interface SpanTexts {
  readonly status: { message?: string };
  readonly events: readonly { readonly attributes?: Record<string, unknown> }[];
}

/** The text of an error may quote what a customer sent, or what a database had. */
const scrubErrors = ({ status, events }: SpanTexts): void => {
  if (status.message !== undefined) status.message = scrubText(status.message);
  for (const { attributes = {} } of events) {
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === 'string') attributes[key] = scrubText(value);
    }
  }
};

const startTracing = async (): Promise<void> => {
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { IORedisInstrumentation } = await import('@opentelemetry/instrumentation-ioredis');
  const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  class ScrubbedTraceExporter extends OTLPTraceExporter {
    override export(
      ...[spans, done]: Parameters<InstanceType<typeof OTLPTraceExporter>['export']>
    ) {
      for (const span of spans) scrubErrors(span);
      super.export(spans, done);
    }
  }
  const sdk = new NodeSDK({
    traceExporter: new ScrubbedTraceExporter(),
    // Metrics go to Prometheus and logs to standard output.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [
      new HttpInstrumentation({
        // The SDK enables it. Enabled by its constructor it forgets that it has patched node:http,
        // which the exporter has loaded by then, and records each call twice.
        enabled: false,
        ignoreIncomingRequestHook: ({ url }) => untraced.test(url ?? ''),
        startIncomingSpanHook: () => unrecordedOfRequests,
        startOutgoingSpanHook: () => unrecordedOfCalls,
      }),
      // None for Express: routes name the span of their request, which costs less than a look at
      // each layer of each request.
      new IORedisInstrumentation({ dbStatementSerializer: (command) => command }),
      // Not the polling of loops, which belongs to nothing and would be most of what is kept.
      new PgInstrumentation({ enhancedDatabaseReporting: false, requireParentSpan: true }),
    ],
  });
  sdk.start();
};

if ((process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') !== '') await startTracing();
