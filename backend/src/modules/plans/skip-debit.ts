import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { callOffDebit, placeUndebited } from '../buying/index.ts';
import { findInstallmentId } from './plan-debits.store.ts';
import { advanceLockedPlan, lockPlan } from './plans.store.ts';
import type { Plan, PlansDeps } from './plans.types.ts';
import { readInstallment } from './read-installments.ts';
import { dueAtOf, nextDueAfter } from './schedule.rules.ts';

const refuse = (message: string): AppError => new AppError('ILLEGAL_TRANSITION', { message });

/** Raises the announced installment before its day, without a debit. Returns the gold order's id. */
const raiseSkipped = async (
  deps: PlansDeps,
  tx: Db,
  plan: Plan,
  installmentNo: number,
): Promise<string> => {
  const { id: planId, userId, amountPaise, nextDueAt: dueAt } = plan;
  const isAnnounced = plan.lastNotice?.installmentNo === installmentNo;
  if (plan.status !== 'ACTIVE' || dueAt === null || !isAnnounced) {
    throw refuse('No debit is announced for this installment.');
  }
  const payableUntil = dueAtOf(plan, installmentNo + 1);
  const isLast = installmentNo === plan.durationInstallments;
  const change = { nextDueAt: isLast ? null : payableUntil, now: deps.clock.now() };
  if (!(await advanceLockedPlan(tx, plan, change))) throw new AppError('CONFLICT');
  const installment = { userId, planId, installmentNo, amountPaise, dueAt };
  return placeUndebited(deps, tx, { ...installment, payableUntil });
};

const skip = (
  deps: PlansDeps,
  { userId, planId, number }: { userId: string; planId: string; number: number },
): Promise<string> =>
  deps.inTransaction(async (tx) => {
    const plan = await lockPlan(tx, planId);
    if (plan?.userId !== userId || number > plan.durationInstallments) {
      throw new AppError('NOT_FOUND');
    }
    if (plan.mandate === undefined)
      throw refuse('This plan has no mandate, so nothing is debited for it.');
    const orderId = await findInstallmentId(tx, planId, number);
    if (orderId === undefined) return raiseSkipped(deps, tx, plan, number);
    const payableUntil = nextDueAfter(plan, number);
    const change = { orderId, payableUntil, cause: 'installment.skipped' };
    if (await callOffDebit(deps, tx, change)) return orderId;
    throw refuse('This payment was already requested or is over.');
  });

/**
 * Skips one unsent debit under a mandate. The installment stays PENDING, the customer may pay it until
 * the next installment is due, and the plan continues (contract: plans > Skipping a debit). A skip takes
 * no money, so the gate does not apply. A repeat changes nothing.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if no debit is announced or it was already sent
 */
export const skipDebit = async (
  deps: PlansDeps,
  request: { readonly userId: string; readonly planId: string; readonly number: number },
) => readInstallment(deps, request.planId, await skip(deps, request));
