import { addMs } from '../../platform/clock/clock.ts';
import { startOfIstDay } from '../../platform/clock/ist.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/sweep.ts';
import { describeError } from '../../platform/observability/index.ts';
import { announceDebit, type AnnounceDeps } from './announce-debits.ts';
import { listLateDebits, listUnannounced, type ListedPlan } from './plan-debits.store.ts';
import { notifyCompleted } from './plans.notifications.ts';
import { transitionPlan } from './plans.states.ts';
import { listEndedPlans, lockPlan, markPlanEnded, type EndedPlan } from './plans.store.ts';
import type { PlansDeps } from './plans.types.ts';
import { createRaiseBatch, type RaiseDeps } from './raise-installments.ts';
import { replanDebits, type ReplanDeps } from './replan-debits.ts';
import { noticeMs } from './schedule.rules.ts';
import { findUsableGateways } from './usable-gateways.ts';

const completionBatchSize = 200;

/**
 * Creates the sweep that completes a plan once every installment is raised and none is in progress.
 * The customer's notification is in the same transaction (contract: plans > End of a plan).
 */
export const createCompletePlans = (
  deps: Pick<PlansDeps, 'db' | 'inTransaction' | 'clock' | 'logger' | 'notify'>,
): Sweep => {
  const { db, inTransaction, clock, logger, notify } = deps;

  const complete = (id: string): Promise<boolean> =>
    inTransaction(async (tx) => {
      const plan = await lockPlan(tx, id);
      if (plan?.status !== 'ACTIVE') return false;
      await transitionPlan(deps, plan, {
        to: 'COMPLETED',
        actor: 'worker',
        cause: 'plan.completed',
        update: () => markPlanEnded(tx, plan, 'COMPLETED', clock.now()),
      });
      await notifyCompleted(tx, notify, plan);
      return true;
    });

  return {
    name: 'plans-complete',
    async run(signal) {
      await sweepRows({
        rows: (after?: EndedPlan) => listEndedPlans(db, { after, limit: completionBatchSize }),
        signal,
        handle: ({ id }) => complete(id),
        onError: (error, { id: planId }) =>
          logger.error({ planId, err: describeError(error) }, 'a plan was not completed'),
      });
    },
  };
};

const debitBatchSize = 100;

/**
 * Creates the sweep that announces the next debit of plans with a mandate, 24 h before the installment
 * is due. A debit whose installment can't be raised is not announced. Each plan has its own
 * transaction, so that a failure does not roll back other plans (contract: plans > Mandates).
 */
export const createAnnounceDebits = (deps: AnnounceDeps): Sweep => {
  const { db, clock, logger } = deps;
  return {
    name: 'plans-announce-debits',
    async run(signal) {
      const gateways = await findUsableGateways(deps);
      if (gateways === undefined) return;
      const { mandateMaxPaise } = await deps.limits.current();
      const { debits: debitGateways } = gateways;
      const dueBefore = addMs(clock.now(), noticeMs);
      const criteria = { dueBefore, debitGateways, mandateMaxPaise };
      await sweepRows({
        rows: (after?: ListedPlan) =>
          listUnannounced(db, criteria, { after, limit: debitBatchSize }),
        signal,
        handle: ({ id }) => announceDebit(deps, id),
        onError: (error, { id: planId }) =>
          logger.error({ planId, err: describeError(error) }, 'a debit was not announced'),
      });
    },
  };
};

/**
 * Creates the sweep that raises the installments that are due, a batch of plans at a time. Each batch
 * raises one installment of a plan, so a plan that has missed several dates is in several batches. The
 * gate and the gateways are checked before each batch (contract: plans > Schedule).
 */
export const createRaiseInstallments = (deps: RaiseDeps): Sweep => {
  const raiseBatch = createRaiseBatch(deps);
  return {
    name: 'plans-raise-installments',
    async run(signal) {
      while (!signal.aborted) {
        const gateways = await findUsableGateways(deps);
        if (gateways === undefined || (await raiseBatch(gateways, signal)) === 0) return;
      }
    },
  };
};

/**
 * Creates the sweep that reschedules debits that were announced but not sent on their day. The gate was
 * closed, the customer could not buy, or the gateway could not be used. Each debit is announced again,
 * or is cancelled if the delay was longer than one period (contract: plans > Missed debits).
 */
export const createReplanDebits = (deps: ReplanDeps): Sweep => {
  const { db, clock, logger } = deps;
  return {
    name: 'plans-replan-debits',
    async run(signal) {
      const gateways = await findUsableGateways(deps);
      if (gateways === undefined) return;
      const criteria = { startOfToday: startOfIstDay(clock.now()), debitGateways: gateways.debits };
      await sweepRows({
        rows: (after?: ListedPlan) =>
          listLateDebits(db, criteria, { after, limit: debitBatchSize }),
        signal,
        handle: ({ id }) => replanDebits(deps, id),
        onError: (error, { id: planId }) =>
          logger.error({ planId, err: describeError(error) }, 'a debit was not rescheduled'),
      });
    },
  };
};
