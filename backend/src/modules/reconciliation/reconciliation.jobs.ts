import { z } from 'zod';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { JobRequest, TaskList } from '../../platform/jobs/enqueue.ts';
import type { CheckRules } from './database-rules/check-rules.ts';
import type { Report } from './reconciliation.types.ts';
import { markCheckDone, markRunDone, markRunFailed, markRunStarted } from './runs.store.ts';

const RUN_TASK = 'reconciliation.run';

/**
 * Returns the job of a run. The jobs share a queue, so only one run is in progress across all
 * processes.
 */
export const runJob = (runId: string): JobRequest => ({
  task: RUN_TASK,
  payload: { runId },
  key: `${RUN_TASK}:${runId}`,
  queue: 'reconciliation',
  maxAttempts: 5,
});

const runPayload = z.object({ runId: z.uuid() });

/** Makes the report of a window, and calls `onCheck` after each check. */
export type MakeReport = (windowHours: number, onCheck?: () => Promise<void>) => Promise<Report>;

/** The checks of each kind of run. */
export interface RunChecks {
  readonly makeReport: MakeReport;
  /** Absent in a process that declares this job but does not run it. */
  readonly checkRules?: CheckRules;
}

/** Creates the job that makes a run and stores its findings. */
export const createRunJobs = (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { makeReport, checkRules }: RunChecks,
): TaskList => ({
  async [RUN_TASK](payload, { attempt, maxAttempts }) {
    const { runId } = runPayload.parse(payload);
    const run = await markRunStarted(db, runId, clock.now());
    if (run === undefined) return;
    const onCheck = () => markCheckDone(db, runId);
    try {
      if (run.kind === 'REPORT') {
        const { generatedAt, checks: found } = await makeReport(run.windowHours, onCheck);
        await markRunDone(db, runId, { generatedAt, found }, clock.now());
      } else {
        invariant(checkRules, 'a process that runs this job has the checks of rules');
        const generatedAt = clock.now();
        await markRunDone(
          db,
          runId,
          { generatedAt, found: await checkRules(onCheck) },
          clock.now(),
        );
      }
    } catch (error) {
      if (attempt >= maxAttempts) await markRunFailed(db, runId, clock.now());
      throw error;
    }
  },
});
