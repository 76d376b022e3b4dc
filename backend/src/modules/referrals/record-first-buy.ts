import type { Clock } from '../../platform/clock/clock.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { hasBoughtElsewhere, type FormerBuyerDeps } from './former-buyers.ts';

/**
 * Ends the referral of a customer by their first buy, in one statement, since every allocation runs
 * it and most customers have no referrer. Returns the reward, or undefined where none waits for a buy.
 */
const recordBuy = (
  tx: Db,
  bought: { readonly refereeId: string; readonly orderId: string; readonly at: Date },
): Promise<{ readonly id: string } | undefined> => {
  const { refereeId, orderId, at } = bought;
  return selectOne<{ id: string }>(
    tx,
    sql`
      WITH rewarded AS (
        UPDATE referral SET status = 'REWARDED', updated_at = ${at}::timestamptz
        WHERE referee_user_id = ${refereeId}::uuid AND status = 'APPLIED'
        RETURNING id)
      UPDATE referral_reward SET order_id = ${orderId}::uuid, bought_at = ${at}::timestamptz
      FROM rewarded WHERE referral_id = rewarded.id
      RETURNING referral_reward.id::text AS id`,
  );
};

/**
 * Creates the effect of an allocated buy or installment on the reward of the customer's referrer:
 * the first one starts the seven days after which the reward is earned. A code can't be applied
 * after an allocation, so a pending reward was applied before all of them. A person who bought
 * before, in any account, earns no reward (contract: customers > Referrals).
 */
export const createRecordFirstBuy =
  (deps: FormerBuyerDeps & { readonly clock: Clock }) =>
  async (tx: Db, order: { readonly id: string; readonly userId: string }): Promise<void> => {
    const at = deps.clock.now();
    const { id: orderId, userId: refereeId } = order;
    const reward = await recordBuy(tx, { refereeId, orderId, at });
    if (reward === undefined || !(await hasBoughtElsewhere(deps, tx, refereeId))) return;
    await tx.referralReward.update({
      where: { id: reward.id },
      data: { status: 'REVERSED', reversedAt: at },
      select: { id: true },
    });
  };
