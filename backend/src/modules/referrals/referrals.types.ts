import type { Paise } from '../../money/index.ts';

/** The states of a reward (contract: states > Referral reward). */
export const rewardStatuses = ['PENDING', 'EARNED', 'APPROVED', 'PAID', 'REVERSED'] as const;
export type RewardStatus = (typeof rewardStatuses)[number];

/** A reward of a referrer for a customer who applied the referrer's code. */
export interface ReferralReward {
  readonly id: string;
  readonly status: (typeof rewardStatuses)[number];
  /** The amount, or null before the reward is earned. */
  readonly rewardPaise: Paise | null;
  readonly createdAt: Date;
  readonly earnedAt: Date | null;
}
