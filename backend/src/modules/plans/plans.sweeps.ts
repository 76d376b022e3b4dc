import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { listDebitGateways, listUsableGateways } from '../payments/index.ts';
import { transition } from '../../platform/transitions/transitions.ts';
import {
  type EndedPlan,
  type UsableGateways,
  endPlan,
  listEndedPlans,
  lockPlan,
} from './plans.store.ts';
import type { PlansDeps } from './plans.types.ts';
import { notifyCompleted } from './plans.notifications.ts';
import { planMachine } from './plans.states.ts';

/**
 * Returns the gateways that installments can be raised with now, undefined while the buy gate is
 * closed: then every plan waits (contract: plans > Schedule).
 */
export const findUsableGateways = async ({
  gates,
  payments,
}: Pick<PlansDeps, 'gates' | 'payments'>): Promise<UsableGateways | undefined> => {
  if (!(await gates.isBuyOpen())) return undefined;
  const [checkout] = await listUsableGateways(payments);
  return { checkout, debits: await listDebitGateways(payments) };
};

const endedAtOnce = 200;

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
        update: () => endPlan(tx, plan, 'COMPLETED', clock.now()),
      });
      await notifyCompleted(tx, notify, plan);
      return true;
    });

  return {
    name: 'plans-complete',
    async run(signal) {
      await sweepRows({
        rows: (after?: EndedPlan) => listEndedPlans(db, { after, limit: endedAtOnce }),
        signal,
        handle: ({ id }) => complete(id),
        onError: (error, { id: planId }) =>
          logger.error({ planId, err: describeError(error) }, 'a plan was not completed'),
      });
    },
  };
};
