import { lockOrder, sellStatuses, type Orders } from '../modules/orders/index.ts';
import type { SellSettlement, SettledSell } from '../modules/payouts/index.ts';

const statusOf = (sell: SettledSell) => {
  const status = sellStatuses.find((known) => known === sell.status);
  if (status === undefined) throw new Error(`order ${sell.id} is not a sell`);
  return status;
};

/** Creates what payouts do to sales, inside the transaction that changes the payout. */
export const createSellSettlement = ({
  transitionSell,
}: Pick<Orders, 'transitionSell'>): SellSettlement => ({
  async lockSell(db, orderId) {
    const order = await lockOrder(db, orderId);
    if (order?.type !== 'SELL') throw new Error(`there is no sell ${orderId}`);
    const { id, userId, status } = order;
    return { id, userId, status };
  },
  markCompleted: (db, sell, info) =>
    transitionSell(db, { id: sell.id, status: statusOf(sell) }, { ...info, to: 'COMPLETED' }),
  backToConfirmed: (db, sell, info) =>
    transitionSell(db, { id: sell.id, status: statusOf(sell) }, { ...info, to: 'CONFIRMED' }),
});
