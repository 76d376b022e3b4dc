import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { transition } from '../../platform/transitions/transitions.ts';
import { notifyCompleted } from './plans.notifications.ts';
import { planMachine } from './plans.states.ts';
import { endPlan, listEndedPlans, lockPlan } from './plans.store.ts';
import type { PlansDeps } from './plans.types.ts';

const batchSize = 200;

/**
 * Creates the sweep that completes a plan once every installment is raised and none is under way,
 * with the customer's notification in the same transaction (contract: plans > End of a plan).
 */
export const createCompletePlans = (
  deps: Pick<PlansDeps, 'db' | 'inTransaction' | 'clock' | 'logger' | 'notify'>,
): Sweep => {
  const { db, inTransaction, clock, logger, notify } = deps;

  const complete = (id: string): Promise<boolean> =>
    inTransaction(async (tx) => {
      const plan = await lockPlan(tx, id);
      if (plan?.status !== 'ACTIVE') return false;
      await transition(planMachine(logger), {
        id,
        from: plan.status,
        to: 'COMPLETED',
        actor: 'worker',
        cause: 'plan.completed',
        update: () => endPlan(tx, id, 'COMPLETED', clock.now()),
      });
      await notifyCompleted(tx, notify, plan);
      return true;
    });

  return {
    name: 'complete-plans',
    async run(signal) {
      for (let isMore = true; isMore && !signal.aborted;) {
        const rows = await listEndedPlans(db, batchSize);
        const completed = await sweepRows({
          rows,
          signal,
          handle: ({ id }) => complete(id),
          onError: (error, { id: planId }) =>
            logger.error({ planId, err: describeError(error) }, 'a plan was not completed'),
        });
        isMore = rows.length === batchSize && completed > 0;
      }
    },
  };
};
