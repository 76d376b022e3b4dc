import type { Timers } from '../clock/timers.ts';
import type { Logger } from '../observability/logger.ts';

export interface Closer {
  readonly name: string;
  readonly close: () => Promise<unknown> | void;
}

interface ShutdownOptions {
  readonly logger: Logger;
  readonly graceMs: number;
  readonly drainDelayMs: number;
  readonly onDrain?: () => Promise<unknown>;
  readonly beforeStop?: () => Promise<unknown> | void;
  readonly closeInOrder: readonly Closer[];
  readonly serverCount: number;
  readonly timers: Timers;
}

export interface Shutdown {
  readonly isDraining: () => boolean;
  /** Drains all servers together; resolves when they may stop. */
  readonly drain: () => Promise<void>;
  /** Is called by each server; the last one closes what they share. */
  readonly serverStopped: (name: string) => Promise<void>;
  /** Resolves when everything is closed. */
  readonly finished: () => Promise<void>;
}

/** Runs the part of a shutdown that a process has once, however many servers it has. */
export const createShutdown = (options: ShutdownOptions): Shutdown => {
  const { logger, graceMs, drainDelayMs, onDrain, beforeStop, closeInOrder, timers } = options;
  let drained: Promise<void> | undefined;
  let work: Promise<void> = Promise.resolve();
  let left = options.serverCount;
  const finish: { resolve?: () => void } = {};
  const all = new Promise<void>((resolve) => {
    finish.resolve = resolve;
  });

  // One step that fails must not keep the others from being done.
  const attempt = async (name: string, step: () => Promise<unknown> | void): Promise<void> => {
    try {
      await step();
    } catch (error) {
      logger.error({ err: error, step: name }, 'a step of the shutdown failed');
    }
  };
  // The timer holds the process: with nothing else left to wait for, work that never ends would
  // otherwise let it end quietly, with 0 and nothing closed.
  const exitAtDeadline = (): void => {
    setTimeout(() => {
      logger.fatal({ graceMs }, 'the shutdown took too long');
      process.exit(1);
    }, graceMs);
  };
  const drain = async (): Promise<void> => {
    exitAtDeadline();
    logger.info({ drainDelayMs }, 'draining');
    if (onDrain !== undefined) work = attempt('drain', onDrain);
    await timers.sleep(drainDelayMs);
    if (beforeStop !== undefined) await attempt('before stop', beforeStop);
  };

  return {
    isDraining: () => drained !== undefined,
    drain: () => (drained ??= drain()),
    async serverStopped(name) {
      logger.info({ server: name }, 'server stopped');
      left -= 1;
      if (left > 0) return;
      await work;
      for (const { name: step, close } of closeInOrder) await attempt(step, close);
      logger.info('closed');
      finish.resolve?.();
    },
    finished: () => all,
  };
};
