import type { Paise } from '../../money/index.ts';

export const rewardStatuses = ['PENDING', 'EARNED', 'REVERSED'] as const;

/** A reward of a referrer for one customer who applied their code. */
export interface ReferralReward {
  readonly id: string;
  readonly status: (typeof rewardStatuses)[number];
  /** Null before it is earned. */
  readonly rewardPaise: Paise | null;
  readonly createdAt: Date;
  readonly earnedAt: Date | null;
}
