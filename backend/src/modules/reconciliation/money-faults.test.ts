import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { createFoundBy, type FoundBy } from '#test/support/found-by.ts';
import { eventually } from '#test/support/eventually.ts';

let books: OpenBooks;
let foundBy: FoundBy;
beforeAll(async () => {
  books = await openBooks();
  foundBy = createFoundBy(books);
});
afterAll(() => books.close());

const ageBy = (minutes: number): string => `- interval '${minutes} minutes'`;

it('the reconciliation finds gold without money, and a capture that is not booked', async () => {
  const found = await foundBy(async () => {
    const { orderId, userId, paymentOrderId } = await books.buy();
    await books.asOwner(
      `UPDATE payment_order SET status = 'EXPIRED', captured_payment_id = NULL, paid_at = NULL,
         gateway_order_id = 'order_of_nobody' WHERE id = $1`,
      paymentOrderId,
    );
    await books.asOwner('DELETE FROM gateway_payment WHERE payment_order_id = $1', paymentOrderId);
    await books.asOwner('DELETE FROM gateway_attempt WHERE payment_order_id = $1', paymentOrderId);
    return { orderId, userId };
  });
  expect(found).toEqual(['allocated_without_capture', 'gateway_capture_missing']);
});

it.each([
  ['payment order', 'UPDATE payment_order SET amount_paise = amount_paise + 1 WHERE order_id = $1'],
  [
    'order',
    `UPDATE gold_order SET amount_paise = amount_paise - 1, gst_paise = gst_paise - 1
     WHERE id = $1`,
  ],
  [
    'quote',
    `UPDATE gold_quote SET total_paise = total_paise + 1, gst_paise = gst_paise + 1
     WHERE id = (SELECT quote_id FROM gold_order WHERE id = $1)`,
  ],
  [
    'capture',
    `UPDATE gateway_payment SET amount_paise = amount_paise - 1
     WHERE payment_order_id = (SELECT id FROM payment_order WHERE order_id = $1)`,
  ],
  [
    'currency',
    `UPDATE gateway_payment SET currency = 'USD'
     WHERE payment_order_id = (SELECT id FROM payment_order WHERE order_id = $1)`,
  ],
])('the reconciliation finds another amount in the %s', async (_where, sql) => {
  const found = await foundBy(async () => {
    const { orderId, userId, paymentOrderId } = await books.buy();
    await books.asOwner(sql, orderId);
    return { orderId, userId, paymentOrderId };
  });
  expect(found).toEqual(['payment_amount_mismatch']);
});

it('the reconciliation finds a buy at a price below what the provider charges for it', async () => {
  const found = await foundBy(async () => {
    const { orderId, userId } = await books.buy();
    await books.asOwner(
      `UPDATE gold_order SET provider_amount_paise = amount_paise * 10 WHERE id = $1`,
      orderId,
    );
    return { orderId, userId, orderStatus: 'ALLOCATED' };
  });
  expect(found).toEqual(['payment_amount_mismatch']);
});

it('the reconciliation finds a sale at a price above what the provider pays for it', async () => {
  const found = await foundBy(async () => {
    const { orderId, userId } = await books.sell();
    await books.asOwner(
      `UPDATE gold_order SET provider_amount_paise = proceeds_paise / 10 WHERE id = $1`,
      orderId,
    );
    return { orderId, userId };
  });
  expect(found).toEqual(['payment_amount_mismatch']);
});

it('the reconciliation finds an order under review: a capture of another amount', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { amountPaise: 99_900 });
    const { orderId, userId } = placed;
    await eventually(async () => expect(await books.statusOf(orderId)).toBe('MANUAL_REVIEW'));
    return { orderId, userId, manualReviewCode: 'AMOUNT_MISMATCH' };
  });
  expect(found).toEqual(['manual_review_open']);
});

it('the reconciliation finds an order under review: a sale of unknown outcome', async () => {
  const found = await foundBy(async () => {
    const bought = await books.buy();
    const fault = { collaborator: 'safegold', fault: 'error', times: 20 };
    await books.control('POST', '/faults', { ...fault, operation: 'sell-confirm' });
    await books.control('POST', '/faults', { ...fault, operation: 'sell-status' });
    expect(await books.requestSale(bought, '500')).toMatchObject({ code: 'SELL_UNDER_REVIEW' });
    await books.control('DELETE', '/faults');
    return { userId: bought.userId, type: 'SELL', manualReviewCode: 'SELL_UNKNOWN_OUTCOME' };
  });
  expect(found).toEqual(['manual_review_open']);
});

it('the reconciliation finds money that has waited too long for its gold', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed);
    const { orderId, userId, txId } = placed;
    await eventually(async () => expect(await books.statusOf(orderId)).toBe('PAID'));
    await books.asOwner(
      `UPDATE gold_order SET paid_at = paid_at ${ageBy(16)} WHERE id = $1`,
      orderId,
    );
    return { orderId, userId, providerTxId: txId, orderStatus: 'PAID' };
  });
  expect(found).toEqual(['captured_not_allocated']);
});

it('the reconciliation finds money of an order whose status is unpaid', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed);
    const { orderId } = placed;
    await eventually(async () => expect(await books.statusOf(orderId)).toBe('PAID'));
    await books.asOwner(`UPDATE gold_order SET status = 'FAILED' WHERE id = $1`, orderId);
    await books.asOwner(
      `UPDATE gateway_payment SET learned_at = learned_at ${ageBy(16)}
       WHERE payment_order_id = $1`,
      placed.paymentOrderId,
    );
    return { orderId, orderStatus: 'FAILED' };
  });
  expect(found).toEqual(['captured_not_allocated']);
});
