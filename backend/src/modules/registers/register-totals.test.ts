import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { assertInvariants } from '#test/support/invariants.ts';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { addGrams, formatGrams, gramsFromDatabase } from '../../money/index.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { registerTotals } from './index.ts';

let books: OpenBooks;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

const nothing = {
  buys: { orders: 0, grams: '0.0000', amountPaise: 0, gstPaise: 0, cgstPaise: 0, sgstPaise: 0 },
  sells: { orders: 0, grams: '0.0000', proceedsPaise: 0 },
  payments: { captured: 0, capturedPaise: 0, refundedPaise: 0, disputesLostPaise: 0 },
  payouts: { paid: 0, paidPaise: 0, returned: 0, returnedPaise: 0 },
};

const sum = (values: readonly bigint[]): number => Number(values.reduce((a, b) => a + b, 0n));

/** Plays an outcome of the payout, and waits until the sale has heard of it. */
const play = async (payoutId: string, orderId: string, outcome: string, status: string) => {
  await books.playPayout(payoutId, outcome);
  await eventually(async () => {
    await books.drain();
    expect(await books.statusOf(orderId)).toBe(status);
  });
};

const dayOf = (days: number): string =>
  istDate(new Date(books.system.clock.now().getTime() + days * 86_400_000));

it('never changes what a day that is over came to: bought, sold and paid out', async () => {
  const { db } = books.system;
  expect(await registerTotals(db, {})).toMatchObject(nothing);
  const today = dayOf(0);
  await books.buy(undefined, '2500.55');
  const unpaid = await books.customer();
  await books.place(unpaid);
  const sold = await books.sell('500', '1000');
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
  expect(await registerTotals(db, { from: dayOf(1), to: dayOf(9) })).toMatchObject({
    ...nothing,
    holdings: { openingGrams: before.holdings.closingGrams },
  });

  // The payout is paid a day later and comes back on the day after that.
  await books.advance(86_400);
  await play(sold.payoutId, sold.orderId, 'processed', 'COMPLETED');
  const paid = { paid: 1, paidPaise: Number(sale.proceedsPaise) };
  const none = { paid: 0, paidPaise: 0, returned: 0, returnedPaise: 0 };
  expect((await registerTotals(db, { from: dayOf(0), to: dayOf(0) })).payouts).toMatchObject(paid);
  await books.advance(86_400);
  await play(sold.payoutId, sold.orderId, 'reversed', 'CONFIRMED');
  expect((await registerTotals(db, { from: dayOf(-1), to: dayOf(-1) })).payouts).toMatchObject(
    paid,
  );
  expect((await registerTotals(db, { from: dayOf(0), to: dayOf(0) })).payouts).toEqual({
    ...none,
    returned: 1,
    returnedPaise: paid.paidPaise,
  });
  expect(await registerTotals(db, { from: today, to: today })).toEqual(before);
  const { addresses, sandbox } = books.system;
  await assertInvariants({ databaseUrl: addresses.migrateUrl, sandboxUrl: sandbox.url });
});
