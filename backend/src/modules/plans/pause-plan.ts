import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { callOffDebit } from '../buying/index.ts';
import { listUnsentDebits } from './plan-debits.store.ts';
import { notifyPaused, notifyResumed } from './plans.notifications.ts';
import { transitionPlan } from './plans.states.ts';
import { lockPlan, markPlanPaused, markPlanResumed } from './plans.store.ts';
import type { Plan, PlansDeps } from './plans.types.ts';
import { requirePlan } from './read-installments.ts';
import { dueAtOf, nextDueAfter, passOverPastDates } from './schedule.rules.ts';

interface PlanRequest {
  readonly userId: string;
  readonly planId: string;
}

/** Locks a customer's plan. @throws AppError NOT_FOUND */
const lockOwnPlan = async (tx: Db, { userId, planId }: PlanRequest): Promise<Plan> => {
  const plan = await lockPlan(tx, planId);
  if (plan?.userId !== userId) throw new AppError('NOT_FOUND');
  return plan;
};

/** Cancels every unsent debit of a plan. The customer may still pay those installments. */
const callOffDebits = async (deps: PlansDeps, tx: Db, plan: Plan): Promise<void> => {
  for (const { orderId, installmentNo } of await listUnsentDebits(tx, plan.id)) {
    const payableUntil = nextDueAfter(plan, installmentNo);
    await callOffDebit(deps, tx, { orderId, payableUntil, cause: 'plan.paused' });
  }
};

const pause = (deps: PlansDeps, request: PlanRequest): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const plan = await lockOwnPlan(tx, request);
    if (plan.status === 'PAUSED') return;
    const isFullyRaised = plan.status === 'ACTIVE' && plan.nextDueAt === null;
    if (isFullyRaised) {
      const message =
        'Every installment of this plan has already been requested, so there is nothing to pause.';
      throw new AppError('ILLEGAL_TRANSITION', { message });
    }
    await transitionPlan(deps, plan, {
      to: 'PAUSED',
      actor: `customer:${request.userId}`,
      cause: 'plan.paused',
      update: () => markPlanPaused(tx, plan.id, deps.clock.now()),
    });
    await callOffDebits(deps, tx, plan);
    await notifyPaused(tx, deps.notify, plan);
  });

/**
 * Pauses a plan and cancels its unsent debits. While the plan is paused, no installment is raised and
 * no debit is announced. A repeat changes nothing (contract: plans > Pausing a plan).
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the plan has ended or all installments are
 *   raised
 */
export const pausePlan = async (deps: PlansDeps, request: PlanRequest): Promise<Plan> => {
  await pause(deps, request);
  return requirePlan(deps, request.userId, request.planId);
};

const resume = (deps: PlansDeps, request: PlanRequest): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const plan = await lockOwnPlan(tx, request);
    if (plan.status === 'ACTIVE') return;
    const now = deps.clock.now();
    const installmentNo = plan.installmentsRaised + 1;
    const { passedOver } = passOverPastDates(plan, installmentNo, now);
    const nextDueAt = dueAtOf({ ...plan, passedOver }, installmentNo);
    await transitionPlan(deps, plan, {
      to: 'ACTIVE',
      actor: `customer:${request.userId}`,
      cause: 'plan.resumed',
      update: () => markPlanResumed(tx, plan.id, { passedOver, nextDueAt }, now),
    });
    await notifyResumed(tx, deps.notify, plan, nextDueAt);
  });

/**
 * Resumes a paused plan at the first date of its schedule that is not in the past. Dates during the
 * pause are skipped, and the number of installments does not change. A repeat changes nothing.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the plan has ended
 */
export const resumePlan = async (deps: PlansDeps, request: PlanRequest): Promise<Plan> => {
  await resume(deps, request);
  return requirePlan(deps, request.userId, request.planId);
};
