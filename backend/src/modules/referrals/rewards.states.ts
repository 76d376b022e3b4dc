import type { Machine, TransitionTable } from '../../platform/transitions/transitions.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { RewardStatus } from './referrals.types.ts';

const takenBack = 'the buy was reversed, or its gold taken back';

/**
 * Every transition of a reward (contract: states > Referral reward). Only those of operators are
 * checked against this table. The sweep that settles rewards makes the worker's, each by one
 * statement that updates rewards only in the states listed here.
 */
const rewardTransitions: TransitionTable<RewardStatus, 'worker' | 'admin'> = {
  PENDING: {
    EARNED: { allowedActors: ['worker'], reason: 'the first buy has stood for seven days' },
    REVERSED: { allowedActors: ['worker'], reason: takenBack },
  },
  EARNED: {
    APPROVED: { allowedActors: ['admin'], reason: 'an operator approved the payment' },
    REVERSED: { allowedActors: ['worker'], reason: takenBack },
  },
  APPROVED: {
    PAID: { allowedActors: ['admin'], reason: 'an operator recorded the payment' },
    EARNED: { allowedActors: ['admin'], reason: 'an operator withdrew the approval' },
    REVERSED: { allowedActors: ['worker'], reason: takenBack },
  },
  PAID: {},
  REVERSED: {},
};

export const rewardMachine = (logger: Pick<Logger, 'info' | 'error'>): Machine<RewardStatus> => ({
  name: 'referral reward',
  idField: 'rewardId',
  table: rewardTransitions,
  logger,
});
