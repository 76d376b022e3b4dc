import type { Clock } from '../../platform/clock/clock.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { hasBoughtElsewhere, type FormerBuyerDeps } from './former-buyers.ts';

/**
 * Marks the customer's referral as REWARDED and links the first buy to its reward. Returns the reward, or
 * undefined if no reward waits for a buy. It is one statement, because every allocation runs it and most
 * customers have no referrer.
 */
const recordBuy = (
  tx: Db,
  buy: { readonly refereeId: string; readonly orderId: string; readonly boughtAt: Date },
): Promise<{ readonly id: string } | undefined> => {
  const { refereeId, orderId, boughtAt } = buy;
  return selectOne<{ id: string }>(
    tx,
    sql`
      WITH rewarded AS (
        UPDATE referral SET status = 'REWARDED', updated_at = ${boughtAt}::timestamptz
        WHERE referee_user_id = ${refereeId}::uuid AND status = 'APPLIED'
        RETURNING id)
      UPDATE referral_reward SET order_id = ${orderId}::uuid, bought_at = ${boughtAt}::timestamptz
      FROM rewarded WHERE referral_id = rewarded.id
      RETURNING referral_reward.id::text AS id`,
  );
};

/**
 * Creates the function that records an allocated buy or installment for the reward of the customer's
 * referrer. The customer's first allocation starts the seven days after which the reward is earned. A
 * code can't be applied after an allocation, so a waiting reward always belongs to the first one. If the
 * person has bought before with another account, the reward is reversed (contract: customers >
 * Referrals).
 */
export const createRecordFirstBuy =
  (deps: FormerBuyerDeps & { readonly clock: Clock }) =>
  async (tx: Db, order: { readonly id: string; readonly userId: string }): Promise<void> => {
    const boughtAt = deps.clock.now();
    const { id: orderId, userId: refereeId } = order;
    const reward = await recordBuy(tx, { refereeId, orderId, boughtAt });
    if (reward === undefined || !(await hasBoughtElsewhere(deps, tx, refereeId))) return;
    await tx.referralReward.update({
      where: { id: reward.id },
      data: { status: 'REVERSED', reversedAt: boughtAt },
      select: { id: true },
    });
  };
