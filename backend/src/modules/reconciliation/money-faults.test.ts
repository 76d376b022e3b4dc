import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBooks, type OpenBooks } from '../../../test/support/open-books.ts';
import { createFoundBy, type FoundBy } from '../../../test/support/found-by.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { sandboxDefaults } from '../../apps/sandbox/sandbox-defaults.ts';

let books: OpenBooks;
let foundBy: FoundBy;
beforeAll(async () => {
  books = await openBooks();
  foundBy = createFoundBy(books);
});
afterAll(() => books.close());

const ageBy = (minutes: number): string => `- interval '${minutes} minutes'`;

it('finds gold without money', async () => {
  const found = await foundBy(async () => {
    const { orderId, userId, paymentOrderId, txId } = await books.buy();
    await books.asOwner(
      `UPDATE payment_order SET status = 'EXPIRED', captured_payment_id = NULL, paid_at = NULL,
         gateway_order_id = 'order_of_nobody' WHERE id = $1`,
      paymentOrderId,
    );
    await books.asOwner('DELETE FROM gateway_payment WHERE payment_order_id = $1', paymentOrderId);
    return { orderId, userId, providerTxId: txId };
  });
  expect(found).toEqual(['allocated_without_capture']);
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
])('finds another amount in the %s', async (_where, sql) => {
  const found = await foundBy(async () => {
    const { orderId, userId, paymentOrderId } = await books.buy();
    await books.asOwner(sql, orderId);
    return { orderId, userId, paymentOrderId };
  });
  expect(found).toEqual(['payment_amount_mismatch']);
});

it('finds a capture that no webhook told us of', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { deliver: 'none' });
    const { orderId, paymentOrderId, gatewayOrderId } = placed;
    return { orderId, paymentOrderId, gatewayOrderId, gateway: 'sandbox', amountPaise: 100_000 };
  });
  expect(found).toEqual(['gateway_capture_missing']);
});

it('finds a capture of a gateway order whose id was lost', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { deliver: 'none' });
    const { paymentOrderId, gatewayOrderId } = placed;
    await books.asOwner(
      `UPDATE payment_order SET status = 'CREATED', gateway_order_id = NULL WHERE id = $1`,
      paymentOrderId,
    );
    return { paymentOrderId, gatewayOrderId };
  });
  expect(found).toEqual(['gateway_capture_missing']);
});

it('finds a signed capture of an order that is unknown here', async () => {
  const found = await foundBy(async () => {
    const gatewayPaymentId = `pay_${randomUUID()}`;
    const data = {
      gateway_order_id: 'order_elsewhere',
      gateway_payment_id: gatewayPaymentId,
      amount_paise: 700,
      currency: 'INR',
      method: 'upi',
      status: 'captured',
    };
    const created_at = books.kit.clock.now().toISOString();
    const text = JSON.stringify({ event: 'payment.captured', created_at, data });
    const [secret = ''] = sandboxDefaults.gatewayWebhookSecrets;
    const signature = createHmac('sha256', secret).update(text).digest('hex');
    const answer = await books.deliverPayment(text, { 'x-gateway-signature': signature });
    expect(answer.status).toBe(200);
    return { gatewayPaymentId, gatewayOrderId: 'order_elsewhere', amountPaise: 700 };
  });
  expect(found).toEqual(['gateway_capture_missing']);
});

it('finds an event that waits, and only that although its capture is not booked', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { deliver: 'none' });
    const { gatewayOrderId } = placed;
    const listed = await books.trade.gateways.get('sandbox')?.listPayments(gatewayOrderId);
    if (listed?.kind !== 'done') throw new Error('the gateway does not answer');
    const eventId = randomUUID();
    await books.asOwner(
      `INSERT INTO webhook_event (id, source, gateway, body_hash, event_type, subject,
         gateway_payment_id, status, sealed_body, attempts, last_error, received_at)
       VALUES ($1::uuid, 'payment', 'sandbox', $1::text, 'payment.captured', $2, $3, 'PENDING', 'x',
         3, 'Error', $4::timestamptz ${ageBy(6)})`,
      eventId,
      gatewayOrderId,
      listed.value[0]?.gatewayPaymentId,
      books.kit.clock.now(),
    );
    return { eventId, subject: gatewayOrderId, attempts: 3, lastError: 'Error' };
  });
  expect(found).toEqual(['webhook_backlog']);
});

it('finds an unmatched event whose payout became known', async () => {
  const found = await foundBy(async () => {
    const { payoutId } = await books.sell();
    const { db, clock } = books.kit;
    const attempt = await db.payoutAttempt.findFirstOrThrow({ where: { payoutId } });
    const eventId = randomUUID();
    await books.asOwner(
      `INSERT INTO webhook_event (id, source, gateway, body_hash, event_type, subject, status,
         sealed_body, received_at)
       VALUES ($1::uuid, 'payout', 'razorpayx', $1::text, 'payout.processed', $2, 'UNMATCHED', 'x',
         $3::timestamptz ${ageBy(6)})`,
      eventId,
      attempt.providerPayoutId,
      clock.now(),
    );
    return { eventId, source: 'payout' };
  });
  expect(found).toEqual(['webhook_backlog']);
});

it('finds money that has waited too long for its gold', async () => {
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

it('finds money of an order that reads unpaid', async () => {
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
