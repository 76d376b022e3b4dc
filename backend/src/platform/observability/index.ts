export { createRequestLog } from './create-request-log.ts';
export { describeError } from './redact.ts';
export { createLogger, createSilentLogger, logLevels, type Logger } from './logger.ts';
export { createMetrics, createMetricsHandler, type Metrics } from './metrics.ts';
