import { istDate } from '../../platform/clock/ist.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
// Not imported by the index, since its sweep runner cannot be loaded from source, as the demo does.
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { findOpenRun, findRun, insertRun, type Run } from './runs.store.ts';
import { runJob } from './proof.jobs.ts';

export interface RequestRunDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly audit: Auditor;
}

/**
 * Requests a run, which publishes a statement of the time at which it runs. If a run is in progress,
 * returns that run.
 * @throws AppError BUSY if the run in progress ends at the same moment
 */
export const requestRun = async (
  { inTransaction, clock, random, audit }: RequestRunDeps,
  requester: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Run> =>
  inTransaction(async (tx) => {
    const [id, now] = [random.uuid(), clock.now()];
    const day = istDate(now);
    const newRun = { id, day, requestedBy: requester.principal.adminId };
    const isAdded = await insertRun(tx, newRun, now);
    const run = isAdded ? await findRun(tx, id) : await findOpenRun(tx);
    if (run === undefined) throw new AppError('BUSY');
    if (!isAdded) return run;
    await enqueue(tx, runJob(id));
    await audit.record(tx, {
      ...adminActor(requester.principal, requester.context),
      action: 'proof-of-gold.run',
      target: { type: 'proof_run', id },
      after: { day },
    });
    return run;
  });
