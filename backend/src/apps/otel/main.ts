/**
 * Starts tracing if OTEL_EXPORTER_OTLP_ENDPOINT is set. Without it, tracing costs nothing. This
 * file is loaded first, with `node --import ./dist/otel/main.js ...`, because under ESM only
 * modules that are loaded after the hook can be instrumented. The SDK reads the other OTEL_*
 * variables itself. Paths of objects and SQL parameters are not recorded, and texts of errors are
 * scrubbed as in the log.
 */
import { register } from 'node:module';
import { scrubText } from '../../platform/observability/redact.ts';

/**
 * The modules that the instrumentations below change. Without this list, the hook wraps every
 * module of the process, which made each request slower by some 5 us.
 */
const instrumented = ['http', 'https', 'node:http', 'node:https', 'ioredis', 'pg', 'pg-pool'];

/**
 * Leaves out the address of a call, since an object's path contains its customer's id.
 * `server.address` stays.
 */
const unrecordedAttributes = { 'url.full': undefined };

/** The texts of errors in a span. */
interface SpanTexts {
  readonly status: { message?: string };
  readonly events: readonly { readonly attributes?: Record<string, unknown> }[];
}

/** Scrubs the texts of errors, which may quote a customer's input or values of the database. */
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
    data: { include: instrumented },
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
      // This records only outgoing calls. Instrumentation of incoming calls would bind a context to
      // each request and response, even if it is not recorded, and that of Express would inspect
      // each layer.
      new HttpInstrumentation({
        // The SDK enables it later. The exporter has already loaded node:http. If the constructor
        // enabled the instrumentation, it would forget that it has patched node:http, and record
        // each call twice.
        enabled: false,
        // `traceRequests` opens the span of a request.
        disableIncomingRequestInstrumentation: true,
        startOutgoingSpanHook: () => unrecordedAttributes,
      }),
      new IORedisInstrumentation({ dbStatementSerializer: (command) => command }),
      // Statements without a parent span are left out. They are the polling of loops, which would
      // be most of the recorded spans.
      new PgInstrumentation({ enhancedDatabaseReporting: false, requireParentSpan: true }),
    ],
  });
  sdk.start();
};

if ((process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') !== '') await startTracing();
