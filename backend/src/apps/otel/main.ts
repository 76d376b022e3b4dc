/**
 * Traces, only where OTEL_EXPORTER_OTLP_ENDPOINT is set. A process without it pays nothing. Loaded
 * before everything else, with `node --import ./dist/otel/main.js ...`: under ESM only modules that
 * are loaded after the hook can be watched. The SDK reads the other OTEL_* variables itself. Paths
 * of objects and SQL parameters are not recorded, and texts of errors pass the log's scrubs.
 */
import { register } from 'node:module';
import { scrubText } from '../../platform/observability/redact.ts';

/**
 * The modules that the instrumentations below change. Without a list the hook puts a wrapper around
 * every module of the process, which made each request dearer by some 5 us.
 */
const watched = ['http', 'https', 'node:http', 'node:https', 'ioredis', 'pg', 'pg-pool'];

/** An object's path holds its customer's id. `server.address` stays. */
const unrecordedOfCalls = { 'url.full': undefined };

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
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url, {
    data: { include: watched },
  });
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
      // Records only outgoing calls. Incoming instrumentation would bind a context to each request
      // and response, recorded or not, and Express's would inspect each layer.
      new HttpInstrumentation({
        // The SDK enables it. Enabled by its constructor it forgets that it has patched node:http,
        // which the exporter has loaded by then, and records each call twice.
        enabled: false,
        // `traceRequests` opens the span of a request.
        disableIncomingRequestInstrumentation: true,
        startOutgoingSpanHook: () => unrecordedOfCalls,
      }),
      new IORedisInstrumentation({ dbStatementSerializer: (command) => command }),
      // Not the polling of loops, which belongs to nothing and would be most of what is kept.
      new PgInstrumentation({ enhancedDatabaseReporting: false, requireParentSpan: true }),
    ],
  });
  sdk.start();
};

if ((process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') !== '') await startTracing();
