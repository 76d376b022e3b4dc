import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { isBuyReversed, lockReward, type OperatorReward } from './operator-rewards.store.ts';
import { transitionReward } from './rewards.states.ts';

export interface ChangeRewardDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** A change of a reward by an operator: an approval, its withdrawal, or the record of a payment. */
type RewardStep =
  | { readonly to: 'APPROVED' }
  | { readonly to: 'EARNED' }
  | { readonly to: 'PAID'; readonly reference: string };

const changesOf = (step: RewardStep, adminId: string, now: Date) => {
  if (step.to === 'EARNED') return { approvedAt: null, approvedBy: null };
  if (step.to === 'APPROVED') return { approvedAt: now, approvedBy: adminId };
  return { paidAt: now, paidBy: adminId, paymentReference: step.reference };
};

/** @throws AppError ILLEGAL_TRANSITION if the buy was reversed or is under review */
const requireUnreversedBuy = (isReversed: boolean): void => {
  if (!isReversed) return;
  throw new AppError('ILLEGAL_TRANSITION', {
    message: 'The purchase that earned this reward was reversed or is under review.',
  });
};

const actions = {
  APPROVED: 'referral-reward.approve',
  EARNED: 'referral-reward.withdraw',
  PAID: 'referral-reward.paid',
} as const;

/**
 * Approves a reward, withdraws the approval, or records that the reward was paid, in one transaction with
 * the audit row. The buy is checked again under the lock, because a reversed payment earns no reward.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the reward is in another state, or if its buy was
 *   reversed or is under review
 */
export const changeReward = (
  { inTransaction, clock, audit, logger }: ChangeRewardDeps,
  id: string,
  step: RewardStep,
  { principal, context }: ByOperator,
): Promise<OperatorReward | undefined> =>
  inTransaction(async (tx) => {
    const reward = await lockReward(tx, id);
    if (reward === undefined) throw new AppError('NOT_FOUND');
    const { status: from, orderId } = reward;
    const { adminId } = principal;
    if (step.to !== 'EARNED') {
      requireUnreversedBuy(orderId !== null && (await isBuyReversed(tx, orderId)));
    }
    await transitionReward({ logger }, tx, reward, {
      to: step.to,
      actor: `admin:${adminId}`,
      cause: actions[step.to],
      changes: changesOf(step, adminId, clock.now()),
    });
    await audit.record(tx, {
      action: actions[step.to],
      ...adminActor(principal, context),
      target: { type: 'referral_reward', id },
      before: { status: from },
      after: { status: step.to, ...(step.to === 'PAID' && { reference: step.reference }) },
    });
    return lockReward(tx, id);
  });
