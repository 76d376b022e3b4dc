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

/** The rules look at everything: their window says how often they are checked. */
export const rulesRun: RunOf = { kind: 'DATABASE_RULES', windowHours: 24 };

/**
 * Asks for a run of a window. While one of the same window is under way, that one is it.
 * @throws AppError BUSY where the run that was under way ended just now
 */
export const requestRun = async (
  { inTransaction, clock, random, audit }: RunsDeps,
  of: RunOf,
  by: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Run> =>
  inTransaction(async (tx) => {
    const id = random.uuid();
    const asked = { ...of, id, requestedBy: by.principal.adminId };
    const run = await insertOperatorRun(tx, asked, clock.now());
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
