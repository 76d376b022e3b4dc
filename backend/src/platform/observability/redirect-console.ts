import type { Logger } from './logger.ts';
import { describeError } from './redact.ts';

const methods = ['debug', 'log', 'info', 'warn', 'error', 'trace'] as const;

const toText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value instanceof Error ? describeError(value).message : typeof value;
};

/**
 * Makes lines of the log of what libraries, and Node itself, print: the queue's prints stacks and
 * advice beside it, and a warning of Node is text of several lines. Nothing but texts and errors is
 * shown, since what else is printed may hold anything.
 */
export const redirectConsole = (logger: Pick<Logger, 'warn'>): void => {
  for (const method of methods) {
    console[method] = (...values: unknown[]): void => {
      const err = values.find((value) => value instanceof Error);
      const printed = values.map(toText).join(' ');
      logger.warn({ printed, ...(err !== undefined && { err }) }, 'a library wrote to the console');
    };
  }
  // Node's own listener prints.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    logger.warn({ err: warning }, 'Node.js emitted a warning');
  });
};
