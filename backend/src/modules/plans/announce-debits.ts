import { addMs } from '../../platform/clock/clock.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import {
  findLastDebit,
  listUnannounced,
  markAnnounced,
  type ListedPlan,
} from './plan-debits.store.ts';
import { notifyDebit } from './plans.notifications.ts';
import { lockPlan } from './plans.store.ts';
import { findUsableGateways } from './plans.sweeps.ts';
import type { PlansDeps } from './plans.types.ts';
import { isAfterMandate, isMissed, noticeMs, planDebit } from './schedule.rules.ts';

const plansAtOnce = 100;

type AnnounceDeps = Pick<
  PlansDeps,
  'db' | 'inTransaction' | 'clock' | 'logger' | 'gates' | 'limits' | 'notify' | 'payments'
>;

/** Announces the next debit of a plan in a separate transaction. Returns false if there is none. */
const announce = (deps: AnnounceDeps, planId: string): Promise<boolean> =>
  deps.inTransaction(async (tx) => {
    const now = deps.clock.now();
    const plan = await lockPlan(tx, planId);
    if (plan?.status !== 'ACTIVE' || plan.nextDueAt === null) return false;
    const installmentNo = plan.installmentsRaised + 1;
    const { nextDueAt: dueAt, lastNotice } = plan;
    // Another worker has announced it meanwhile. Or it is missed, and is raised without a debit.
    if (lastNotice?.installmentNo === installmentNo || isMissed(plan, dueAt, now)) return false;
    const lastDebitAt = await findLastDebit(tx, planId);
    const { debitAt } = planDebit(plan, { dueAt, announcedFor: undefined, lastDebitAt }, now);
    if (isAfterMandate(plan, debitAt)) return false;
    await markAnnounced(tx, planId, debitAt, now);
    await notifyDebit(tx, deps.notify, plan, { installmentNo, debitAt });
    return true;
  });

/**
 * Creates the sweep that announces the next debit of plans with a mandate, 24 h before its
 * installment is due. A debit that could not be raised is not announced. Each plan has its own
 * transaction, so that a failure rolls back no other plan (contract: plans > Mandates).
 */
export const createAnnounceDebits = (deps: AnnounceDeps): Sweep => {
  const { db, clock, logger } = deps;
  return {
    name: 'announce-debits',
    async run(signal) {
      const gateways = await findUsableGateways(deps);
      if (gateways === undefined) return;
      const { mandateMaxPaise } = await deps.limits.current();
      const { debits: debitGateways } = gateways;
      const dueBefore = addMs(clock.now(), noticeMs);
      const to = { dueBefore, debitGateways, mandateMaxPaise };
      await sweepRows({
        rows: (after?: ListedPlan) => listUnannounced(db, to, { after, limit: plansAtOnce }),
        signal,
        handle: ({ id }) => announce(deps, id),
        onError: (error, { id: planId }) =>
          logger.error({ planId, err: describeError(error) }, 'a debit was not announced'),
      });
    },
  };
};
