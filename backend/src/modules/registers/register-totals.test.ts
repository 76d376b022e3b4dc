import { expect } from 'vitest';
import { booksTest } from '#test/support/books-test.ts';
import { eventually } from '#test/support/eventually.ts';
import type { OpenBooks } from '#test/support/open-books.ts';
import { addGrams, formatGrams, gramsFromDatabase } from '../../money/index.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { registerTotals } from './index.ts';

const it = booksTest();

const nothing = {
  buys: { orders: 0, grams: '0.0000', amountPaise: 0, gstPaise: 0, cgstPaise: 0, sgstPaise: 0 },
  sells: { orders: 0, grams: '0.0000', proceedsPaise: 0 },
  payments: { captured: 0, capturedPaise: 0, refundedPaise: 0, disputesLostPaise: 0 },
  payouts: { paid: 0, paidPaise: 0, returned: 0, returnedPaise: 0 },
};

const sum = (values: readonly bigint[]): number => Number(values.reduce((a, b) => a + b, 0n));

/** Plays an outcome of the payout, and waits until it is applied to the sale. */
const play = async (
  open: OpenBooks,
  payoutId: string,
  orderId: string,
  outcome: string,
  status: string,
) => {
  await open.playPayout(payoutId, outcome);
  await eventually(async () => {
    await open.drain();
    expect(await open.statusOf(orderId)).toBe(status);
  });
};

const dayOf = (open: OpenBooks, days: number): string =>
  istDate(new Date(open.system.clock.now().getTime() + days * 86_400_000));

it('the totals of a past day never change: bought, sold and paid out', async ({ open }) => {
  const { db } = open.system;
  expect(await registerTotals(db, {})).toMatchObject(nothing);
  const today = dayOf(open, 0);
  await open.buy(undefined, '2500.55');
  const unpaid = await open.customer();
  await open.place(unpaid);
  const sold = await open.sell('500', '1000');
  const orders = await db.goldOrder.findMany();
  const bought = orders.filter(({ allocatedAt }) => allocatedAt !== null);
  const sale = await db.goldOrder.findUniqueOrThrow({ where: { id: sold.orderId } });
  const gst = bought.map(({ gstPaise }) => gstPaise ?? 0n);
  const grams = (of: typeof bought): string =>
    formatGrams(addGrams(...of.map((order) => gramsFromDatabase(order.grams ?? '0'))));

  const before = await registerTotals(db, { from: today, to: today });
  expect(bought).toHaveLength(2);
  expect(before).toMatchObject({
    buys: {
      orders: 2,
      grams: grams(bought),
      amountPaise: 350_055,
      gstPaise: sum(gst),
      cgstPaise: sum(gst.map((paise) => paise / 2n)),
      sgstPaise: sum(gst.map((paise) => paise - paise / 2n)),
    },
    sells: { orders: 1, grams: grams([sale]), proceedsPaise: Number(sale.proceedsPaise) },
    payments: { captured: 2, capturedPaise: 350_055 },
    payouts: { paid: 0, paidPaise: 0 },
    movements: { creditedGrams: grams(bought), debitedGrams: grams([sale]) },
    holdings: { openingGrams: '0.0000' },
  });
  expect(await registerTotals(db, { from: dayOf(open, 1), to: dayOf(open, 9) })).toMatchObject({
    ...nothing,
    holdings: { openingGrams: before.holdings.closingGrams },
  });

  // The payout is paid a day later and comes back on the day after that.
  await open.advance(86_400);
  await play(open, sold.payoutId, sold.orderId, 'processed', 'COMPLETED');
  const paid = { paid: 1, paidPaise: Number(sale.proceedsPaise) };
  const none = { paid: 0, paidPaise: 0, returned: 0, returnedPaise: 0 };
  expect(
    (await registerTotals(db, { from: dayOf(open, 0), to: dayOf(open, 0) })).payouts,
  ).toMatchObject(paid);
  await open.advance(86_400);
  await play(open, sold.payoutId, sold.orderId, 'reversed', 'CONFIRMED');
  expect(
    (await registerTotals(db, { from: dayOf(open, -1), to: dayOf(open, -1) })).payouts,
  ).toMatchObject(paid);
  expect((await registerTotals(db, { from: dayOf(open, 0), to: dayOf(open, 0) })).payouts).toEqual({
    ...none,
    returned: 1,
    returnedPaise: paid.paidPaise,
  });
  expect(await registerTotals(db, { from: today, to: today })).toEqual(before);
});
