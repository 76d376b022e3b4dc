import { formatRupees, type Paise } from '../../money/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import {
  execute,
  selectOne,
  selectRows,
  sql,
  type Db,
  type InTransaction,
} from '../../platform/db/index.ts';
import { type Logger } from '../../platform/observability/index.ts';
import { findUser } from '../identity/index.ts';
import type { Notify } from '../notifications/index.ts';

/**
 * The time in ms between a first buy and its reward. The payment of the buy may still be reversed in this
 * time (contract: customers > Referrals).
 */
const rewardDelayMs = 7 * 24 * 60 * 60_000;
const batchSize = 100;

/**
 * Reverses the rewards of buys whose payment was reversed or whose gold was recovered. Such buys are few,
 * so the statement starts from them and not from the rewards. Returns the number of reversed rewards.
 */
export const reverseRewards = (db: Db, now: Date): Promise<number> =>
  execute(
    db,
    sql`
      WITH reversed_buy AS (
        SELECT id AS order_id FROM gold_order
        WHERE status = 'FAILED' AND allocated_at IS NOT NULL
        UNION
        SELECT p.order_id FROM payment_reversal AS r
        JOIN gateway_payment AS g
          ON g.gateway = r.gateway AND g.gateway_payment_id = r.gateway_payment_id
        JOIN payment_order AS p ON p.id = g.payment_order_id
        WHERE g.standing = 'APPLIED')
      UPDATE referral_reward AS w SET status = 'REVERSED', reversed_at = ${now}::timestamptz
      FROM reversed_buy WHERE w.order_id = reversed_buy.order_id
        AND w.bought_at IS NOT NULL AND w.status IN ('PENDING', 'EARNED', 'APPROVED')`,
  );

/**
 * Lists the ids of PENDING rewards whose buy is seven days old, oldest first. A reward waits while its
 * order is under review.
 */
export const listDueRewards = async (db: Db, now: Date): Promise<readonly string[]> => {
  const rows = await selectRows<{ id: string }>(
    db,
    sql`
      SELECT w.id::text AS id FROM referral_reward AS w
      JOIN gold_order AS o ON o.id = w.order_id AND o.status = 'ALLOCATED'
      WHERE w.status = 'PENDING' AND w.bought_at <= ${addMs(now, -rewardDelayMs)}::timestamptz
      ORDER BY w.bought_at LIMIT ${batchSize}::int`,
  );
  return rows.map(({ id }) => id);
};

export interface SettleDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly notify: Notify;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** REFERRAL_REWARD_PAISE. */
  readonly rewardPaise: Paise;
}

const textOf = (rewardPaise: Paise): string => {
  const event = 'A friend who used your referral code bought gold for the first time.';
  return rewardPaise > 0n ? `${event} You earned INR ${formatRupees(rewardPaise)}.` : event;
};

/** Makes a PENDING reward EARNED and notifies the referrer. Of two concurrent calls, only one does so. */
export const earnReward = (
  { inTransaction, clock, notify, rewardPaise }: SettleDeps,
  id: string,
): Promise<void> =>
  inTransaction(async (tx) => {
    const now = clock.now();
    const reward = await selectOne<{ userId: string; orderId: string }>(
      tx,
      sql`
        UPDATE referral_reward SET status = 'EARNED', amount_paise = ${rewardPaise}::bigint,
          earned_at = ${now}::timestamptz
        WHERE id = ${id}::uuid AND status = 'PENDING'
        RETURNING user_id::text AS "userId", order_id::text AS "orderId"`,
    );
    if (reward === undefined) return;
    const { userId, orderId } = reward;
    const referrer = await findUser(tx, userId);
    if (referrer === undefined || referrer.deletedAt !== null) return;
    await notify(tx, {
      userId,
      type: 'referral_reward',
      title: 'Your referral bought gold',
      body: textOf(rewardPaise),
      dedupeKey: `referral_reward:${orderId}`,
    });
  });
