import type { WorkerEvents } from 'graphile-worker';
import type { Logger } from '../observability/logger.ts';

/**
 * Calls `onStalled` once when no worker of a pool could look for jobs, `limit` times in a row. A
 * pool does not always recover by itself: the queue's library looks up the ids of its tasks once
 * and keeps that promise, a rejected one too, so that a database which was unreachable for just
 * that moment leaves a pool that never takes a job.
 */
export const detectStalledRunner = (options: {
  readonly events: WorkerEvents;
  readonly limit: number;
  readonly logger: Logger;
  readonly onStalled: (error: Error) => void;
}): void => {
  const { events, limit, logger, onStalled } = options;
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
    if (failures === limit) onStalled(cause);
  });
};
