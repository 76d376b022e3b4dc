import type { Prisma } from '../../generated/prisma/client.ts';
import { paise, type Paise } from '../../money/index.ts';
import { boundsOf, lockRow, selectOne, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { offsetOf, type ListRange, type Page } from '../../platform/http/index.ts';
import { readCountedPage } from '../transaction-counts/index.ts';
import { rewardStatuses, type RewardStatus } from './referrals.types.ts';

/** A reward as operators see it. */
export interface OperatorReward {
  readonly id: string;
  readonly status: RewardStatus;
  /** The id of the referrer, who gets the reward. */
  readonly userId: string;
  readonly refereeUserId: string;
  readonly orderId: string | null;
  readonly rewardPaise: Paise | null;
  readonly createdAt: Date;
  readonly boughtAt: Date | null;
  readonly earnedAt: Date | null;
  readonly approvedAt: Date | null;
  readonly approvedBy: string | null;
  readonly paidAt: Date | null;
  readonly paidBy: string | null;
  readonly paymentReference: string | null;
  readonly reversedAt: Date | null;
}

export interface RewardFilter extends ListRange {
  readonly status?: RewardStatus | undefined;
  readonly userId?: string | undefined;
}

const withReferee = { referral: { select: { refereeUserId: true } } } as const;

type Row = Prisma.ReferralRewardGetPayload<{ include: typeof withReferee }>;

const toReward = ({ referral, referralId: _referralId, amountPaise, ...row }: Row) => ({
  ...row,
  status: rewardStatuses.find((status) => status === row.status) ?? 'PENDING',
  refereeUserId: referral.refereeUserId,
  rewardPaise: amountPaise === null ? null : paise(amountPaise),
});

/** Returns a page of rewards, newest first, and the number of matching rewards. */
export const listAllRewards = async (
  db: Db,
  { status, userId, ...range }: RewardFilter,
  page: Page,
): Promise<{ readonly rows: readonly OperatorReward[]; readonly total: number }> => {
  const { createdAt, amount } = boundsOf(range);
  const where: Prisma.ReferralRewardWhereInput = {
    ...(status !== undefined && { status }),
    ...(userId !== undefined && { userId }),
    ...(createdAt !== undefined && { createdAt }),
    ...(amount !== undefined && { amountPaise: amount }),
  };
  const readRows = async (bounds: object, slice: { skip: number; take: number }) => {
    const rows = await db.referralReward.findMany({
      where: { ...where, ...bounds },
      include: withReferee,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      ...slice,
    });
    return rows.map(toReward);
  };
  const countRows = (bounds: object) => db.referralReward.count({ where: { ...where, ...bounds } });
  // The daily counts distinguish rewards by nothing else.
  if (userId === undefined && amount === undefined) {
    const statuses = status === undefined ? undefined : [status];
    const part = { kinds: ['REFERRAL_REWARD'] as const, statuses, ...range };
    return readCountedPage(db, part, page, { countRows, readRows });
  }
  const slice = { skip: offsetOf(page), take: page.limit };
  const [rows, total] = await Promise.all([readRows({}, slice), countRows({})]);
  return { rows, total };
};

/** Returns a reward, or undefined if there is none. */
export const findReward = async (db: Db, id: string): Promise<OperatorReward | undefined> => {
  const row = await db.referralReward.findUnique({ where: { id }, include: withReferee });
  return row === null ? undefined : toReward(row);
};

/**
 * Locks a reward until the transaction ends, and returns it. First takes a shared lock of its order, so
 * that a reversal of the buy has either committed already or waits for this transaction.
 */
export const lockReward = async (tx: Db, id: string): Promise<OperatorReward | undefined> => {
  await selectOne(
    tx,
    sql`
      SELECT o.id FROM gold_order AS o
      WHERE o.id = (SELECT order_id FROM referral_reward WHERE id = ${id}::uuid) FOR SHARE`,
  );
  return (await lockRow(tx, 'referral_reward', id)) ? findReward(tx, id) : undefined;
};

/**
 * Returns true if the buy of a reward was reversed, in whole or in part, or if its order is under review.
 * The sweep may not have reversed the reward yet.
 */
export const isBuyReversed = async (tx: Db, orderId: string): Promise<boolean> => {
  const row = await selectOne<{ isUnreversed: boolean }>(
    tx,
    sql`
      SELECT o.status = 'ALLOCATED' AND NOT EXISTS (
        SELECT FROM payment_order AS p
        JOIN gateway_payment AS g ON g.payment_order_id = p.id AND g.standing = 'APPLIED'
        JOIN payment_reversal AS r
          ON r.gateway = g.gateway AND r.gateway_payment_id = g.gateway_payment_id
        WHERE p.order_id = o.id) AS "isUnreversed"
      FROM gold_order AS o WHERE o.id = ${orderId}::uuid`,
  );
  return row?.isUnreversed !== true;
};

const rupeesOf = (column: Sql): Sql => sql`trim_scale(round(${column} / 100.0, 2))::numeric(20, 2)`;

/** Selects the rows of the CSV file for finance. The columns are in the order of `rewardFileHeader`. */
export const rewardFileSql = (status: RewardStatus): Sql => sql`
  SELECT w.id, w.status, w.user_id, r.referee_user_id, w.order_id,
    ${rupeesOf(sql`w.amount_paise`)}, w.earned_at, w.approved_at, a.email, w.paid_at, p.email,
    w.payment_reference, w.reversed_at
  FROM referral_reward AS w
  JOIN referral AS r ON r.id = w.referral_id
  LEFT JOIN admin_user AS a ON a.id = w.approved_by
  LEFT JOIN admin_user AS p ON p.id = w.paid_by
  WHERE w.status = ${status}
  ORDER BY w.created_at, w.id`;

export const rewardFileHeader =
  'id,status,referrer_id,referee_id,order_id,amount_inr,earned_at,approved_at,approved_by,' +
  'paid_at,paid_by,payment_reference,reversed_at';
