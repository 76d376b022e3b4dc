import { paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { rewardStatuses, type ReferralReward } from './referrals.types.ts';

interface NewReferral {
  readonly id: string;
  readonly rewardId: string;
  readonly referrerId: string;
  readonly refereeId: string;
  readonly code: string;
  readonly appliedAt: Date;
}

/**
 * Inserts a referral and the referrer's reward. Returns false if the referee already has a referral. The
 * transaction can then continue.
 */
export const insertReferral = async (tx: Db, referral: NewReferral): Promise<boolean> => {
  const { id, rewardId, referrerId, refereeId, code, appliedAt } = referral;
  const { count } = await tx.referral.createMany({
    data: [
      {
        id,
        referrerUserId: referrerId,
        refereeUserId: refereeId,
        code,
        status: 'APPLIED',
        appliedAt,
        updatedAt: appliedAt,
      },
    ],
    skipDuplicates: true,
  });
  if (count === 0) return false;
  await tx.referralReward.create({
    data: {
      id: rewardId,
      referralId: id,
      userId: referrerId,
      status: 'PENDING',
      createdAt: appliedAt,
    },
  });
  return true;
};

/** Returns a page of a referrer's rewards, newest first, and the number of the referrer's rewards. */
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
