import { z } from 'zod';
import { istDate } from '../../platform/clock/ist.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
// Not by the index, whose sweep runner the demo cannot load from its sources.
import { enqueue, type JobRequest, type TaskList } from '../../platform/jobs/enqueue.ts';
import type { Sweep } from '../../platform/jobs/sweep.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { confirmAccounts } from './confirm-accounts.ts';
import { makeStatement, type PublishDeps } from './publish-statement.ts';
import {
  addRun,
  endRun,
  failLostRuns,
  findOpenRun,
  findRun,
  wasTriedLately,
  type Run,
} from './runs.store.ts';

const RUN_TASK = 'proof-of-gold.run';

/** Runs go one after another over the whole fleet. */
const runJob = (runId: string): JobRequest => ({
  task: RUN_TASK,
  payload: { runId },
  key: `${RUN_TASK}:${runId}`,
  queue: 'proof-of-gold',
  maxAttempts: 5,
});

const runPayload = z.object({ runId: z.uuid() });

export interface RequestRunDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly audit: Auditor;
}

/**
 * Starts the run of a statement of the present moment, or returns the run in progress.
 * @throws AppError BUSY where the run that was in progress ended just now
 */
export const requestRun = async (
  { inTransaction, clock, random, audit }: RequestRunDeps,
  by: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Run> =>
  inTransaction(async (tx) => {
    const [id, now] = [random.uuid(), clock.now()];
    const day = istDate(now);
    const isAdded = await addRun(tx, { id, day, requestedBy: by.principal.adminId }, now);
    const run = isAdded ? await findRun(tx, id) : await findOpenRun(tx);
    if (run === undefined) throw new AppError('BUSY');
    if (!isAdded) return run;
    await enqueue(tx, runJob(id));
    await audit.record(tx, {
      ...adminActor(by.principal, by.context),
      action: 'proof-of-gold.run',
      target: { type: 'proof_run', id },
      after: { day },
    });
    return run;
  });

/** Creates the job that makes the statement of a run. */
export const createRunJobs = (deps: PublishDeps): TaskList => ({
  async [RUN_TASK](payload, { attempt, maxAttempts, signal }) {
    const { runId } = runPayload.parse(payload);
    try {
      await makeStatement(deps, runId, signal);
    } catch (error) {
      if (attempt >= maxAttempts) {
        await endRun(deps.db, runId, { status: 'FAILED' }, deps.clock.now());
      }
      throw error;
    }
  },
});

/**
 * Creates the sweeps of proofs. One queues the statement of an IST day once the day has begun, and
 * again an hour after it was refused, until the day has one. The other queries the gold provider
 * about the accounts that changed, so that few queries are left at midnight.
 */
export const createProofSweeps = (
  deps: PublishDeps & { readonly random: Pick<Random, 'uuid'> },
  { confirmEveryMs }: { readonly confirmEveryMs: number },
): readonly Sweep[] => {
  const { db, inTransaction, clock, random } = deps;
  return [
    {
      name: 'proof-of-gold-schedule',
      async run() {
        await failLostRuns(db, clock.now());
        const day = istDate(clock.now());
        await inTransaction(async (tx) => {
          if (await wasTriedLately(tx, day)) return;
          const run = { id: random.uuid(), day, requestedBy: null };
          if (await addRun(tx, run, clock.now())) await enqueue(tx, runJob(run.id));
        });
      },
    },
    {
      name: 'proof-of-gold-confirm',
      everyMs: confirmEveryMs,
      async run(signal) {
        await confirmAccounts(deps, { signal });
      },
    },
  ];
};
