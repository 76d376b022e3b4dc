import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
// Not imported by the index, since its sweep runner cannot be loaded from source, as the demo does.
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { runJob } from './reconciliation.jobs.ts';
import { findOpenRun, insertOperatorRun, type Run, type RunOf } from './runs.store.ts';

export interface RunsDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly audit: Auditor;
}

/**
 * The kind and window of a run of the rules. The rules read the whole database, so the window is
 * only the interval between their runs.
 */
export const rulesRun: RunOf = { kind: 'DATABASE_RULES', windowHours: 24 };

/**
 * Requests a run of a window. If a run of the same window is in progress, returns that run.
 * @throws AppError BUSY if the run in progress ends at the same moment
 */
export const requestRun = async (
  { inTransaction, clock, random, audit }: RunsDeps,
  wanted: RunOf,
  requester: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Run> =>
  inTransaction(async (tx) => {
    const id = random.uuid();
    const newRun = { ...wanted, id, requestedBy: requester.principal.adminId };
    const run = await insertOperatorRun(tx, newRun, clock.now());
    if (run === undefined) {
      const open = await findOpenRun(tx, wanted);
      if (open === undefined) throw new AppError('BUSY');
      return open;
    }
    await enqueue(tx, runJob(id));
    await audit.record(tx, {
      ...adminActor(requester.principal, requester.context),
      action: 'reconciliation.run',
      target: { type: 'reconciliation_run', id },
      after: { ...wanted },
    });
    return run;
  });
