import { Gauge, type Registry } from 'prom-client';
import type { Connections } from '../db/index.ts';
import type { Logger } from '../observability/logger.ts';

interface StandstillOptions {
  /**
   * The separate connection for the query, since the pool's own connections may be what blocks the
   * jobs.
   */
  readonly connections: Pick<Connections, 'ask'>;
  readonly runner: { msSinceProgress(): number };
  /** The tasks that the runner knows. A job of a newer version waits for a newer worker. */
  readonly tasks: readonly string[];
  readonly registry: Registry;
  readonly logger: Logger;
  /** The standstill, in seconds, from which a worker is not ready. */
  readonly limitSeconds: number;
}

export interface Standstill {
  /**
   * Rejects if jobs have waited for longer than the limit and this worker took or finished no job
   * meanwhile.
   */
  readonly check: () => Promise<void>;
  /** Updates the gauge. */
  readonly observe: () => Promise<void>;
}

/**
 * Selects the wait of the oldest job that could be taken. A job in a queue with a running job waits
 * for that job.
 */
const oldestWaiting = `
  SELECT coalesce(extract(epoch FROM now() - min(j.run_at)), 0)::float8 AS seconds
  FROM graphile_worker.jobs j
  WHERE j.locked_at IS NULL AND j.attempts < j.max_attempts AND j.run_at <= now()
    AND j.task_identifier = ANY($1::text[])
    AND (j.queue_name IS NULL OR NOT EXISTS (
      SELECT FROM graphile_worker.jobs other
      WHERE other.queue_name = j.queue_name AND other.locked_at IS NOT NULL))`;

/**
 * Measures how long jobs have waited while this worker took and finished none of them (contract:
 * conventions > Lost servers). It reads on a separate connection, because the runner may be waiting
 * for an answer that never comes.
 */
export const createStandstill = (options: StandstillOptions): Standstill => {
  const { connections, runner, tasks, registry, logger, limitSeconds } = options;
  const gauge = new Gauge({
    name: 'job_queue_standstill_seconds',
    help: 'Seconds for which jobs have been due while this worker has started and finished none.',
    registers: [registry],
  });
  const measure = async (): Promise<number> => {
    const [row] = await connections.ask<{ seconds: number }>(oldestWaiting, [tasks]);
    const seconds = Math.min(row?.seconds ?? 0, runner.msSinceProgress() / 1000);
    gauge.set(seconds);
    return seconds;
  };
  return {
    async check() {
      const seconds = Math.round(await measure());
      if (seconds > limitSeconds) {
        throw new Error(`jobs have waited for ${seconds} s, and this worker has done none`);
      }
    },
    observe: async () => {
      await measure().catch((error: unknown) => {
        logger.warn({ err: error }, 'the waiting jobs could not be read');
      });
    },
  };
};
