import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
// Not by the index, whose sweep runner the demo cannot load from its sources.
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { runJob } from './reconciliation.jobs.ts';
import { findOpenRun, insertOperatorRun, type Run, type RunOf } from './runs.store.ts';

// Not by the index, whose sweep runner the demo cannot load from its sources.

export interface RunsDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly audit: Auditor;
}

/**
 * A run of the rules. The rules read the whole database, so the window is only the interval at
 * which they are checked.
 */
export const rulesRun: RunOf = { kind: 'DATABASE_RULES', windowHours: 24 };

/**
 * Requests a run of a window. If a run of the same window is in progress, returns that run.
 * @throws AppError BUSY if the run that was in progress has just ended
 */
export const requestRun = async (
  { inTransaction, clock, random, audit }: RunsDeps,
  of: RunOf,
  by: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Run> =>
  inTransaction(async (tx) => {
    const id = random.uuid();
    const newRun = { ...of, id, requestedBy: by.principal.adminId };
    const run = await insertOperatorRun(tx, newRun, clock.now());
    if (run === undefined) {
      const open = await findOpenRun(tx, of);
      if (open === undefined) throw new AppError('BUSY');
      return open;
    }
    await enqueue(tx, runJob(id));
    await audit.record(tx, {
      ...adminActor(by.principal, by.context),
      action: 'reconciliation.run',
      target: { type: 'reconciliation_run', id },
      after: { ...of },
    });
    return run;
  });
