import type { WorkerEvents } from 'graphile-worker';
import type { Logger } from '../observability/logger.ts';

/**
 * Notices when no worker of a pool gets to look for jobs any more, and calls `giveUp` once, after
 * `limit` failures in a row. A pool does not always mend by itself: the queue's library looks up
 * the ids of its tasks once and keeps that promise, a rejected one too, so that a database which
 * was away for just that moment leaves a pool that never takes a job.
 */
export const watchTaking = (options: {
  readonly events: WorkerEvents;
  readonly limit: number;
  readonly logger: Logger;
  readonly giveUp: (error: Error) => void;
}): void => {
  const { events, limit, logger, giveUp } = options;
  let failures = 0;
  const succeeded = (): void => {
    failures = 0;
  };
  events.on('worker:getJob:empty', succeeded);
  events.on('job:start', succeeded);
  events.on('worker:getJob:error', ({ error }) => {
    const cause = error instanceof Error ? error : new Error(String(error));
    failures += 1;
    if (failures === 1) logger.warn({ err: cause }, 'jobs can not be taken');
    if (failures === limit) giveUp(cause);
  });
};
