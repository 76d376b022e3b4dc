import { describe, expect } from 'vitest';
import { createNumbers } from '#test/support/factories.ts';
import { findLeaks } from '#test/support/invariants-log.ts';
import { runningTest } from '#test/support/running-test.ts';
import { createTestCustomer, newKey } from '#test/support/test-customer.ts';

const it = runningTest({ withAdmin: true });

/** An image of a single white pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';

describe('a customer from the first message to the gold', () => {
  it('signs in, passes KYC, buys, pays, and holds the gold', async ({ system }) => {
    const { sandbox } = system;
    const numbers = createNumbers(system.runtime.random);
    const nobody = system.as(undefined);
    const phone = numbers.phone();
    expect((await nobody('POST', '/auth/send-otp', { phone })).status).toBe(200);
    const otp = await sandbox.codeFor(phone);
    const signedIn = await nobody('POST', '/auth/verify-otp', { phone, otp });
    expect(signedIn).toMatchObject({ status: 200, body: { isNewUser: true } });
    const callAt = (url: string) =>
      system.as(String(signedIn.body['accessToken']), 'customer', url);
    const call = callAt(system.stack.urlOf('customer'));
    const me = await call('GET', '/users/me');
    const customer = createTestCustomer({ userId: String(me.body['id']), phone }, call, callAt);

    const early = await customer.requestBuy('500');
    expect(early).toMatchObject({ status: 403, code: 'KYC_REQUIRED' });

    const document = { kind: 'PAN', contentType: 'image/png', dataBase64: png };
    const uploaded = await call('POST', '/kyc/documents', document);
    expect(uploaded.status).toBe(201);
    const [pan, aadhaar] = [numbers.pan(), numbers.aadhaar()];
    const submitted = await call('POST', '/kyc/submit', {
      pan,
      aadhaar,
      pincode: '560001',
      documentKey: uploaded.body['documentKey'],
      fullName: 'Asha Rao',
    });
    expect(submitted).toMatchObject({ status: 200, body: { status: 'SUBMITTED' } });

    const admin = await system.signInAdmin('ADMIN');
    const queue = await admin('GET', '/kyc');
    expect(queue.body['items']).toMatchObject([{ userId: customer.userId, status: 'SUBMITTED' }]);
    const [record] = queue.body['items'] as { id: string }[];
    expect((await admin('POST', `/kyc/${record?.id}/approve`)).status).toBe(200);
    expect((await call('GET', '/kyc/status')).body['status']).toBe('APPROVED');

    const buy = await customer.buy('5000.00');
    expect(buy.amountPaise).toBe(500_000);
    expect(await system.transitions(buy.orderId)).toEqual(['>PENDING']);
    await sandbox.pay(buy.gatewayOrderId);
    const order = await customer.becomes(buy.orderId, 'ALLOCATED');
    expect(order.sg_tx_id).toBe(buy.txId);
    expect(await system.transitions(buy.orderId)).toEqual([
      '>PENDING',
      'PENDING>PAID',
      'PAID>ALLOCATED',
    ]);
    expect(await customer.payment(buy.paymentOrderId)).toMatchObject({ status: 'PAID' });
    const holding = await customer.portfolio();
    expect(holding).toMatchObject({ investedPaise: 500_000 });
    expect(Number(holding.balance)).toBe(Number(order.grams));
    expect(await sandbox.journal('buy-confirm', buy.txId)).toHaveLength(1);
    for (const started of system.processes) {
      const leaks = findLeaks(started.log(), [phone.slice(3), otp, pan, aadhaar]);
      expect(leaks, `the log of ${started.app}`).toEqual([]);
    }
  });

  it('buys by quote and payment order, with its terms and its instrument', async ({ system }) => {
    const customer = await system.newCustomer();
    const quote = await customer.quote('0.2500', 'GRAMS');
    expect(quote).toMatchObject({ status: 'ACTIVE', grams: '0.2500' });
    const key = newKey();
    const more = { method: 'upi', terms_accepted: true };
    const answer = await customer.requestPayment(quote.id, key, more);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        status: 'GATEWAY_ORDER_CREATED',
        amount_paise: quote.totalPaise,
        currency: 'INR',
        method: 'upi',
        checkout: { provider: 'sandbox', amount_minor: quote.totalPaise, currency: 'INR' },
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    const replay = await customer.requestPayment(quote.id, key, more);
    expect(replay.status).toBe(200);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.body).toEqual(answer.body);
    await system.sandbox.pay(String(answer.body['gateway_order_id']));
    const order = await customer.becomes(String(answer.body['order_id']), 'ALLOCATED');
    expect(order).toMatchObject({ grams: '0.2500', rounding_paise: 0 });
    const portfolio = await customer.portfolio();
    expect(portfolio.investedPaise).toBe(quote.totalPaise);
    expect(Number(portfolio.balance)).toBe(0.25);
  });

  it('tells the customer, once, that the gold is there', async ({ system }) => {
    const customer = await system.newCustomer();
    const buy = await customer.buy('2000');
    await system.sandbox.pay(buy.gatewayOrderId);
    await customer.becomes(buy.orderId, 'ALLOCATED');
    const notifications = await system.query<{ type: string }>(
      'SELECT type FROM notification WHERE user_id = $1::uuid ORDER BY id',
      customer.userId,
    );
    expect(notifications.filter(({ type }) => type === 'buy_success')).toHaveLength(1);
  });

  it('shows an operator the order with its payments and its history', async ({ system }) => {
    const customer = await system.newCustomer();
    const buy = await customer.buy('1500');
    await system.sandbox.pay(buy.gatewayOrderId);
    await customer.becomes(buy.orderId, 'ALLOCATED');
    const admin = await system.signInAdmin('SUPPORT');
    const { body } = await admin('GET', `/orders/${buy.orderId}`);
    expect(body).toMatchObject({
      id: buy.orderId,
      status: 'ALLOCATED',
      user_id: customer.userId,
      payments: [{ id: buy.paymentOrderId, status: 'PAID' }],
      events: [
        { from: null, to: 'PENDING', actor: `customer:${customer.userId}` },
        { from: 'PENDING', to: 'PAID', actor: 'gateway:sandbox' },
        { from: 'PAID', to: 'ALLOCATED', actor: 'worker' },
      ],
    });
  });

  it('adds up over several buys', async ({ system }) => {
    const customer = await system.newCustomer();
    const buys = await Promise.all(
      ['1000.01', '999.99', '3456.78'].map((sum) => customer.buy(sum)),
    );
    await Promise.all(buys.map((buy) => system.sandbox.pay(buy.gatewayOrderId)));
    await Promise.all(buys.map((buy) => customer.becomes(buy.orderId, 'ALLOCATED')));
    expect((await customer.portfolio()).investedPaise).toBe(545_678);
  });
});
