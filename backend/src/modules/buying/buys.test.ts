import { describe, expect } from 'vitest';
import { paise } from '../../money/index.ts';
import { askUntilDecided } from '#test/support/ask-until-decided.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { UntypedCaller } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { eventually } from '#test/support/eventually.ts';
import { startDay } from '#test/support/installments.ts';

const it = goldTest();

let keys = 0;
const newKey = (): string => `key-${String((keys += 1)).padStart(6, '0')}`;
const buyOf = (amount: string | number = '1000', key = newKey()) => ({
  unit: 'INR',
  amount,
  idempotency_key: key,
});
const atGateway = { collaborator: 'sandbox-gateway', operation: 'create-order', times: 1 };
const refusedByGateway = { ...atGateway, fault: 'error', status: 400 };
const otherAmountAtGateway = { ...atGateway, fault: 'wrong_amount' };
const ordersOf = (open: OpenGold, userId: string) =>
  open.database.db.goldOrder.findMany({ where: { userId } });
const quoteFor = async (call: UntypedCaller, amount = '1000'): Promise<string> =>
  (await call('POST', '/gold/quote', { unit: 'INR', amount })).body.id;

describe('POST /gold/buy', () => {
  it('returns the order, its payment with a checkout, and the end of the lock', async ({
    open,
  }) => {
    const { id: userId, call } = await open.newCustomer();
    const { status, body } = await call('POST', '/gold/buy', buyOf('1000'));
    expect(status).toBe(201);
    const lockEnd = new Date(open.clock.now().getTime() + 480_000).toISOString();
    expect(body).toMatchObject({
      order: {
        type: 'BUY',
        status: 'PENDING',
        amount_inr: '1000.00',
        gold_value_paise: 97_087,
        gst_paise: 2913,
        proceeds_paise: null,
        expires_at: lockEnd,
        manual_review_code: null,
        refund_reference: null,
      },
      payment: {
        order_id: body.order.id,
        gateway: 'sandbox',
        amount_paise: 100_000,
        currency: 'INR',
        status: 'GATEWAY_ORDER_CREATED',
        checkout: { provider: 'sandbox', amount_minor: 100_000, currency: 'INR' },
        paid_at: null,
      },
      sg_tx_id: body.order.sg_tx_id,
      expires_at: lockEnd,
    });
    const { order } = body;
    expect(order.rounding_paise).toBeGreaterThanOrEqual(0);
    const quote = await open.database.db.goldQuote.findUniqueOrThrow({
      where: { id: order.quote_id },
    });
    expect(quote).toMatchObject({ status: 'CONSUMED', userId, providerTxId: body.sg_tx_id });
    const events = await open.database.db.goldOrderEvent.findMany({ where: { orderId: order.id } });
    expect(events).toEqual([
      expect.objectContaining({
        fromStatus: null,
        toStatus: 'PENDING',
        cause: 'order.placed',
        actor: `customer:${userId}`,
        requestId: expect.any(String),
      }),
    ]);
  });

  it('replays a finished key without another price call, in any spelling of the request', async ({
    open,
  }) => {
    const { id: userId, call } = await open.newCustomer();
    const key = newKey();
    const first = await call('POST', '/gold/buy', buyOf('1000', key));
    const verified = (await open.journal('buy-verify')).length;
    const again = await call('POST', '/gold/buy', { ...buyOf(1000, key), colour: 'yellow' });
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await ordersOf(open, userId)).toHaveLength(1);
    expect((await open.journal('buy-verify')).length).toBe(verified);
  });

  it('creates one order for many concurrent requests with one key', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    const body = buyOf('700');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => askUntilDecided(() => call('POST', '/gold/buy', body))),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 7 }, () => 200),
      201,
    ]);
    expect(new Set(answers.map((answer) => answer.body.order.id)).size).toBe(1);
    expect(await ordersOf(open, userId)).toHaveLength(1);
  });

  it('leaves the key of a refused request free', async ({ open }) => {
    const { call } = await open.newCustomer();
    const key = newKey();
    const refused = await call('POST', '/gold/buy', buyOf('1', key));
    expect(refused.body.error.code).toBe('LIMIT_EXCEEDED');
    expect((await call('POST', '/gold/buy', buyOf('500', key))).status).toBe(201);
  });

  it('resumes at the gateway call if the process stopped after the commit', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    const body = buyOf('800');
    const down = { collaborator: 'sandbox-gateway', operation: '*', fault: 'error', times: 50 };
    await open.sandbox.control('POST', '/faults', down);
    const failed = await call('POST', '/gold/buy', body);
    expect(failed.status).toBe(503);
    expect(failed.body.error.code).toBe('NO_USABLE_GATEWAY');
    expect(await ordersOf(open, userId)).toHaveLength(1);
    await open.sandbox.control('DELETE', '/faults');
    const verified = (await open.journal('buy-verify')).length;
    // After repeated failures, the adapter does not call a gateway for some seconds.
    const again = await eventually(async () => {
      const answer = await call('POST', '/gold/buy', body);
      expect(answer.status).toBe(201);
      return answer;
    });
    expect(again.body.payment.status).toBe('GATEWAY_ORDER_CREATED');
    expect(await ordersOf(open, userId)).toHaveLength(1);
    expect((await open.journal('buy-verify')).length).toBe(verified);
  });
});

describe('a buy that the gateway refused', () => {
  it('is 503, and is tried again with the same key', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    const body = buyOf('700');
    await open.sandbox.control('POST', '/faults', refusedByGateway);
    const refused = await call('POST', '/gold/buy', body);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'NO_USABLE_GATEWAY']);
    const again = await call('POST', '/gold/buy', body);
    expect([again.status, again.body.payment.status]).toEqual([201, 'GATEWAY_ORDER_CREATED']);
    expect(await ordersOf(open, userId)).toHaveLength(1);
  });
});

describe('a buy whose gateway created a different order', () => {
  it('is replayed in its state, without a new order', async ({ open }) => {
    const { call } = await open.newCustomer();
    const body = buyOf('700');
    await open.sandbox.control('POST', '/faults', otherAmountAtGateway);
    expect((await call('POST', '/gold/buy', body)).body.error.code).toBe('GATEWAY_MISMATCH');
    for (const repeat of ['the first', 'the second']) {
      const again = await call('POST', '/gold/buy', body);
      expect([repeat, again.status, again.headers.get('idempotent-replayed')]).toEqual([
        repeat,
        200,
        'true',
      ]);
      expect(again.body.order.status).toBe('FAILED');
    }
  });
});

describe('the order of refusals of a buy', () => {
  it('is replay, gate, body, key, KYC, limits and provider', async ({ open }) => {
    const { call } = await open.newCustomer();
    const done = buyOf('600');
    await call('POST', '/gold/buy', done);
    const code = async (body: object): Promise<string> => {
      const answer = await call('POST', '/gold/buy', body);
      return answer.status === 200 ? 'REPLAY' : answer.body.error.code;
    };
    await open.fault('buy-verify', 'error', { times: 50 });
    await open.setKyc('PENDING');
    open.setGate('buy', false);
    expect(await code(done)).toBe('REPLAY');
    expect(await code({ unit: 'INR' })).toBe('PAYMENTS_DISABLED');
    expect(await code({ ...done, amount: '601' })).toBe('PAYMENTS_DISABLED');
    open.setGate('buy', true);
    expect(await code({ ...done, amount: 'much' })).toBe('VALIDATION_FAILED');
    expect(await code({ ...done, amount: '1' })).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await code(buyOf('1'))).toBe('KYC_REQUIRED');
    await open.setKyc('APPROVED');
    expect(await code(buyOf('1'))).toBe('LIMIT_EXCEEDED');
    expect(await code(buyOf('600'))).toBe('PROVIDER_UNAVAILABLE');
    await open.sandbox.control('DELETE', '/faults');
    expect(await code({ ...buyOf('600'), idempotency_key: 'short' })).toBe('VALIDATION_FAILED');
    expect((await open.as()('POST', '/gold/buy', done)).status).toBe(401);
  });
});

describe('the daily limit', () => {
  // If midnight passed together with the lock, the daily limit would be free again.
  it.beforeEach(({ open }) => startDay(open));

  it('holds for twenty concurrent buys', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    await open.setLimits({ dailyBuyPaise: paise(500_000n) });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('POST', '/gold/buy', buyOf('1000'))),
    );
    const made = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 400);
    expect([made.length, refused.length]).toEqual([5, 15]);
    expect(refused[0]?.body.error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'dailyBuyPaise', limitPaise: 500_000 },
    });
    expect(await ordersOf(open, userId)).toHaveLength(5);

    // An unpaid buy counts while its lock is valid.
    await open.advance(481);
    expect((await call('POST', '/gold/buy', buyOf('5000'))).status).toBe(201);
    expect((await call('POST', '/gold/buy', buyOf('10'))).status).toBe(400);
  });

  it('counts a FAILED buy while its lock is valid, since it may still be paid', async ({
    open,
  }) => {
    const { call } = await open.newCustomer();
    await open.setLimits({ dailyBuyPaise: paise(500_000n) });
    await open.sandbox.control('POST', '/faults', otherAmountAtGateway);
    const failed = await call('POST', '/gold/buy', buyOf('3000'));
    expect(failed.body.error.code).toBe('GATEWAY_MISMATCH');
    const next = await call('POST', '/gold/buy', buyOf('3000'));
    expect(next.body.error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'dailyBuyPaise' },
    });
    await open.advance(481);
    expect((await call('POST', '/gold/buy', buyOf('3000'))).status).toBe(201);
  });
});

describe('POST /payments/orders', () => {
  it('pays for a stored quote, once', async ({ open }) => {
    const { call } = await open.newCustomer();
    const quoteId = await quoteFor(call);
    const body = {
      quote_id: quoteId,
      idempotency_key: newKey(),
      method: 'upi',
      terms_accepted: true,
    };
    const answer = await call('POST', '/payments/orders', body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      status: 'GATEWAY_ORDER_CREATED',
      amount_paise: 100_000,
      method: 'upi',
      checkout: { amount_minor: 100_000 },
    });
    const row = await open.database.db.paymentOrder.findUniqueOrThrow({
      where: { id: answer.body.id },
    });
    expect(row.termsAcceptedVersion).toBe('2026-01');
    const again = await call('POST', '/payments/orders', body);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(answer.body);
    const used = await call('POST', '/payments/orders', { ...body, idempotency_key: newKey() });
    expect(used.body.error.code).toBe('QUOTE_USED');
    const other = await call('POST', '/payments/orders', { ...body, method: 'card' });
    expect(other.body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await call('GET', `/gold/quote/${quoteId}`)).body.status).toBe('CONSUMED');
    const { body: order } = await call('GET', `/gold/orders/${answer.body.order_id}`);
    expect(order).toMatchObject({ status: 'PENDING', quote_id: quoteId, amount_inr: '1000.00' });
  });

  it('lets only one of many keys consume a quote', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    const quoteId = await quoteFor(call);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        call('POST', '/payments/orders', { quote_id: quoteId, idempotency_key: newKey() }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    expect(await ordersOf(open, userId)).toHaveLength(1);
  });

  it('refuses in the order of gate, terms, key, KYC and quote', async ({ open }) => {
    const { call } = await open.newCustomer();
    const quote_id = await quoteFor(call);
    const code = async (body: object): Promise<string> =>
      (await call('POST', '/payments/orders', body)).body.error.code;
    const body = { quote_id, idempotency_key: newKey() };
    open.setGate('buy', false);
    expect(await code({})).toBe('PAYMENTS_DISABLED');
    open.setGate('buy', true);
    await open.setKyc('PENDING');
    expect(await code({ ...body, quote_id: 'x' })).toBe('VALIDATION_FAILED');
    expect(await code({ ...body, method: 'cash' })).toBe('VALIDATION_FAILED');
    expect(await code({ ...body, terms_accepted: 'yes' })).toBe('VALIDATION_FAILED');
    expect(await code({ ...body, terms_accepted: false })).toBe('TERMS_NOT_ACCEPTED');
    expect(await code(body)).toBe('KYC_REQUIRED');
    await open.setKyc('APPROVED');
    expect(await code({ ...body, quote_id: crypto.randomUUID() })).toBe('NOT_FOUND');
    const stranger = await open.newCustomer();
    expect((await stranger.call('POST', '/payments/orders', body)).status).toBe(404);
    await open.advance(421);
    expect(await code(body)).toBe('QUOTE_EXPIRED');
  });
});
