import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFoundBy, type FoundBy } from '#test/support/found-by.ts';
import { CANNOT_SAY, isRead, type PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { mapDone, unknown } from '../../platform/outcome/outcome.ts';
import { sandboxDefaults } from '../../apps/sandbox/sandbox-options.ts';

let books: OpenBooks;
let foundBy: FoundBy;
beforeAll(async () => {
  books = await openBooks();
  foundBy = createFoundBy(books);
});
afterAll(() => books.close());

const ageBy = (minutes: number): string => `- interval '${minutes} minutes'`;

it('the reconciliation finds a capture that no webhook reported', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { deliver: 'none' });
    const { orderId, paymentOrderId, gatewayOrderId } = placed;
    return { orderId, paymentOrderId, gatewayOrderId, gateway: 'sandbox', amountPaise: 100_000 };
  });
  expect(found).toEqual(['gateway_capture_missing']);
});

it('the reconciliation finds a capture of an earlier order that expired in the window', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { deliver: 'none' });
    const { orderId, paymentOrderId } = placed;
    await books.asOwner(
      `UPDATE payment_order SET status = 'EXPIRED', created_at = created_at - interval '4 days'
       WHERE id = $1`,
      paymentOrderId,
    );
    return { orderId, paymentOrderId };
  });
  expect(found).toEqual(['gateway_capture_missing']);
});

it('the reconciliation finds a capture of a gateway order whose id was lost', async () => {
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

it.each([
  ['refunds', 'REFUND', undefined],
  ['refunds', 'REFUND', 30_000],
  ['disputes', 'DISPUTE', undefined],
])(
  'the reconciliation finds one of the %s that no webhook told us of: %s of %s',
  async (control, kind, amountPaise) => {
    const found = await foundBy(async () => {
      const { orderId, gatewayOrderId } = await books.buy();
      const payment = await books.system.db.gatewayPayment.findFirstOrThrow({
        where: { gatewayOrderId },
      });
      const { gatewayPaymentId } = payment;
      const play = { deliver: 'none', ...(amountPaise !== undefined && { amountPaise }) };
      const told = await books.control('POST', `/${control}/${gatewayPaymentId}`, play);
      const { reference } = told;
      const amount = { amountPaise: amountPaise ?? 100_000, capturedPaise: 100_000 };
      return { orderId, gatewayPaymentId, kind, reference, ...amount };
    });
    expect(found).toEqual(['gateway_capture_missing']);
  },
);

/** Removes the lists of a gateway's account, so that each payment order is queried. */
const withoutLists = ({ account: _lists, ...gateway }: PaymentGateway): PaymentGateway => gateway;

it('the reconciliation finds the same if the gateway has no lists of its account', async () => {
  const asked = await books.freshChecks(
    (real) => new Map([...real].map(([code, gateway]) => [code, withoutLists(gateway)])),
  );
  const listed = await books.freshChecks();
  const [one, other] = [listed, asked].map((checks) => checks.get('gateway_capture_missing'));
  expect(one?.count).toBe(6);
  expect(other?.count).toBe(one?.count);
  expect(other?.samples).toEqual(expect.arrayContaining([...(one?.samples ?? [])]));
});

/** Makes a gateway report REFUNDED for every paid payment. */
const sayRefunded = (gateway: PaymentGateway): PaymentGateway => ({
  ...withoutLists(gateway),
  listPayments: async (gatewayOrderId) =>
    mapDone(await gateway.listPayments(gatewayOrderId), (payments) =>
      payments.filter(isRead).map((payment) => ({ ...payment, status: 'REFUNDED' as const })),
    ),
});

it('the reconciliation finds a refund even if the gateway reports REFUNDED for the payment', async () => {
  const checks = await books.freshChecks(
    (real) => new Map([...real].map(([code, gateway]) => [code, sayRefunded(gateway)])),
  );
  const kinds = checks.get('gateway_capture_missing')?.samples.map(({ kind }) => kind);
  expect(kinds?.toSorted()).toEqual(['DISPUTE', 'REFUND', 'REFUND']);
});

it('the reconciliation has ERROR if a gateway lists no refunds, and finds the other faults', async () => {
  const checks = await books.freshChecks(
    (real) =>
      new Map(
        [...real].map(([code, gateway]) => [
          code,
          { ...withoutLists(gateway), getRefunds: () => Promise.resolve(unknown(CANNOT_SAY)) },
        ]),
      ),
  );
  const check = checks.get('gateway_capture_missing');
  expect(check?.status).toBe('ERROR');
  // The captures and the dispute of the tests above.
  expect(check?.samples.filter(({ kind }) => kind === 'DISPUTE')).toHaveLength(1);
  expect(check?.samples.filter(({ kind }) => kind === undefined)).toHaveLength(3);
});

it('the reconciliation has ERROR if a row cannot be read, and names its payment order', async () => {
  const unread = { status: 'UNREADABLE' } as const;
  const [readable, odd] = await Promise.all([
    books.freshChecks(),
    books.freshChecks(
      (real) =>
        new Map(
          [...real].map(([code, gateway]) => [
            code,
            {
              ...gateway,
              listPayments: async (gatewayOrderId) =>
                mapDone(await gateway.listPayments(gatewayOrderId), (all) => [unread, ...all]),
            } satisfies PaymentGateway,
          ]),
        ),
    ),
  ]);
  const check = odd.get('gateway_capture_missing');
  expect(check?.status).toBe('ERROR');
  expect(check?.detail).toMatch(
    /sandbox lists rows of payment order [0-9a-f-]{36} that cannot be read/u,
  );
  expect(check?.samples).toEqual(readable.get('gateway_capture_missing')?.samples);
});

it('the reconciliation reports a recorded reversal only as an order under review', async () => {
  const found = await foundBy(async () => {
    const { orderId, gatewayOrderId } = await books.buy();
    const payment = await books.system.db.gatewayPayment.findFirstOrThrow({
      where: { gatewayOrderId },
    });
    await books.control('POST', `/disputes/${payment.gatewayPaymentId}`, {});
    await eventually(async () => (await books.statusOf(orderId)) === 'MANUAL_REVIEW');
    return { orderId, manualReviewCode: 'PAYMENT_REVERSED' };
  });
  expect(found).toEqual(['manual_review_open']);
});

it('the reconciliation knows the grams that were recovered, in both books', async () => {
  const found = await foundBy(async () => {
    const { orderId, gatewayOrderId } = await books.buy();
    const payment = await books.system.db.gatewayPayment.findFirstOrThrow({
      where: { gatewayOrderId },
    });
    await books.control('POST', `/disputes/${payment.gatewayPaymentId}`, {});
    await eventually(async () => (await books.statusOf(orderId)) === 'MANUAL_REVIEW');
    const operator = await books.operator();
    const body = { resolution: 'RECOVER' };
    const answer = await operator('POST', `/orders/${orderId}/resolve`, body);
    expect(answer.body).toMatchObject({ status: 'FAILED' });
    return {};
  });
  expect(found).toEqual([]);
});

it('the reconciliation finds a signed capture of an order that is unknown here', async () => {
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
    const created_at = books.system.clock.now().toISOString();
    const text = JSON.stringify({ event: 'payment.captured', created_at, data });
    const [secret = ''] = sandboxDefaults.gatewayWebhookSecrets;
    const signature = createHmac('sha256', secret).update(text).digest('hex');
    const answer = await books.deliverPayment(text, { 'x-gateway-signature': signature });
    expect(answer.status).toBe(200);
    return { gatewayPaymentId, gatewayOrderId: 'order_elsewhere', amountPaise: 700 };
  });
  expect(found).toEqual(['gateway_capture_missing']);
});

it('the reconciliation finds a waiting event, and does not also report its capture', async () => {
  const found = await foundBy(async () => {
    const placed = await books.place(await books.customer());
    await books.pay(placed, { deliver: 'none' });
    const { gatewayOrderId } = placed;
    const listed = await books.services.gateways.get('sandbox')?.listPayments(gatewayOrderId);
    if (listed?.kind !== 'done') throw new Error('the gateway does not answer');
    const eventId = randomUUID();
    await books.asOwner(
      `INSERT INTO webhook_event (id, source, gateway, body_hash, event_type, subject,
         gateway_payment_id, status, sealed_body, attempts, last_error, received_at)
       VALUES ($1::uuid, 'payment', 'sandbox', $1::text, 'payment.captured', $2, $3, 'PENDING', 'x',
         3, 'Error', $4::timestamptz ${ageBy(6)})`,
      eventId,
      gatewayOrderId,
      listed.value.find(isRead)?.gatewayPaymentId,
      books.system.clock.now(),
    );
    return { eventId, subject: gatewayOrderId, attempts: 3, lastError: 'Error' };
  });
  expect(found).toEqual(['webhook_backlog']);
});

it('the reconciliation finds an unmatched event of a payment once the payment is known', async () => {
  const found = await foundBy(async () => {
    const { gatewayOrderId } = await books.buy();
    const where = { gatewayOrderId };
    const { gatewayPaymentId } = await books.system.db.gatewayPayment.findFirstOrThrow({ where });
    const eventId = randomUUID();
    await books.asOwner(
      `INSERT INTO webhook_event (id, source, gateway, body_hash, event_type, gateway_payment_id,
         status, sealed_body, received_at)
       VALUES ($1::uuid, 'payment', 'sandbox', $1::text, 'refund.failed', $2, 'UNMATCHED', 'x',
         $3::timestamptz ${ageBy(6)})`,
      eventId,
      gatewayPaymentId,
      books.system.clock.now(),
    );
    return { eventId, gatewayPaymentId };
  });
  expect(found).toEqual(['webhook_backlog']);
});

it.each(['payout', 'validation'])('finds an unmatched event whose %s became known', async (of) => {
  const found = await foundBy(async () => {
    const { payoutId } = await books.sell();
    const { db, clock } = books.system;
    const where = { payoutId };
    const { providerPayoutId, bankAccount } = await db.payoutAttempt.findFirstOrThrow({
      where,
      include: { bankAccount: true },
    });
    const subject = of === 'payout' ? providerPayoutId : bankAccount.providerValidationId;
    const eventId = randomUUID();
    await books.asOwner(
      `INSERT INTO webhook_event (id, source, gateway, body_hash, subject, status, sealed_body,
         received_at)
       VALUES ($1::uuid, 'payout', 'razorpayx', $1::text, $2, 'UNMATCHED', 'x',
         $3::timestamptz ${ageBy(6)})`,
      eventId,
      subject,
      clock.now(),
    );
    return { eventId, source: 'payout', subject };
  });
  expect(found).toEqual(['webhook_backlog']);
});
