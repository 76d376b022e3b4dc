import { describe, expect } from 'vitest';
import {
  breakGateway,
  captureUnheard,
  countGatewayCalls,
  deliver,
  openCheckout,
  payUnheard,
  signedEvent,
  stateOf,
  type Checkout,
} from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';

const it = goldTest();

const verify = (open: OpenGold, checkout: Checkout, body: object, userId = checkout.userId) =>
  open.as(userId)('POST', `/payments/orders/${checkout.paymentOrderId}/verify`, body);

/** Checks that the valid proof of a capture is accepted after other proofs were refused. */
const expectVerified = async (open: OpenGold, checkout: Checkout, proof: object): Promise<void> => {
  const answer = await verify(open, checkout, proof);
  expect(answer).toMatchObject({ status: 200, body: { payment: { status: 'PAID' } } });
};

describe('GET /payments/orders/:id', () => {
  it('shows the caller their payment order with its checkout, while it can be paid', async ({
    open,
  }) => {
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
    const paymentId = await captureUnheard(open, checkout);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    await deliver(open, signed);
    const paid = await call('GET', path);
    const paidAt = open.clock.now().toISOString();
    expect(paid.body).toEqual({ ...view, status: 'PAID', method: 'upi', paid_at: paidAt });
  });

  it('is 404 for another customer, an unknown id and an invalid id', async ({ open }) => {
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

  it('shows no checkout after the end of the price lock', async ({ open }) => {
    const checkout = await openCheckout(open);
    await open.advance(480);
    const shown = await open.as(checkout.userId)(
      'GET',
      `/payments/orders/${checkout.paymentOrderId}`,
    );
    expect(shown.body).not.toHaveProperty('checkout');
  });
});

describe('POST /payments/orders/:id/verify', () => {
  it('polls the gateway, and applies a capture as a webhook would', async ({ open }) => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(open, checkout);
    const answer = await verify(open, checkout, proof);
    expect(answer).toMatchObject({
      status: 200,
      body: { verified: true, payment: { id: checkout.paymentOrderId, status: 'PAID' } },
    });
    const paid = { status: 'PAID', transitions: ['PENDING>PAID'], allocations: 1 };
    expect(await stateOf(open, checkout.orderId)).toMatchObject(paid);
    // The webhook arrives after the capture is applied, and changes nothing.
    const signed = signedEvent(
      'payment.captured',
      checkout.gatewayOrderId,
      proof.gateway_payment_id,
    );
    await deliver(open, signed);
    expect(await stateOf(open, checkout.orderId)).toMatchObject(paid);
  });

  it('does not poll for a known capture again', async ({ open }) => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(open, checkout);
    await verify(open, checkout, proof);
    const before = await countGatewayCalls(open, 'list-payments');
    expect(await verify(open, checkout, proof)).toMatchObject({
      status: 200,
      body: { verified: true },
    });
    expect(await countGatewayCalls(open, 'list-payments')).toBe(before);
  });

  it('has one effect when it races the webhooks', async ({ open }) => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(open, checkout);
    const ids = [checkout.gatewayOrderId, proof.gateway_payment_id] as const;
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => verify(open, checkout, proof)),
      ...['payment.captured', 'order.paid', 'payment.captured', 'order.paid'].map((event) =>
        deliver(open, signedEvent(event, ...ids)),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200));
    const paid = { status: 'PAID', transitions: ['PENDING>PAID'], allocations: 1 };
    expect(await stateOf(open, checkout.orderId)).toMatchObject(paid);
  });

  it('refuses a signature that does not match, and writes nothing', async ({ open }) => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(open, checkout);
    const before = await countGatewayCalls(open, 'list-payments');
    for (const signature of ['00'.repeat(32), 'x', proof.signature.toUpperCase().slice(1)]) {
      expect(await verify(open, checkout, { ...proof, signature })).toMatchObject({
        status: 400,
        body: { error: { code: 'SIGNATURE_MISMATCH' } },
      });
    }
    expect(await countGatewayCalls(open, 'list-payments')).toBe(before);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PENDING');
    await expectVerified(open, checkout, proof);
  });

  it('refuses the valid proof of another order, and writes nothing', async ({ open }) => {
    const [mine, other] = [await openCheckout(open), await openCheckout(open)];
    const proof = await payUnheard(open, other);
    expect(await verify(open, mine, proof)).toMatchObject({
      status: 400,
      body: { error: { code: 'PAYMENT_MISMATCH' } },
    });
    expect((await stateOf(open, mine.orderId)).status).toBe('PENDING');
    expect((await stateOf(open, other.orderId)).status).toBe('PENDING');
    await expectVerified(open, other, proof);
  });

  it('is 404 for another customer, and 400 with the field for an invalid body', async ({
    open,
  }) => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(open, checkout);
    const stranger = '01890000-0000-7000-8000-000000000000';
    expect(await verify(open, checkout, proof, stranger)).toMatchObject({ status: 404 });
    const bad = { ...proof, gateway_payment_id: 7 };
    expect(await verify(open, checkout, bad)).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_FAILED', field: 'gateway_payment_id' } },
    });
    await expectVerified(open, checkout, proof);
  });

  it('leaves the payment order unpaid while the gateway reports no capture or is silent', async ({
    open,
  }) => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(open, checkout, { outcome: 'failed' });
    const unpaid = {
      status: 200,
      body: { verified: true, payment: { status: 'GATEWAY_ORDER_CREATED' } },
    };
    expect(await verify(open, checkout, proof)).toMatchObject(unpaid);
    await breakGateway(open);
    expect(await verify(open, checkout, proof)).toMatchObject(unpaid);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PENDING');
  });

  it('applies the same rules to captures that a poll finds', async ({ open }) => {
    const checkout = await openCheckout(open);
    const proof = await payUnheard(open, checkout, { amountPaise: 1 });
    expect(await verify(open, checkout, proof)).toMatchObject({
      status: 200,
      body: { verified: true, payment: { status: 'MANUAL_REVIEW' } },
    });
    const state = await stateOf(open, checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'AMOUNT_MISMATCH' });
  });
});

describe('the bound of ten polls a minute', () => {
  it('holds for one payment order, which is then returned without a poll', async ({ open }) => {
    const [checkout, other] = [await openCheckout(open), await openCheckout(open)];
    const proof = await payUnheard(open, checkout);
    await open.database.db.useWindow.create({
      data: {
        name: 'collaborator_questions',
        subjectId: checkout.paymentOrderId,
        startedAt: open.clock.now(),
        uses: 10,
      },
    });
    const before = await countGatewayCalls(open, 'list-payments');
    expect(await verify(open, checkout, proof)).toMatchObject({
      status: 200,
      body: { verified: true, payment: { status: 'GATEWAY_ORDER_CREATED' } },
    });
    expect(await countGatewayCalls(open, 'list-payments')).toBe(before);
    const forged = { ...proof, signature: 'a'.repeat(64) };
    expect(await verify(open, checkout, forged)).toMatchObject({ status: 400 });
    const bound = /bound_reached_total\{[^}]*bound="collaborator_questions"[^}]*\} 1/u;
    expect(await open.metrics()).toMatch(bound);
    await expectVerified(open, other, await payUnheard(open, other));
    open.clock.advance(60_000);
    await expectVerified(open, checkout, proof);
  });
});
