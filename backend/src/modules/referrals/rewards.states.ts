import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import type { RewardStatus } from './referrals.types.ts';

const buyReversed = 'the payment of the buy was reversed, or its gold was recovered';

/**
 * Every transition that a reward may make (contract: states > Referral reward). Only operators'
 * transitions are checked against this table. The worker makes its transitions by SQL statements that
 * update rewards only in the states that are listed here.
 */
const rewardTransitions: TransitionTable<RewardStatus, 'worker' | 'admin'> = {
  PENDING: {
    EARNED: { allowedActors: ['worker'], reason: 'the first buy has stood for seven days' },
    REVERSED: { allowedActors: ['worker'], reason: buyReversed },
  },
  EARNED: {
    APPROVED: { allowedActors: ['admin'], reason: 'an operator approved the payment' },
    REVERSED: { allowedActors: ['worker'], reason: buyReversed },
  },
  APPROVED: {
    PAID: { allowedActors: ['admin'], reason: 'an operator recorded the payment' },
    EARNED: { allowedActors: ['admin'], reason: 'an operator withdrew the approval' },
    REVERSED: { allowedActors: ['worker'], reason: buyReversed },
  },
  PAID: {},
  REVERSED: {},
};

/** Columns that change with a reward's state. Omitted columns keep their values. */
type RewardChanges = Pick<
  Prisma.ReferralRewardUncheckedUpdateManyInput,
  'approvedAt' | 'approvedBy' | 'paidAt' | 'paidBy' | 'paymentReference'
>;

interface RewardTransition {
  readonly to: RewardStatus;
  /** The actor of the transition: `admin:<id>`. */
  readonly actor: string;
  readonly cause: string;
  readonly changes: RewardChanges;
}

/**
 * Changes the state of a reward that the transaction has locked.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow the transition
 */
export const transitionReward = (
  { logger }: { readonly logger: Pick<Logger, 'info' | 'error'> },
  tx: Db,
  { id, status: from }: { readonly id: string; readonly status: RewardStatus },
  { to, actor, cause, changes }: RewardTransition,
): Promise<void> => {
  const machine = {
    name: 'referral reward',
    idField: 'rewardId',
    table: rewardTransitions,
    logger,
  };
  return transition(machine, {
    id,
    from,
    to,
    actor,
    cause,
    update: async () => {
      const { count } = await tx.referralReward.updateMany({
        where: { id, status: from },
        data: { ...changes, status: to },
      });
      return count;
    },
  });
};
