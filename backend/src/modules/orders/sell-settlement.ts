import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { SellSettlement, SellSettlementInfo, SettledSell } from '../payouts/index.ts';
import { createMoveSell } from './create-move-order.ts';
import { createGoldOrderStore } from './gold-order.store.ts';
import { sellStatuses, type SellStatus } from './gold.types.ts';

const statusOf = (sell: SettledSell): SellStatus => {
  const status = sellStatuses.find((known) => known === sell.status);
  if (status === undefined) throw new Error(`order ${sell.id} is not a sell`);
  return status;
};

/**
 * What payouts do to sells, inside the transaction that moves the payout; see SellSettlement for
 * the contract. Made before payouts and before the rest of this module: each of the two needs
 * something of the other.
 */
export const createSellSettlement = (options: {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): SellSettlement => {
  const moveSell = createMoveSell(options);
  const move = (db: Db, sell: SettledSell, to: SellStatus, info: SellSettlementInfo) =>
    moveSell(db, { id: sell.id, status: statusOf(sell) }, { ...info, to });
  return {
    async lockSell(db, orderId) {
      const order = await createGoldOrderStore(db).lock(orderId);
      if (order?.type !== 'SELL') throw new Error(`there is no sell ${orderId}`);
      const { id, userId, status } = order;
      return { id, userId, status };
    },
    markCompleted: (db, sell, info) => move(db, sell, 'COMPLETED', info),
    backToConfirmed: (db, sell, info) => move(db, sell, 'CONFIRMED', info),
  };
};
