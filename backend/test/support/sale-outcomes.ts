import { expect } from 'vitest';
import type { OpenGold } from './open-gold.ts';
import type { Seller, Sellers } from './sellers.ts';

/** Creates the checks of a customer's one sale of 0.02 g, one for each way it can end. */
export const createSaleOutcomes = (open: OpenGold, sellers: Sellers, sellerNow: () => Seller) => {
  const theSale = async () => {
    const [order, ...more] = await sellers.salesOf(sellerNow().id);
    expect(more).toEqual([]);
    if (order === undefined) throw new Error('no sale was written');
    return order;
  };
  const confirmsOf = async (txId: string | null): Promise<number> => {
    const entries = await open.journal('sell-confirm');
    return entries.filter(({ body }) => String(body['tx_id']) === txId).length;
  };
  const notificationTypes = async (): Promise<string[]> => {
    const rows = await open.database.db.notification.findMany({
      where: { userId: sellerNow().id },
    });
    return rows.map(({ type }) => type).filter((type) => type !== 'buy_success');
  };

  /** Nothing was sold, and the gold is free. */
  const expectAvailable = async (): Promise<void> => {
    const holding = await sellers.holdingOf(sellerNow().id);
    expect(holding).toMatchObject({ balance: sellerNow().grams, reserved: '0.0000' });
    expect(await theSale()).toMatchObject({ status: 'FAILED', manualReviewCode: null });
  };
  /** Sold once, here and there. */
  const expectSold = async (): Promise<void> => {
    const order = await theSale();
    expect(order).toMatchObject({ status: 'CONFIRMED', manualReviewCode: null });
    const { balance, reserved } = await sellers.holdingOf(sellerNow().id);
    expect(reserved).toBe('0.0000');
    expect(Number(balance)).toBeCloseTo(Number(sellerNow().grams) - 0.02, 6);
    expect(Number(await sellers.atProvider(sellerNow()))).toBe(Number(balance));
    expect(await open.database.db.payout.count({ where: { orderId: order.id } })).toBe(1);
    expect(await confirmsOf(order.providerTxId)).toBe(1);
    expect(await notificationTypes()).toEqual(['sell_confirmed']);
  };
  /** The outcome is unknown: the grams stay reserved, and an operator decides. */
  const expectUnderReview = async (code = 'SELL_UNKNOWN_OUTCOME'): Promise<void> => {
    const order = await theSale();
    expect(order).toMatchObject({ status: 'VERIFIED', manualReviewCode: code });
    expect(order.manualReviewReason).toContain('grams stay reserved');
    expect((await sellers.holdingOf(sellerNow().id)).reserved).toBe('0.0200');
    expect(await open.database.db.payout.count({ where: { orderId: order.id } })).toBe(0);
  };

  return { theSale, confirmsOf, notificationTypes, expectAvailable, expectSold, expectUnderReview };
};
