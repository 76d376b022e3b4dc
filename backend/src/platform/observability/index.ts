export { createRequestLog } from './create-request-log.ts';
export { describeError, type ErrorDescription } from './describe-error.ts';
export {
  createLogger,
  createSilentLogger,
  logLevels,
  type Logger,
  type LoggerOptions,
  type LogLevel,
} from './logger.ts';
export {
  createMetrics,
  createMetricsHandler,
  type Metrics,
  type ObservedCollaboratorCall,
  type ObservedJob,
  type ObservedQueue,
  type ObservedSweep,
} from './metrics.ts';
export { redactKeys } from './redact-keys.ts';
export { scrubText } from './scrub-text.ts';
