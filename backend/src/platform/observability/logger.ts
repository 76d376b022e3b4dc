import { pino, stdTimeFunctions, type DestinationStream, type Logger as Pino } from 'pino';
import { ConfigError } from '../config/config.ts';
import { currentRequestId } from '../http/request-scope.ts';
import { redactKeys, scrubText } from './redact.ts';
import { currentTraceId } from './tracing.ts';

interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

/** The part of a logger that the code base uses. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
  child(bindings: Record<string, unknown>): Logger;
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];
type Method = Exclude<LogLevel, 'silent'>;

interface LoggerOptions {
  readonly level: LogLevel;
  /** The name of the process, which is `service` on every line. */
  readonly name: string;
  /** The destination of the lines, by default standard output. */
  readonly destination?: DestinationStream;
}

const methodOf = (target: Pino, level: Method): LogMethod => {
  const method = (first: object | string, message?: string): void => {
    if (!target.isLevelEnabled(level)) return;
    if (typeof first === 'string') target[level](first);
    else target[level](redactKeys(first), message);
  };
  return method;
};

const wrap = (target: Pino): Logger => ({
  debug: methodOf(target, 'debug'),
  info: methodOf(target, 'info'),
  warn: methodOf(target, 'warn'),
  error: methodOf(target, 'error'),
  fatal: methodOf(target, 'fatal'),
  child: (bindings) => wrap(target.child(redactKeys(bindings))),
});

/**
 * Creates a logger that writes JSON lines with `level` in words, RFC 3339 `time`, `service`, and
 * the ids of the current request or job and trace. Values under secret keys are removed from the
 * fields, and anything that still looks like a secret from the finished line (contract: money >
 * Invariants).
 */
export const createLogger = (options: LoggerOptions): Logger => {
  const { level, name, destination = pino.destination({ dest: 1, sync: true }) } = options;
  const root = pino(
    {
      level,
      base: { service: name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const [requestId, traceId] = [currentRequestId(), currentTraceId()];
        return {
          ...(requestId !== undefined && { requestId }),
          ...(traceId !== undefined && { traceId }),
        };
      },
      // `redactKeys` has already described the errors. The library would describe that description
      // again.
      serializers: { err: (described: unknown) => described },
      hooks: { streamWrite: scrubText },
    },
    destination,
  );
  return wrap(root);
};

/**
 * Logs the reason why a process does not start. It needs no configuration, since that may be the
 * problem.
 */
export const logFailedStart = (name: string, error: unknown): void => {
  const problems = error instanceof ConfigError ? error.message.split('\n') : undefined;
  const fields = problems === undefined ? { err: error } : { problems };
  createLogger({ level: 'fatal', name }).fatal(fields, 'the process does not start');
};

/** Creates a logger that writes nothing, for tests and for optional loggers. */
export const createSilentLogger = (): Logger => createLogger({ level: 'silent', name: 'silent' });
