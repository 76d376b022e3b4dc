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
import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import { findUser } from '../identity/index.ts';
import type { Notify } from '../notifications/index.ts';

/** The time in which the payment of a first buy may still be reversed (contract: customers > Referrals). */
const settleAfterMs = 7 * 24 * 60 * 60_000;
const batchSize = 100;

/**
 * Reverses the rewards of buys whose money went away, or whose gold was taken back. Both are few:
 * the statement begins with them, and not with the rewards.
 */
const reverseRewards = (db: Db, at: Date): Promise<number> =>
  execute(
    db,
    sql`
      WITH taken_back AS (
        SELECT id AS order_id FROM gold_order
        WHERE status = 'FAILED' AND allocated_at IS NOT NULL
        UNION
        SELECT p.order_id FROM payment_reversal AS r
        JOIN gateway_payment AS g
          ON g.gateway = r.gateway AND g.gateway_payment_id = r.gateway_payment_id
        JOIN payment_order AS p ON p.id = g.payment_order_id
        WHERE g.standing = 'APPLIED')
      UPDATE referral_reward AS w SET status = 'REVERSED', reversed_at = ${at}::timestamptz
      FROM taken_back WHERE w.order_id = taken_back.order_id
        AND w.bought_at IS NOT NULL AND w.status IN ('PENDING', 'EARNED', 'APPROVED')`,
  );

/** Lists rewards whose seven days are over, oldest first. An order under review keeps its back. */
const listDueRewards = async (db: Db, now: Date): Promise<readonly string[]> => {
  const rows = await selectRows<{ id: string }>(
    db,
    sql`
      SELECT w.id::text AS id FROM referral_reward AS w
      JOIN gold_order AS o ON o.id = w.order_id AND o.status = 'ALLOCATED'
      WHERE w.status = 'PENDING' AND w.bought_at <= ${addMs(now, -settleAfterMs)}::timestamptz
      ORDER BY w.bought_at LIMIT ${batchSize}::int`,
  );
  return rows.map(({ id }) => id);
};

interface SettleDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly notify: Notify;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** REFERRAL_REWARD_PAISE. */
  readonly rewardPaise: Paise;
}

const textOf = (rewardPaise: Paise): string => {
  const happened = 'A friend who used your referral code bought gold for the first time.';
  return rewardPaise > 0n ? `${happened} You earned INR ${formatRupees(rewardPaise)}.` : happened;
};

/** Earns one reward and notifies its referrer. Of two workers one does. */
const earnReward = (
  { inTransaction, clock, notify, rewardPaise }: SettleDeps,
  id: string,
): Promise<void> =>
  inTransaction(async (tx) => {
    const at = clock.now();
    const earned = await selectOne<{ userId: string; orderId: string }>(
      tx,
      sql`
        UPDATE referral_reward SET status = 'EARNED', amount_paise = ${rewardPaise}::bigint,
          earned_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND status = 'PENDING'
        RETURNING user_id::text AS "userId", order_id::text AS "orderId"`,
    );
    if (earned === undefined) return;
    const { userId, orderId } = earned;
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

/**
 * Creates the sweep that decides rewards: it reverses those of reversed buys, and then earns those
 * whose buy was not reversed for seven days. Operators approve and pay earned rewards.
 */
export const createSettleRewards = (deps: SettleDeps): Sweep => ({
  name: 'settle-referral-rewards',
  async run(signal) {
    const { db, clock, logger } = deps;
    const reversed = await reverseRewards(db, clock.now());
    if (reversed > 0) logger.info({ reversed }, 'referral rewards were reversed');
    await sweepRows({
      rows: await listDueRewards(db, clock.now()),
      signal,
      async handle(rewardId) {
        await earnReward(deps, rewardId);
        return true;
      },
      onError: (error, rewardId) =>
        logger.warn({ rewardId, err: describeError(error) }, 'a referral reward was not settled'),
    });
  },
});
