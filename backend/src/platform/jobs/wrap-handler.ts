import type { JobHelpers, Task } from 'graphile-worker';
import { withRequestId } from '../http/request-id.ts';
import { describeError } from '../observability/describe-error.ts';
import type { Logger } from '../observability/logger.ts';
import type { JobOutcome, Metrics } from '../observability/metrics.ts';
import type { JobContext, JobHandler } from './job.types.ts';

interface WrapOptions {
  readonly task: string;
  readonly handler: JobHandler;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'observeJob'> | undefined;
}

const never = new AbortController().signal;

const contextOf = (task: string, helpers: JobHelpers, logger: Logger): JobContext => {
  const { job } = helpers;
  const { attempts: attempt, max_attempts: maxAttempts } = job;
  return {
    logger: logger.child({ task, jobId: job.id, attempt }),
    jobId: job.id,
    attempt,
    maxAttempts,
    signal: helpers.abortSignal ?? never,
  };
};

/**
 * Wraps a handler for the queue: it runs under a request id of its own, measured, its failures
 * logged, the last one as an error. What is thrown on is kept in the row, so it is scrubbed.
 */
export const wrapHandler = (options: WrapOptions): Task => {
  const { task, handler, metrics } = options;
  return async (payload, helpers) => {
    const context = contextOf(task, helpers, options.logger);
    const { logger, attempt, maxAttempts, jobId } = context;
    const startedAt = performance.now();
    const observe = (outcome: JobOutcome): number => {
      const ms = performance.now() - startedAt;
      metrics?.observeJob({ task, outcome, ms });
      return Math.round(ms);
    };
    await withRequestId(`job-${jobId}`, async () => {
      try {
        await handler(payload, context);
        logger.info({ ms: observe('done') }, 'job done');
      } catch (error) {
        if (attempt < maxAttempts) {
          logger.warn({ err: error, ms: observe('retry') }, 'job failed, to be tried again');
        } else {
          logger.error({ err: error, ms: observe('dead') }, 'job given up');
        }
        const { type, message } = describeError(error);
        // The cause would only be printed by the queue's own logger, unscrubbed.
        throw new Error(`${type}: ${message}`); // oxlint-disable-line preserve-caught-error
      }
    });
  };
};
