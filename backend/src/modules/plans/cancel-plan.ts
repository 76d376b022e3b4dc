import { AppError } from '../../platform/errors/app-error.ts';
import { transitionPlan } from './plans.states.ts';
import { findPlan, lockPlan, markPlanEnded } from './plans.store.ts';
import type { Plan, PlansDeps } from './plans.types.ts';

/**
 * Cancels a customer's plan, so that no more installments are raised. An installment that was already
 * raised continues (contract: plans > End of a plan).
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the plan has ended
 */
export const cancelPlan = async (
  deps: Pick<PlansDeps, 'db' | 'inTransaction' | 'clock' | 'logger'>,
  userId: string,
  planId: string,
): Promise<Plan> => {
  await deps.inTransaction(async (tx) => {
    const plan = await lockPlan(tx, planId);
    if (plan?.userId !== userId) throw new AppError('NOT_FOUND');
    await transitionPlan(deps, plan, {
      to: 'CANCELLED',
      actor: `customer:${userId}`,
      cause: 'plan.cancelled',
      update: () => markPlanEnded(tx, plan, 'CANCELLED', deps.clock.now()),
    });
  });
  const cancelled = await findPlan(deps.db, planId, userId);
  if (cancelled === undefined) throw new AppError('NOT_FOUND');
  return cancelled;
};
