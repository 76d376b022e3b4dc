import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  deliver,
  openCheckout,
  openPayments,
  signedEvent,
  type OpenPayments,
} from '#test/support/open-payments.ts';

let open: OpenPayments;
beforeAll(async () => {
  open = await openPayments();
});
afterEach(() => open.sandbox.control('DELETE', '/faults'));
afterAll(() => open.close());

type Checkout = Awaited<ReturnType<typeof openCheckout>>;

/** The customer pays, and the gateway's webhook is lost; answers what the checkout then has. */
const payUnheard = async ({ gatewayOrderId }: Checkout, play: object = {}) => {
  const { body } = await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, {
    outcome: 'captured',
    deliver: 'none',
    ...play,
  });
  return {
    gateway_order_id: gatewayOrderId,
    gateway_payment_id: String(body['gateway_payment_id']),
    signature: String(body['signature']),
  };
};

const verify = (checkout: Checkout, body: object, userId = checkout.userId) =>
  open.as(userId)('POST', `/payments/orders/${checkout.paymentOrderId}/verify`, body);

const breakGateway = (fault = 'error', times = 20) =>
  open.sandbox.control('POST', '/faults', {
    collaborator: 'sandbox-gateway',
    operation: '*',
    fault,
    times,
  });

const asked = async (operation: string): Promise<number> => {
  const path = `/journal?collaborator=sandbox-gateway&operation=${operation}`;
  const { body } = await open.sandbox.control('GET', path);
  return (body['entries'] as unknown[]).length;
};

describe('GET /payments/orders/:id', () => {
  it('shows the caller their payment order with its checkout, while it can be paid', async () => {
    const checkout = await openCheckout(open);
    const path = `/payments/orders/${checkout.paymentOrderId}`;
    const call = open.as(checkout.userId);
    const view = {
      id: checkout.paymentOrderId,
      order_id: checkout.orderId,
      gateway: 'sandbox',
      gateway_order_id: checkout.gatewayOrderId,
      amount_paise: 100_000,
      currency: 'INR',
      method: null,
      created_at: open.clock.now().toISOString(),
    };
    expect(await call('GET', path)).toMatchObject({
      status: 200,
      body: {
        ...view,
        status: 'GATEWAY_ORDER_CREATED',
        paid_at: null,
        checkout: {
          provider: 'sandbox',
          public_key: 'dev-only-gateway-key',
          gateway_order_id: checkout.gatewayOrderId,
          amount_minor: 100_000,
          currency: 'INR',
        },
      },
    });
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, 'pay_get');
    await deliver(open, signed);
    const paid = await call('GET', path);
    const paidAt = open.clock.now().toISOString();
    expect(paid.body).toEqual({ ...view, status: 'PAID', method: 'upi', paid_at: paidAt });
  });

  it('is 404 for somebody else, for an id of nobody and for no id at all', async () => {
    const checkout = await openCheckout(open);
    const other = open.as('01890000-0000-7000-8000-000000000000');
    const path = `/payments/orders/${checkout.paymentOrderId}`;
    expect(await other('GET', path)).toMatchObject({ status: 404 });
    const own = open.as(checkout.userId);
    const nobody = '/payments/orders/01890000-0000-7000-8000-000000000001';
    expect(await own('GET', nobody)).toMatchObject({ status: 404 });
    expect(await own('GET', '/payments/orders/x')).toMatchObject({ status: 404 });
    expect(await open.as()('GET', path)).toMatchObject({ status: 401 });
  });

  it('offers no checkout past the end of the lock', async () => {
    const checkout = await openCheckout(open);
    open.clock.set(checkout.lockEndsAt);
    const shown = await open.as(checkout.userId)(
      'GET',
      `/payments/orders/${checkout.paymentOrderId}`,
    );
    expect(shown.body).not.toHaveProperty('checkout');
  });
});

describe('POST /payments/orders/:id/verify', () => {
  it('asks the gateway, and a capture that it confirms goes the way of a webhook', async () => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(checkout);
    const answer = await verify(checkout, proof);
    expect(answer).toMatchObject({
      status: 200,
      body: { verified: true, payment: { id: checkout.paymentOrderId, status: 'PAID' } },
    });
    const paid = { status: 'PAID', moves: ['PENDING>PAID'], allocations: 1 };
    expect(await open.orders.state(checkout.orderId)).toMatchObject(paid);
    // The webhook finds its work done.
    const signed = signedEvent(
      'payment.captured',
      checkout.gatewayOrderId,
      proof.gateway_payment_id,
    );
    await deliver(open, signed);
    expect(await open.orders.state(checkout.orderId)).toMatchObject(paid);
  });

  it('does not ask again about a payment that is known', async () => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(checkout);
    await verify(checkout, proof);
    const before = await asked('list-payments');
    expect(await verify(checkout, proof)).toMatchObject({ status: 200, body: { verified: true } });
    expect(await asked('list-payments')).toBe(before);
  });

  it('has one effect when it races the webhooks', async () => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(checkout);
    const ids = [checkout.gatewayOrderId, proof.gateway_payment_id] as const;
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => verify(checkout, proof)),
      ...['payment.captured', 'order.paid', 'payment.captured', 'order.paid'].map((event) =>
        deliver(open, signedEvent(event, ...ids)),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200));
    const paid = { status: 'PAID', moves: ['PENDING>PAID'], allocations: 1 };
    expect(await open.orders.state(checkout.orderId)).toMatchObject(paid);
  });

  it('refuses a signature that does not match, and writes nothing', async () => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(checkout);
    const before = await asked('list-payments');
    for (const signature of ['00'.repeat(32), 'x', proof.signature.toUpperCase().slice(1)]) {
      expect(await verify(checkout, { ...proof, signature })).toMatchObject({
        status: 400,
        body: { error: { code: 'SIGNATURE_MISMATCH' } },
      });
    }
    expect(await asked('list-payments')).toBe(before);
    expect((await open.orders.state(checkout.orderId)).status).toBe('PENDING');
  });

  it('refuses the genuine answer of another order, and writes nothing', async () => {
    const [mine, other] = [await openCheckout(open), await openCheckout(open)];
    const proof = await payUnheard(other);
    expect(await verify(mine, proof)).toMatchObject({
      status: 400,
      body: { error: { code: 'PAYMENT_MISMATCH' } },
    });
    expect((await open.orders.state(mine.orderId)).status).toBe('PENDING');
    expect((await open.orders.state(other.orderId)).status).toBe('PENDING');
  });

  it('is 404 for somebody else, and 400 with the field for a bad body', async () => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(checkout);
    const stranger = '01890000-0000-7000-8000-000000000000';
    expect(await verify(checkout, proof, stranger)).toMatchObject({ status: 404 });
    const bad = { ...proof, gateway_payment_id: 7 };
    expect(await verify(checkout, bad)).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_FAILED', field: 'gateway_payment_id' } },
    });
  });

  it('is verified and unpaid while the gateway knows of no capture, or is silent', async () => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(checkout, { outcome: 'failed' });
    const unpaid = {
      status: 200,
      body: { verified: true, payment: { status: 'GATEWAY_ORDER_CREATED' } },
    };
    expect(await verify(checkout, proof)).toMatchObject(unpaid);
    await breakGateway();
    expect(await verify(checkout, proof)).toMatchObject(unpaid);
    expect((await open.orders.state(checkout.orderId)).status).toBe('PENDING');
  });

  it('holds what the gateway confirms to the same rules', async () => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(checkout, { amountPaise: 1 });
    expect(await verify(checkout, proof)).toMatchObject({
      status: 200,
      body: { verified: true, payment: { status: 'MANUAL_REVIEW' } },
    });
    const state = await open.orders.state(checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'AMOUNT_MISMATCH' });
  });
});
