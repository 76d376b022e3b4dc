import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sandboxDefaults } from '../../apps/sandbox/sandbox-defaults.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { assertInvariants } from '../../../test/support/invariants.ts';
import {
  openGold,
  type Answer,
  type Caller,
  type OpenGold,
} from '../../../test/support/open-gold.ts';
import { createSellers, newSellKey, type Seller } from '../../../test/support/sellers.ts';

const operatorId = '018f0000-0000-7000-8000-00000000aaaa';
let open: OpenGold;
let sellers: ReturnType<typeof createSellers>;
let operator: Caller;
beforeAll(async () => {
  open = await openGold();
  sellers = createSellers(open);
  operator = open.as(operatorId);
});
afterAll(() => open.close());
afterEach(async () => {
  await open.sandbox.control('DELETE', '/faults');
  await assertInvariants({ databaseUrl: open.databaseUrl, sandboxUrl: open.sandbox.url });
});

const resolve = (orderId: string, resolution: string, more: object = {}): Promise<Answer> =>
  operator('POST', `/orders/${orderId}/resolve`, { resolution, note: 'looked into', ...more });
const codeOf = (answer: Answer) => [answer.status, answer.body.error?.code];
const gatewayFault = (operation: string, fault: string, times: number) =>
  open.sandbox.control('POST', '/faults', {
    collaborator: 'sandbox-gateway',
    operation,
    fault,
    times,
  });
/** A price that moved: everything is bought at it from now on. */
const setPrice = (buyPaise: number) =>
  open.sandbox.control('PUT', '/price', {
    buyPaise,
    sellPaise: buyPaise - 20_000,
    spotPaise: buyPaise - 10_000,
  });

interface Buy {
  readonly id: string;
  readonly userId: string;
  readonly call: Caller;
  readonly txId: string;
  readonly grams: string;
  readonly gatewayOrderId: string;
}
const place = async (): Promise<Buy> => {
  const { id: userId, call } = await open.newCustomer();
  const body = { unit: 'INR', amount: '1000', idempotency_key: newSellKey() };
  const { order, payment } = (await call('POST', '/gold/buy', body)).body;
  const { id, sg_tx_id: txId, grams } = order;
  return { id, userId, call, txId, grams, gatewayOrderId: payment.gateway_order_id };
};
const orderOf = async ({ call, id }: Buy) => (await call('GET', `/gold/orders/${id}`)).body;
const becomes = (buy: Buy, status: string, code: string | null = null) =>
  eventually(async () => {
    const { status: now, manual_review_code: review } = await orderOf(buy);
    expect([now, review]).toEqual([status, code]);
  });
/** Plays the customer's payment; answers the gateway's id of it. */
const pay = async (buy: Buy, more: object = {}): Promise<string> => {
  const path = `/payments/${buy.gatewayOrderId}`;
  const told = await open.sandbox.control('POST', path, { outcome: 'captured', ...more });
  return String(told.body['gateway_payment_id']);
};
/** Pays back at the gateway; answers its reference. */
const payBack = async (paymentId: string, more: object = {}): Promise<string> => {
  const told = await open.sandbox.control('POST', `/refunds/${paymentId}`, more);
  return String(told.body['reference']);
};
const late = async () => {
  const buy = await place();
  await open.advance(481);
  const paymentId = await pay(buy);
  await becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
  return { buy, paymentId };
};
const allocated = async () => {
  const buy = await place();
  const paymentId = await pay(buy);
  await becomes(buy, 'PAID');
  await open.gold.allocate(buy.id);
  await becomes(buy, 'ALLOCATED');
  return { buy, paymentId };
};
const paidTwice = async () => {
  const { buy, paymentId } = await allocated();
  const secondId = await pay(buy);
  await becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
  return { buy, paymentId, secondId };
};
const failPayment = async (buy: Buy, paymentId: string) => {
  const text = JSON.stringify({
    event: 'payment.failed',
    created_at: open.clock.now().toISOString(),
    data: {
      gateway_order_id: buy.gatewayOrderId,
      gateway_payment_id: paymentId,
      amount_paise: 100_000,
      currency: 'INR',
      method: 'upi',
      status: 'failed',
    },
  });
  const [secret = ''] = sandboxDefaults.gatewayWebhookSecrets;
  const response = await fetch(`${open.url}/webhooks/payment/sandbox`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-signature': createHmac('sha256', secret).update(text).digest('hex'),
      'x-gateway-event-id': newSellKey(),
    },
    body: text,
  });
  expect(response.status).toBe(200);
  await becomes(buy, 'MANUAL_REVIEW', 'FAILED_AFTER_PAID');
};
const paymentStandings = async (buy: Buy): Promise<string[]> => {
  const rows = await open.database.db.gatewayPayment.findMany({
    where: { paymentOrder: { orderId: buy.id } },
    orderBy: { learnedAt: 'asc' },
  });
  return rows.map(({ standing }) => standing);
};
const paymentOrderStatus = async (buy: Buy): Promise<string | undefined> => {
  const row = await open.database.db.paymentOrder.findFirst({ where: { orderId: buy.id } });
  return row?.status;
};

describe('REFUNDED', () => {
  it('of the only payment fails the order, with its reference, audited', async () => {
    const { buy, paymentId } = await late();
    const reference = await payBack(paymentId);
    const answer = await resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'FAILED',
      refund_reference: reference,
      manual_review_code: null,
      payments: [{ status: 'REFUNDED' }],
    });
    expect(answer.body.events.at(-1)).toMatchObject({
      from: 'MANUAL_REVIEW',
      to: 'FAILED',
      cause: 'resolve.refunded',
      actor: `admin:${operatorId}`,
    });
    expect(await paymentStandings(buy)).toEqual(['REFUNDED']);
    const [audit, ...more] = await open.database.db.auditLog.findMany({
      where: { targetId: buy.id },
    });
    expect(more).toEqual([]);
    expect(audit).toMatchObject({
      action: 'order.resolve',
      actorId: operatorId,
      before: { status: 'MANUAL_REVIEW', manual_review_code: 'LATE_CAPTURE' },
      after: { status: 'FAILED', resolution: 'REFUNDED', reference, note: 'looked into' },
    });
    expect(codeOf(await resolve(buy.id, 'REFUNDED', { reference }))).toEqual([
      409,
      'ILLEGAL_TRANSITION',
    ]);
  });

  it('needs a reference, and a refund of the whole at the gateway', async () => {
    const { buy, paymentId } = await late();
    const without = await resolve(buy.id, 'REFUNDED');
    expect(without.body.error).toMatchObject({ code: 'VALIDATION_FAILED', field: 'reference' });
    const invented = { reference: 'invented' };
    expect((await resolve(buy.id, 'REFUNDED', invented)).status).toBe(409);
    const reference = await payBack(paymentId, { amountPaise: 40_000 });
    expect(codeOf(await resolve(buy.id, 'REFUNDED', { reference }))).toEqual([
      409,
      'OUTCOME_UNDECIDED',
    ]);
    await becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    await payBack(paymentId);
    expect((await resolve(buy.id, 'REFUNDED', { reference })).body.status).toBe('FAILED');
  });

  it('waits for a gateway that can be asked and does not answer', async () => {
    const { buy, paymentId } = await late();
    const reference = await payBack(paymentId);
    await gatewayFault('get-refund', 'timeout', 10);
    const answer = await resolve(buy.id, 'REFUNDED', { reference });
    expect(codeOf(answer)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    expect(await paymentStandings(buy)).toEqual(['LATE']);
  });

  it('ends a wrong amount, whose payment order becomes REFUNDED too', async () => {
    const buy = await place();
    const paymentId = await pay(buy, { amountPaise: 99_999 });
    await becomes(buy, 'MANUAL_REVIEW', 'AMOUNT_MISMATCH');
    expect((await resolve(buy.id, 'ALLOCATE')).status).toBe(409);
    const reference = await payBack(paymentId);
    expect((await resolve(buy.id, 'REFUNDED', { reference })).body.status).toBe('FAILED');
    expect(await paymentOrderStatus(buy)).toBe('REFUNDED');
  });

  it('of a second payment leaves the gold, and is refused for the payment of the gold', async () => {
    const { buy, paymentId, secondId } = await paidTwice();
    expect(codeOf(await resolve(buy.id, 'KEEP'))).toEqual([409, 'ILLEGAL_TRANSITION']);
    const first = await payBack(paymentId);
    expect((await resolve(buy.id, 'REFUNDED', { reference: first })).status).toBe(409);
    const reference = await payBack(secondId);
    const answer = await resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.body).toMatchObject({ status: 'ALLOCATED', refund_reference: null });
    expect(await paymentStandings(buy)).toEqual(['APPLIED', 'REFUNDED']);
    expect(await paymentOrderStatus(buy)).toBe('PAID');
  });

  it('of a second payment where there is no gold yet goes on to buy it', async () => {
    const buy = await place();
    await pay(buy);
    await becomes(buy, 'PAID');
    const secondId = await pay(buy);
    await becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    const reference = await payBack(secondId);
    const answer = await resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.body).toMatchObject({ status: 'PAID', manual_review_code: null });
    await open.gold.allocate(buy.id);
    await becomes(buy, 'ALLOCATED');
  });

  it('of one of three payments leaves the others to be looked into', async () => {
    const { buy, secondId } = await paidTwice();
    const thirdId = await pay(buy);
    await eventually(async () => (await paymentStandings(buy)).length === 3);
    const second = await payBack(secondId);
    const answer = await resolve(buy.id, 'REFUNDED', { reference: second });
    expect(answer.body).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
    const third = await payBack(thirdId);
    expect((await resolve(buy.id, 'REFUNDED', { reference: third })).body.status).toBe('ALLOCATED');
  });

  it('and ALLOCATE are refused while a confirm is undecided, before a gateway is asked', async () => {
    const buy = await place();
    await pay(buy);
    await becomes(buy, 'PAID');
    await open.fault('buy-confirm', 'timeout');
    await open.fault('buy-status', 'timeout', { times: 20 });
    await open.gold.allocate(buy.id);
    await open.advance(480);
    await open.gold.allocate(buy.id);
    await becomes(buy, 'MANUAL_REVIEW', 'PROVIDER_LOCK_EXPIRED');
    await gatewayFault('*', 'error', 10);
    const undecided = [409, 'OUTCOME_UNDECIDED'];
    expect(codeOf(await resolve(buy.id, 'REFUNDED', { reference: 'any' }))).toEqual(undecided);
    expect(codeOf(await resolve(buy.id, 'ALLOCATE'))).toEqual(undecided);
  });

  it('by two operators at once is done once', async () => {
    const { buy, paymentId } = await late();
    const reference = await payBack(paymentId);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => resolve(buy.id, 'REFUNDED', { reference })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await open.database.db.auditLog.count({ where: { targetId: buy.id } })).toBe(1);
  });
});

describe('KEEP', () => {
  it('puts an allocated order back whose payment failed after all', async () => {
    const { buy, paymentId } = await allocated();
    await failPayment(buy, paymentId);
    expect((await resolve(buy.id, 'ALLOCATE')).status).toBe(409);
    const answer = await resolve(buy.id, 'KEEP');
    expect(answer.body).toMatchObject({ status: 'ALLOCATED', manual_review_code: null });
    expect((await resolve(buy.id, 'KEEP')).status).toBe(409);
  });

  it('is refused where there is no gold', async () => {
    const { buy } = await late();
    expect(codeOf(await resolve(buy.id, 'KEEP'))).toEqual([409, 'ILLEGAL_TRANSITION']);
  });
});

describe('ALLOCATE', () => {
  it('buys the grams at the price of the moment, the difference a figure of its own', async () => {
    const { buy } = await late();
    const charged = async () => {
      const row = await open.database.db.goldOrder.findUniqueOrThrow({ where: { id: buy.id } });
      return row.providerAmountPaise ?? 0n;
    };
    const before = await charged();
    await setPrice(1_300_000);
    const answer = await resolve(buy.id, 'ALLOCATE', { reference: 'ticket 7' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'ALLOCATED',
      grams: buy.grams,
      amount_inr: '1000.00',
      manual_review_code: null,
    });
    expect(answer.body.sg_tx_id).not.toBe(buy.txId);
    const difference = (await charged()) - before;
    expect(difference).not.toBe(0n);
    expect(answer.body.price_difference_paise).toBe(Number(difference));
    const holding = await sellers.holdingOf(buy.userId);
    expect(holding).toMatchObject({ balance: buy.grams, investedPaise: 100_000n });
    expect(await paymentStandings(buy)).toEqual(['APPLIED']);
    const causes = answer.body.events.map((event: { cause: string }) => event.cause);
    expect(causes.slice(-2)).toEqual(['resolve.allocate', 'provider.bought']);
    expect((await resolve(buy.id, 'ALLOCATE')).status).toBe(409);
  });

  it('leaves the review as it is where the fresh verify gives no answer', async () => {
    const { buy } = await late();
    await open.fault('buy-verify', 'timeout');
    expect(codeOf(await resolve(buy.id, 'ALLOCATE'))).toEqual([502, 'PROVIDER_UNAVAILABLE']);
    await becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    expect(await open.database.db.auditLog.count({ where: { targetId: buy.id } })).toBe(0);
    expect((await resolve(buy.id, 'ALLOCATE')).body.status).toBe('ALLOCATED');
  });

  it('goes on by itself when the confirm does not succeed at once', async () => {
    const { buy } = await late();
    await open.fault('buy-confirm', 'error', { status: 400 });
    const answer = await resolve(buy.id, 'ALLOCATE');
    expect(answer.body.status).toBe('RETRY_PENDING');
    await open.advance(5);
    await open.gold.allocate(buy.id);
    await becomes(buy, 'ALLOCATED');
  });

  it('is refused when the money went back, or waits while nobody says', async () => {
    const { buy, paymentId } = await late();
    await gatewayFault('get-refund', 'error', 10);
    expect(codeOf(await resolve(buy.id, 'ALLOCATE'))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await open.sandbox.control('DELETE', '/faults');
    await payBack(paymentId, { amountPaise: 1 });
    expect(codeOf(await resolve(buy.id, 'ALLOCATE'))).toEqual([409, 'ILLEGAL_TRANSITION']);
    await becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
  });

  it('is refused while a second payment is held', async () => {
    const buy = await place();
    await pay(buy);
    await becomes(buy, 'PAID');
    await pay(buy);
    await becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    expect(codeOf(await resolve(buy.id, 'ALLOCATE'))).toEqual([409, 'ILLEGAL_TRANSITION']);
  });

  it('finds gold that the provider has sold already', async () => {
    const { buy } = await late();
    const { providerUserId } = await open.database.db.user.findUniqueOrThrow({
      where: { id: buy.userId },
    });
    const { lockStartedAt } = await open.database.db.goldOrder.findUniqueOrThrow({
      where: { id: buy.id },
    });
    expect(lockStartedAt).not.toBeNull();
    const path = `/v1/users/${providerUserId}/buy-gold-confirm`;
    await open.sandbox.safegold('POST', path, { tx_id: buy.txId });
    const answer = await resolve(buy.id, 'ALLOCATE');
    expect(answer.body).toMatchObject({
      status: 'ALLOCATED',
      sg_tx_id: buy.txId,
      price_difference_paise: null,
    });
    expect(await open.database.db.auditLog.count({ where: { targetId: buy.id } })).toBe(1);
  });
});

describe('a sell under review', () => {
  let seller: Seller;
  let sellId: string;
  let txId: string;
  beforeEach(async () => {
    seller = await sellers.newSeller();
    await open.fault('sell-confirm', 'error');
    expect((await sellers.sell(seller, '0.02')).status).toBe(503);
    const [order] = await sellers.sellsOf(seller.id);
    sellId = order?.id ?? '';
    txId = order?.providerTxId ?? '';
  });
  const says = (status: number) =>
    open.sandbox.control('POST', `/transactions/${txId}`, { status });

  it('takes only what fits a sell', async () => {
    for (const resolution of ['ALLOCATE', 'KEEP', 'REFUNDED']) {
      const answer = await resolve(sellId, resolution, { reference: 'x' });
      expect(codeOf(answer)).toEqual([409, 'ILLEGAL_TRANSITION']);
    }
    const { buy } = await late();
    expect((await resolve(buy.id, 'RELEASE_SELL')).status).toBe(409);
  });

  it('is confirmed only when the provider says sold', async () => {
    expect(codeOf(await resolve(sellId, 'CONFIRM_SELL'))).toEqual([409, 'OUTCOME_UNDECIDED']);
    await says(1);
    expect((await resolve(sellId, 'RELEASE_SELL')).status).toBe(409);
    const answer = await resolve(sellId, 'CONFIRM_SELL', { reference: 'call of today' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'CONFIRMED',
      manual_review_code: null,
      payout: { orderId: sellId, status: 'PENDING' },
    });
    expect(answer.body.events.at(-1)).toMatchObject({
      cause: 'resolve.confirm-sell',
      actor: `admin:${operatorId}`,
    });
    expect((await sellers.holdingOf(seller.id)).reserved).toBe('0.0000');
    expect((await resolve(sellId, 'CONFIRM_SELL')).status).toBe(409);
    const audit = await open.database.db.auditLog.findMany({ where: { targetId: sellId } });
    expect(audit).toMatchObject([
      {
        action: 'order.resolve',
        before: { status: 'VERIFIED', manual_review_code: 'SELL_UNKNOWN_OUTCOME' },
        after: { status: 'CONFIRMED', resolution: 'CONFIRM_SELL', reference: 'call of today' },
      },
    ]);
  });

  it('is released when the provider says failed, and the customer is told', async () => {
    await says(2);
    expect((await resolve(sellId, 'CONFIRM_SELL')).status).toBe(409);
    const answer = await resolve(sellId, 'RELEASE_SELL');
    expect(answer.body).toMatchObject({ status: 'FAILED', payout: null });
    expect(await sellers.holdingOf(seller.id)).toMatchObject({
      balance: seller.grams,
      reserved: '0.0000',
    });
    const told = await open.database.db.notification.findMany({ where: { userId: seller.id } });
    expect(told.map(({ type }) => type)).toEqual(['buy_success', 'sell_failed']);
  });

  it('is released unconfirmed only after the ten minutes of the provider', async () => {
    await open.advance(595);
    expect(codeOf(await resolve(sellId, 'RELEASE_SELL'))).toEqual([409, 'OUTCOME_UNDECIDED']);
    await open.advance(10);
    expect((await resolve(sellId, 'RELEASE_SELL')).body.status).toBe('FAILED');
    await sellers.janitor('gold-ask-undecided-sells');
    expect((await resolve(sellId, 'RELEASE_SELL')).status).toBe(409);
  });

  it('is never released while it is in progress', async () => {
    await says(3);
    await open.advance(3600);
    expect(codeOf(await resolve(sellId, 'RELEASE_SELL'))).toEqual([409, 'OUTCOME_UNDECIDED']);
    expect(codeOf(await resolve(sellId, 'CONFIRM_SELL'))).toEqual([409, 'OUTCOME_UNDECIDED']);
  });

  it('waits while the provider can not be asked', async () => {
    await open.fault('sell-status', 'error', { times: 20 });
    const unavailable = [503, 'SERVICE_UNAVAILABLE'];
    expect(codeOf(await resolve(sellId, 'CONFIRM_SELL'))).toEqual(unavailable);
    expect(codeOf(await resolve(sellId, 'RELEASE_SELL'))).toEqual(unavailable);
    const [order] = await sellers.sellsOf(seller.id);
    expect(order).toMatchObject({ status: 'VERIFIED', manualReviewCode: 'SELL_UNKNOWN_OUTCOME' });
  });

  it('is settled once by an operator and the janitor at once', async () => {
    await says(1);
    await open.advance(31);
    const [answer] = await Promise.all([
      resolve(sellId, 'CONFIRM_SELL'),
      sellers.janitor('gold-ask-undecided-sells'),
    ]);
    expect([200, 409]).toContain(answer.status);
    const [order] = await sellers.sellsOf(seller.id);
    expect(order?.status).toBe('CONFIRMED');
    expect(await open.database.db.payout.count({ where: { orderId: sellId } })).toBe(1);
  });

  it('is not found under another id', async () => {
    expect((await resolve(operatorId, 'RELEASE_SELL')).status).toBe(404);
    expect((await resolve(sellId, 'SELL_IT')).status).toBe(400);
  });
});
