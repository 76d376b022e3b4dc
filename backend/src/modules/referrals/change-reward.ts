import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { isBuyTakenBack, lockReward, type OperatorReward } from './operator-rewards.store.ts';
import { transitionReward } from './rewards.states.ts';

export interface ChangeRewardDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** A step that an operator takes with a reward. */
type RewardStep =
  | { readonly to: 'APPROVED' }
  | { readonly to: 'EARNED' }
  | { readonly to: 'PAID'; readonly reference: string };

const changesOf = (step: RewardStep, adminId: string, at: Date) => {
  if (step.to === 'EARNED') return { approvedAt: null, approvedBy: null };
  if (step.to === 'APPROVED') return { approvedAt: at, approvedBy: adminId };
  return { paidAt: at, paidBy: adminId, paymentReference: step.reference };
};

/** Throws for a reward whose buy does not stand: the sweep takes it back, or a review is open. */
const requireStandingBuy = (isTakenBack: boolean): void => {
  if (!isTakenBack) return;
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
 * Approves a reward, withdraws the approval, or records that it was paid, in one transaction with
 * the audit row. The buy is checked again under the lock, since a reversed payment earns no reward.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION where the reward is in another state, or its
 *   buy was reversed or is under review
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
      requireStandingBuy(orderId !== null && (await isBuyTakenBack(tx, orderId)));
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
