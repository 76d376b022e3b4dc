import { z } from 'zod';
import type { JobRequest, TaskList } from '../../platform/jobs/enqueue.ts';
import { makeStatement, type PublishDeps } from './publish-statement.ts';
import { markRunEnded } from './runs.store.ts';

const RUN_TASK = 'proof-of-gold.run';

/** Returns the job of a run. All processes together make one run at a time, by its queue. */
export const runJob = (runId: string): JobRequest => ({
  task: RUN_TASK,
  payload: { runId },
  key: `${RUN_TASK}:${runId}`,
  queue: 'proof-of-gold',
  maxAttempts: 5,
});

const runPayload = z.object({ runId: z.uuid() });

/** Creates the job that makes the statement of a run. */
export const createRunJobs = (deps: PublishDeps): TaskList => ({
  async [RUN_TASK](payload, { attempt, maxAttempts, signal }) {
    const { runId } = runPayload.parse(payload);
    try {
      await makeStatement(deps, runId, signal);
    } catch (error) {
      if (attempt >= maxAttempts) {
        await markRunEnded(deps.db, runId, { status: 'FAILED' }, deps.clock.now());
      }
      throw error;
    }
  },
});
