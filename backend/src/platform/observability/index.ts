export { createRequestLog } from './create-request-log.ts';
export { describeError } from './describe-error.ts';
export { createLogger, createSilentLogger, logLevels, type Logger } from './logger.ts';
export { createMetrics, createMetricsHandler, type Metrics } from './metrics.ts';
