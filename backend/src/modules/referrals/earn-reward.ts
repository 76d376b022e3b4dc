import { formatRupees, type Paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { findUser } from '../identity/index.ts';
import type { Notify } from '../notifications/index.ts';
import { markRewardEarned } from './referrals.store.ts';

const textOf = (rewardPaise: Paise): string => {
  const happened = 'A friend who used your referral code bought gold for the first time.';
  return rewardPaise > 0n ? `${happened} You earned INR ${formatRupees(rewardPaise)}.` : happened;
};

/**
 * Creates the effect of an allocated buy or installment on the reward of whoever referred its
 * customer: the first one earns it. A code can't be applied after an allocation, so a reward that
 * is pending was applied before all of them. A payment that is reversed later changes nothing: how
 * a reward is paid out is outside the service (contract: customers > Referrals).
 */
export const createEarnReward =
  (deps: {
    readonly clock: Clock;
    readonly notify: Notify;
    /** REFERRAL_REWARD_PAISE. */
    readonly rewardPaise: Paise;
  }) =>
  async (tx: Db, order: { readonly id: string; readonly userId: string }): Promise<void> => {
    const { clock, notify, rewardPaise } = deps;
    const { id: orderId, userId: refereeId } = order;
    const at = clock.now();
    const userId = await markRewardEarned(tx, { refereeId, orderId, rewardPaise, at });
    if (userId === undefined) return;
    const referrer = await findUser(tx, userId);
    if (referrer === undefined || referrer.deletedAt !== null) return;
    await notify(tx, {
      userId,
      type: 'referral_reward',
      title: 'Your referral bought gold',
      body: textOf(rewardPaise),
      dedupeKey: `referral_reward:${orderId}`,
    });
  };
