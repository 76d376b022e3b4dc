import { istDate } from '../../platform/clock/ist.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
// Not by the index, whose sweep runner the demo cannot load from its sources.
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
 * Asks for a statement of the present moment. While one is under way, that one is it.
 * @throws AppError BUSY where the run that was under way ended just now
 */
export const requestRun = async (
  { inTransaction, clock, random, audit }: RequestRunDeps,
  by: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Run> =>
  inTransaction(async (tx) => {
    const [id, now] = [random.uuid(), clock.now()];
    const day = istDate(now);
    const isAdded = await insertRun(tx, { id, day, requestedBy: by.principal.adminId }, now);
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
