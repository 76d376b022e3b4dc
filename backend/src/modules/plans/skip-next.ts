import { AppError } from '../../platform/errors/app-error.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { notifySkipped } from './plans.notifications.ts';
import { lockPlan, updateSchedule } from './plans.store.ts';
import type { Plan, PlansDeps } from './plans.types.ts';
import { requirePlan } from './read-installments.ts';
import { dueAtOf, lastStartDate } from './schedule.rules.ts';

interface SkipNextRequest {
  readonly userId: string;
  readonly planId: string;
  /** The due time of the installment that the customer wants to skip. */
  readonly dueAt: Date;
}

const refuse = (message: string): AppError => new AppError('ILLEGAL_TRANSITION', { message });

const isNextDueAt = (plan: Plan, passedOver: number, dueAt: Date): boolean =>
  passedOver >= 0 &&
  dueAtOf({ ...plan, passedOver }, plan.installmentsRaised + 1).getTime() === dueAt.getTime();

const skipNextDate = (deps: PlansDeps, { userId, planId, dueAt }: SkipNextRequest): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const plan = await lockPlan(tx, planId);
    if (plan?.userId !== userId) throw new AppError('NOT_FOUND');
    if (plan.status !== 'ACTIVE' || plan.nextDueAt === null) {
      throw refuse('This plan is not active or has no next installment.');
    }
    if (isNextDueAt(plan, plan.passedOver - 1, dueAt)) return;
    if (plan.nextDueAt.getTime() !== dueAt.getTime()) {
      throw refuse(
        'The next installment of this plan is due at another time. Nothing was skipped.',
      );
    }
    const now = deps.clock.now();
    const passedOver = plan.passedOver + 1;
    const nextDueAt = dueAtOf({ ...plan, passedOver }, plan.installmentsRaised + 1);
    if (istDate(nextDueAt) > lastStartDate(now)) {
      throw refuse(
        'The next installment is already a year away. Pause or cancel the plan instead.',
      );
    }
    await updateSchedule(tx, planId, { passedOver, nextDueAt }, now);
    await notifySkipped(tx, deps.notify, plan, { dueAt, nextDueAt });
  });

/**
 * Skips the next installment of a plan. The plan continues at the following date and ends one date
 * later. A debit that was announced for the skipped date is not sent. The caller names the date, so that
 * a repeat skips no second date (contract: plans > Skipping the next installment).
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the next installment is not due at that date
 */
export const skipNext = async (deps: PlansDeps, request: SkipNextRequest): Promise<Plan> => {
  await skipNextDate(deps, request);
  return requirePlan(deps, request.userId, request.planId);
};
