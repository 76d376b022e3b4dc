import type { Logger } from './logger.ts';
import { describeError } from './redact.ts';

const methods = ['debug', 'log', 'info', 'warn', 'error', 'trace'] as const;

const toText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value instanceof Error ? describeError(value).message : typeof value;
};

/**
 * Turns the output of libraries and of Node into log lines. The queue prints stacks and advice, and
 * a warning of Node has several lines. Only texts and errors are logged, since other values may
 * contain anything.
 */
export const redirectConsole = (logger: Pick<Logger, 'warn'>): void => {
  for (const method of methods) {
    console[method] = (...values: unknown[]): void => {
      const err = values.find((value) => value instanceof Error);
      const printed = values.map(toText).join(' ');
      logger.warn({ printed, ...(err !== undefined && { err }) }, 'a library wrote to the console');
    };
  }
  // Node's own listener prints the warning.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    logger.warn({ err: warning }, 'Node.js emitted a warning');
  });
};
