export type { CallFlow } from './flow-metrics.ts';
export { createRequestLog } from './create-request-log.ts';
export { describeError } from './redact.ts';
export { redirectConsole } from './redirect-console.ts';
export { currentTraceparent, inSpan } from './tracing.ts';
export {
  createLogger,
  createSilentLogger,
  logFailedStart,
  logLevels,
  type Logger,
} from './logger.ts';
export { createMetrics, createMetricsHandler, type Metrics } from './metrics.ts';
