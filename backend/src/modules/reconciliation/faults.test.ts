import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxDefaults } from '../../apps/sandbox/sandbox-defaults.ts';
import { openBooks, type OpenBooks } from '../../../test/support/open-books.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { checkIds, type CheckId } from './index.ts';

/*
 * One system's books. Every fault is planted beside consistent data and the earlier faults, so
 * each has to raise its own check by one, and no other.
 */
let books: OpenBooks;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

/** Plants a fault; it must be found by exactly this check, with a sample that names the row. */
const expectFoundBy = async (
  id: CheckId,
  plant: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> => {
  const before = await books.checks();
  const named = await plant();
  const after = await books.checks();
  const countsOf = (checks: typeof before) =>
    Object.fromEntries([...checks].map(([check, { count }]) => [check, count]));
  const raised = (before.get(id)?.count ?? 0) + 1;
  expect(countsOf(after)).toEqual({ ...countsOf(before), [id]: raised });
  const { status, samples } = after.get(id) ?? {};
  expect(status).toBe('FINDINGS');
  expect(samples).toContainEqual(expect.objectContaining(named));
};

const ageBy = (minutes: number): string => `- interval '${minutes} minutes'`;

it('reads OK thirteen times over consistent books', async () => {
  const sold = await books.sell();
  await books.playPayout(sold.payoutId, 'processed');
  await eventually(async () => expect(await books.statusOf(sold.orderId)).toBe('COMPLETED'));
  const back = await books.sell();
  await books.playPayout(back.payoutId, 'failed');
  await books.sell('500', '600');
  const unpaid = await books.place(await books.customer());
  await books.pay(unpaid, { outcome: 'failed' });
  await eventually(async () => expect(await books.statusOf(unpaid.orderId)).toBe('FAILED'));
  const { status, body } = await books.report();
  expect(status).toBe(200);
  const ok = { status: 'OK', count: 0, samples: [] };
  expect(body).toMatchObject({
    windowHours: 72,
    summary: { ok: 13, findings: 0, errors: 0 },
    checks: checkIds.map((id) => ({ id, ...ok })),
  });
});

it('finds gold without money', () =>
  expectFoundBy('allocated_without_capture', async () => {
    const { orderId, userId, paymentOrderId, txId } = await books.buy();
    await books.asOwner(
      `UPDATE payment_order SET status = 'EXPIRED', captured_payment_id = NULL, paid_at = NULL,
         gateway_order_id = 'order_of_nobody' WHERE id = $1`,
      paymentOrderId,
    );
    await books.asOwner('DELETE FROM gateway_payment WHERE payment_order_id = $1', paymentOrderId);
    return { orderId, userId, providerTxId: txId };
  }));

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
])('finds another amount in the %s', (_where, sql) =>
  expectFoundBy('payment_amount_mismatch', async () => {
    const { orderId, userId, paymentOrderId } = await books.buy();
    await books.asOwner(sql, orderId);
    return { orderId, userId, paymentOrderId };
  }),
);

it('finds a capture that no webhook told us of', () =>
  expectFoundBy('gateway_capture_missing', async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { deliver: 'none' });
    const { orderId, paymentOrderId, gatewayOrderId } = placed;
    return { orderId, paymentOrderId, gatewayOrderId, gateway: 'sandbox', amountPaise: 100_000 };
  }));

it('finds a capture of a gateway order whose id was lost', () =>
  expectFoundBy('gateway_capture_missing', async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { deliver: 'none' });
    const { paymentOrderId, gatewayOrderId } = placed;
    await books.asOwner(
      `UPDATE payment_order SET status = 'CREATED', gateway_order_id = NULL WHERE id = $1`,
      paymentOrderId,
    );
    return { paymentOrderId, gatewayOrderId };
  }));

it('finds a signed capture of an order that is unknown here', () =>
  expectFoundBy('gateway_capture_missing', async () => {
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
  }));

it('finds an event that waits, and only that although its capture is not booked', () =>
  expectFoundBy('webhook_backlog', async () => {
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
  }));

it('finds an unmatched event whose payout became known', () =>
  expectFoundBy('webhook_backlog', async () => {
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
  }));

it('finds a balance that no movement made', () =>
  expectFoundBy('holding_balance_drift', async () => {
    const { userId } = await books.buy();
    await books.asOwner('UPDATE holding SET balance = balance + 0.5 WHERE user_id = $1', userId);
    return { userId };
  }));

it('finds invested rupees that no movement made', () =>
  expectFoundBy('holding_invested_drift', async () => {
    const { userId } = await books.buy();
    await books.asOwner(
      'UPDATE holding SET invested_paise = invested_paise + 1 WHERE user_id = $1',
      userId,
    );
    return { userId, investedPaise: 100_001, sumOfMovementsPaise: 100_000 };
  }));

it('finds a sell that took another part of what was invested', () =>
  expectFoundBy('holding_invested_drift', async () => {
    const { userId, orderId } = await books.sell();
    await books.asOwner('ALTER TABLE holding_movement DISABLE TRIGGER USER');
    await books.asOwner(
      `UPDATE holding_movement SET invested_paise = invested_paise - 7,
         invested_after_paise = invested_after_paise - 7 WHERE order_id = $1`,
      orderId,
    );
    await books.asOwner('ALTER TABLE holding_movement ENABLE TRIGGER USER');
    await books.asOwner(
      'UPDATE holding SET invested_paise = invested_paise - 7 WHERE user_id = $1',
      userId,
    );
    return { userId, orderId };
  }));

it('finds gold that the provider says it did not sell', () =>
  expectFoundBy('provider_transaction_mismatch', async () => {
    const { orderId, userId, txId } = await books.buy();
    await books.control('POST', `/transactions/${txId}`, { status: 2 });
    const atProvider = 'FAILED';
    return { problem: 'TRADED_HERE_ONLY', orderId, userId, providerTxId: txId, atProvider };
  }));

it('finds gold that the provider sold for an order that was given up', () =>
  expectFoundBy('provider_transaction_mismatch', async () => {
    const { orderId, userId, txId } = await books.place(await books.customer());
    await books.asOwner(
      `INSERT INTO provider_operation (id, order_id, user_id, provider, operation, status,
         provider_tx_id, grams, verified_at, started_at, settled_at)
       VALUES ($1, $2, $3, 'safegold', 'buy-confirm', 'REFUSED', $4, 1, $5, $5, $5)`,
      ...[randomUUID(), orderId, userId, txId, books.kit.clock.now()],
    );
    await books.asOwner(`UPDATE gold_order SET status = 'FAILED' WHERE id = $1`, orderId);
    await books.control('POST', `/transactions/${txId}`, { status: 1 });
    return { problem: 'TRADED_THERE_ONLY', orderId, providerTxId: txId, atProvider: 'SUCCESS' };
  }));

it('finds gold at the provider that no order of its customer explains', () =>
  expectFoundBy('provider_transaction_mismatch', async () => {
    const bought = await books.buy();
    const { txId, userId, providerUserId } = await books.place(bought);
    await books.control('POST', `/transactions/${txId}`, { status: 1 });
    return { problem: 'BALANCE', userId, providerUserId };
  }));

it('finds a provider transaction that two orders name', () =>
  expectFoundBy('duplicate_provider_transaction', async () => {
    const { txId, orderId } = await books.buy();
    const other = await books.buy();
    await books.asOwner(
      `INSERT INTO provider_operation (id, order_id, user_id, provider, operation, status,
         provider_tx_id, grams, verified_at, started_at, settled_at)
       VALUES ($1, $2, $3, 'safegold', 'buy-confirm', 'REFUSED', $4, 1, $5, $5, $5)`,
      ...[randomUUID(), other.orderId, other.userId, txId, books.kit.clock.now()],
    );
    const [first, second] = [orderId, other.orderId].toSorted();
    return { providerTxId: txId, orders: 2, orderId: first, otherOrderId: second };
  }));

it('finds two orders of one provider transaction, should the key be gone', () =>
  expectFoundBy('duplicate_provider_transaction', async () => {
    await books.asOwner('DROP INDEX gold_order_provider_provider_tx_id_key');
    const { txId } = await books.buy();
    const other = await books.buy();
    await books.asOwner(
      'UPDATE gold_order SET provider_tx_id = $2 WHERE id = $1',
      ...[other.orderId, txId],
    );
    return { providerTxId: txId, orders: 2 };
  }));

it('finds a sell without a payout', () =>
  expectFoundBy('sell_without_payout', async () => {
    const { orderId, userId, payoutId } = await books.sell();
    await books.asOwner('DELETE FROM payout_attempt WHERE payout_id = $1', payoutId);
    await books.asOwner('DELETE FROM payout WHERE id = $1', payoutId);
    return { orderId, userId, orderStatus: 'CONFIRMED', payoutId: null };
  }));

it('finds a payout of another amount than its sell', () =>
  expectFoundBy('sell_without_payout', async () => {
    const { orderId, payoutId } = await books.sell();
    await books.asOwner(
      'UPDATE payout SET amount_paise = amount_paise + 1 WHERE id = $1',
      payoutId,
    );
    return { orderId, payoutId };
  }));

it('finds a payout for a sell that was never confirmed', () =>
  expectFoundBy('sell_without_payout', async () => {
    const { orderId: soldId } = await books.sell();
    const { orderId, payoutId } = await books.sell();
    const { orderId: unpaidId } = await books.place(await books.customer());
    await books.asOwner('UPDATE payout SET order_id = $2 WHERE id = $1', payoutId, unpaidId);
    // The sell that lost it is put right, so that one fault is left.
    await books.asOwner(
      `INSERT INTO payout SELECT (jsonb_populate_record(p, jsonb_build_object(
         'id', $2::text, 'order_id', $3::text))).* FROM payout p WHERE order_id = $1`,
      ...[soldId, randomUUID(), orderId],
    );
    return { orderId: unpaidId, payoutId, orderStatus: 'PENDING' };
  }));

it('finds a payout that is on its way for over a day', () =>
  expectFoundBy('payout_stuck', async () => {
    const { orderId, userId, payoutId } = await books.sell();
    await books.asOwner(
      `UPDATE payout SET dispatched_at = dispatched_at ${ageBy(24 * 60 + 1)} WHERE id = $1`,
      payoutId,
    );
    return { payoutId, orderId, userId, payoutStatus: 'PROCESSING' };
  }));

it('finds a payout that the provider has paid without telling us', () =>
  expectFoundBy('payout_stuck', async () => {
    const { payoutId } = await books.sell();
    await books.playPayout(payoutId, 'processed', { deliver: 'none' });
    return { problem: 'PROVIDER_SAYS_OTHERWISE', payoutId, atProvider: 'PAID' };
  }));

it('finds a payout that reads paid and is not', () =>
  expectFoundBy('payout_stuck', async () => {
    const { payoutId } = await books.sell();
    await books.asOwner(
      `UPDATE payout SET status = 'PAID', paid_at = updated_at WHERE id = $1`,
      payoutId,
    );
    return { payoutId, payoutStatus: 'PAID', atProvider: 'PROCESSING' };
  }));

/** A payout above the cap, let go by a SUPER_ADMIN. */
const bigPayout = async (): Promise<{ payoutId: string; orderId: string }> => {
  const sold = await books.sell('120000', '190000');
  const superAdmin = await books.operator('SUPER_ADMIN');
  const approved = await superAdmin('POST', `/payouts/${sold.payoutId}/approve`);
  expect(approved.status).toBe(200);
  await books.drain();
  return sold;
};

it('finds a big payout that nobody let go', () =>
  expectFoundBy('payout_over_cap_unapproved', async () => {
    const { payoutId, orderId } = await bigPayout();
    await books.asOwner(
      'UPDATE payout SET approved_by = NULL, approved_at = NULL WHERE id = $1',
      payoutId,
    );
    return { payoutId, orderId, approvedBy: null };
  }));

it('finds a big payout that a mere admin let go, and not one of a former super admin', () =>
  expectFoundBy('payout_over_cap_unapproved', async () => {
    const former = await bigPayout();
    await books.asOwner(
      `UPDATE admin_user SET role = 'ADMIN'
       WHERE id = (SELECT approved_by FROM payout WHERE id = $1)`,
      former.payoutId,
    );
    const { payoutId } = await bigPayout();
    const { adminId } = await books.factories.admin('ADMIN');
    await books.asOwner('UPDATE payout SET approved_by = $2 WHERE id = $1', payoutId, adminId);
    return { payoutId, approvedBy: adminId, approverRole: 'ADMIN' };
  }));

it('finds what waits for a person: a capture of another amount', () =>
  expectFoundBy('manual_review_open', async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { amountPaise: 99_900 });
    const { orderId, userId } = placed;
    await eventually(async () => expect(await books.statusOf(orderId)).toBe('MANUAL_REVIEW'));
    return { orderId, userId, manualReviewCode: 'AMOUNT_MISMATCH' };
  }));

it('finds what waits for a person: a sell of unknown outcome', () =>
  expectFoundBy('manual_review_open', async () => {
    const bought = await books.buy();
    const fault = { collaborator: 'safegold', fault: 'error', times: 20 };
    await books.control('POST', '/faults', { ...fault, operation: 'sell-confirm' });
    await books.control('POST', '/faults', { ...fault, operation: 'sell-status' });
    expect(await books.askToSell(bought, '500')).toMatchObject({ code: 'SELL_UNDER_REVIEW' });
    await books.control('DELETE', '/faults');
    return { userId: bought.userId, type: 'SELL', manualReviewCode: 'SELL_UNKNOWN_OUTCOME' };
  }));

it('finds money that has waited too long for its gold', () =>
  expectFoundBy('captured_not_allocated', async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed);
    const { orderId, userId, txId } = placed;
    await eventually(async () => expect(await books.statusOf(orderId)).toBe('PAID'));
    await books.asOwner(
      `UPDATE gold_order SET paid_at = paid_at ${ageBy(16)} WHERE id = $1`,
      orderId,
    );
    return { orderId, userId, providerTxId: txId, orderStatus: 'PAID' };
  }));

it('finds money of an order that reads unpaid', () =>
  expectFoundBy('captured_not_allocated', async () => {
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
  }));
