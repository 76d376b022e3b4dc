import { paise, type Paise, formatRupees } from '../../money/index.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { findUser } from '../identity/index.ts';
import type { Notify } from '../notifications/index.ts';
import { rewardStatuses, type ReferralReward } from './referrals.types.ts';

interface NewReferral {
  readonly id: string;
  readonly rewardId: string;
  readonly referrerId: string;
  readonly refereeId: string;
  readonly code: string;
  readonly at: Date;
}

/**
 * Inserts a referral and the referrer's reward. Returns false when this referee has a referral
 * already; the transaction goes on.
 */
export const insertReferral = async (tx: Db, referral: NewReferral): Promise<boolean> => {
  const { id, rewardId, referrerId, refereeId, code, at } = referral;
  const { count } = await tx.referral.createMany({
    data: [
      {
        id,
        referrerUserId: referrerId,
        refereeUserId: refereeId,
        code,
        status: 'APPLIED',
        appliedAt: at,
        updatedAt: at,
      },
    ],
    skipDuplicates: true,
  });
  if (count === 0) return false;
  await tx.referralReward.create({
    data: { id: rewardId, referralId: id, userId: referrerId, status: 'PENDING', createdAt: at },
  });
  return true;
};

/**
 * Marks the reward of a customer's referrer as earned by an order, in one statement, since every
 * allocation runs it and most customers have no referrer. Returns the referrer; undefined where
 * nothing was pending.
 */
const markRewardEarned = async (
  tx: Db,
  earned: {
    readonly refereeId: string;
    readonly orderId: string;
    readonly rewardPaise: Paise;
    readonly at: Date;
  },
): Promise<string | undefined> => {
  const { refereeId, orderId, rewardPaise, at } = earned;
  const row = await selectOne<{ referrerId: string }>(
    tx,
    sql`
      WITH rewarded AS (
        UPDATE referral SET status = 'REWARDED', updated_at = ${at}::timestamptz
        WHERE referee_user_id = ${refereeId}::uuid AND status = 'APPLIED'
        RETURNING id)
      UPDATE referral_reward SET status = 'EARNED', amount_paise = ${rewardPaise}::bigint,
        order_id = ${orderId}::uuid, earned_at = ${at}::timestamptz
      FROM rewarded WHERE referral_id = rewarded.id
      RETURNING user_id::text AS "referrerId"`,
  );
  return row?.referrerId;
};

/** Returns one page of a referrer's rewards, newest first, and how many there are. */
export const listRewards = async (
  db: Db,
  userId: string,
  page: Page,
): Promise<{ readonly rows: readonly ReferralReward[]; readonly total: number }> => {
  const where = { userId };
  const [rows, total] = await Promise.all([
    db.referralReward.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.referralReward.count({ where }),
  ]);
  return { rows: rows.map(toReward), total };
};

const toReward = (row: {
  readonly id: string;
  readonly status: string;
  readonly amountPaise: bigint | null;
  readonly createdAt: Date;
  readonly earnedAt: Date | null;
}): ReferralReward => ({
  id: row.id,
  status: rewardStatuses.find((status) => status === row.status) ?? 'PENDING',
  rewardPaise: row.amountPaise === null ? null : paise(row.amountPaise),
  createdAt: row.createdAt,
  earnedAt: row.earnedAt,
});

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
