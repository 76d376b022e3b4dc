import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import {
  captureUnheard,
  deliver,
  inboxOf,
  openCheckout,
  paymentOrderRow,
  signatureOf,
  signedEvent,
  stateOf,
} from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { accepted, repeated } from '#test/support/webhook-answers.ts';
import { openBody } from '../webhook-inbox/index.ts';

const it = goldTest();

const paymentsOf = (open: OpenGold, gatewayOrderId: string) =>
  open.database.db.gatewayPayment.findMany({
    where: { gatewayOrderId },
    orderBy: { gatewayPaymentId: 'asc' },
  });

const play = (open: OpenGold, gatewayOrderId: string, body: object) =>
  open.sandbox.control('POST', `/payments/${gatewayOrderId}`, body);

describe('a payment webhook', () => {
  it('pays the order once if captured and order.paid arrive together', async ({ open }) => {
    const checkout = await openCheckout(open);
    await play(open, checkout.gatewayOrderId, { outcome: 'captured', method: 'card' });
    await eventually(async () => (await inboxOf(open, checkout.gatewayOrderId)).length === 2);

    const state = await stateOf(open, checkout.orderId);
    expect(state).toMatchObject({ status: 'PAID', transitions: ['PENDING>PAID'], allocations: 1 });
    const paid = await paymentOrderRow(open, checkout.paymentOrderId);
    expect(paid).toMatchObject({ status: 'PAID', method: 'card', paidAt: open.clock.now() });
    const [payment, ...more] = await paymentsOf(open, checkout.gatewayOrderId);
    expect(more).toEqual([]);
    expect(payment).toMatchObject({ status: 'CAPTURED', disposition: 'APPLIED' });
    expect(paid.capturedPaymentId).toBe(payment?.id);
    const inbox = await inboxOf(open, checkout.gatewayOrderId);
    expect(inbox.map(({ status }) => status)).toEqual(['APPLIED', 'APPLIED']);
  });

  it.for(['duplicate', 'reordered'])('has one effect if it arrives %s', async (mode, { open }) => {
    const checkout = await openCheckout(open);
    await play(open, checkout.gatewayOrderId, { outcome: 'captured', deliver: mode });
    await eventually(async () => (await inboxOf(open, checkout.gatewayOrderId)).length === 2);
    expect(await stateOf(open, checkout.orderId)).toMatchObject({
      status: 'PAID',
      transitions: ['PENDING>PAID'],
      allocations: 1,
    });
  });

  it('has one effect if 20 webhooks of both kinds arrive at once', async ({ open }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout);
    const captured = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    const orderPaid = signedEvent('order.paid', checkout.gatewayOrderId, paymentId);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const signed = at % 2 === 0 ? captured : orderPaid;
        return deliver(open, { ...signed, eventId: `evt_20_${at % 2 === 0 ? 'a' : at}` });
      }),
    );
    expect(answers.filter((answer) => answer.status !== 200)).toEqual([]);
    expect(answers.filter(({ body }) => JSON.stringify(body) === '{"received":true}')).toHaveLength(
      2,
    );
    expect(await stateOf(open, checkout.orderId)).toMatchObject({
      status: 'PAID',
      transitions: ['PENDING>PAID'],
      allocations: 1,
    });
    expect(await paymentsOf(open, checkout.gatewayOrderId)).toHaveLength(1);
  });

  it('has one effect if 20 different events of one payment arrive at once', async ({ open }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const event = at % 2 === 0 ? 'payment.captured' : 'order.paid';
        const { body } = signedEvent(event, checkout.gatewayOrderId, paymentId);
        const own = JSON.stringify({ ...(JSON.parse(body) as object), number: at });
        return deliver(open, { body: own, signature: signatureOf(own), eventId: `evt_own_${at}` });
      }),
    );
    expect(answers).toEqual(Array.from({ length: 20 }, () => accepted));
    expect(await inboxOf(open, checkout.gatewayOrderId)).toHaveLength(20);
    const state = await stateOf(open, checkout.orderId);
    expect(state).toMatchObject({ transitions: ['PENDING>PAID'], allocations: 1 });
  });

  it('is a repeat if its event id or its body is known', async ({ open }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout);
    const first = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    const other = signedEvent('order.paid', checkout.gatewayOrderId, paymentId);
    expect(await deliver(open, { ...first, eventId: 'evt_rep' })).toEqual(accepted);
    expect(await deliver(open, { ...first, eventId: 'evt_rep' })).toEqual(repeated);
    expect(await deliver(open, { ...first, eventId: 'evt_rep_other' })).toEqual(repeated);
    expect(await deliver(open, first)).toEqual(repeated);
    const loggedId = `"storedId":"${(await inboxOf(open, checkout.gatewayOrderId))[0]?.id}"`;
    expect(open.logged()).not.toContain(loggedId);
    // A signed body under the id of another event is logged, because it is not stored.
    expect(await deliver(open, { ...other, eventId: 'evt_rep' })).toEqual(repeated);
    expect(open.logged()).toContain(loggedId);
    expect(await inboxOf(open, checkout.gatewayOrderId)).toHaveLength(1);
  });

  it('is refused without a body, without a signature and with a wrong signature', async ({
    open,
  }) => {
    const checkout = await openCheckout(open);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, 'pay_forged');
    const refused = { status: 401, body: { error: { code: 'INVALID_SIGNATURE' } } };
    const { body } = signed;
    expect(await deliver(open, { body: '', signature: signatureOf('') })).toMatchObject(refused);
    expect(await deliver(open, { body })).toMatchObject(refused);
    expect(await deliver(open, { body, signature: 'ab'.repeat(32) })).toMatchObject(refused);
    const changed = body.replace('100000', '100001');
    expect(await deliver(open, { ...signed, body: changed })).toMatchObject(refused);
    expect(await deliver(open, { ...signed, body: `${body}\n` })).toMatchObject(refused);
    expect(await inboxOf(open, checkout.gatewayOrderId)).toEqual([]);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PENDING');
  });

  it('is 404 for an unknown gateway, and goes to the default gateway without a code', async ({
    open,
  }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    const elsewhere = { ...signed, path: '/webhooks/payment/unheard-of' };
    expect(await deliver(open, elsewhere)).toMatchObject({ status: 404 });
    expect(await deliver(open, { ...signed, path: '/webhooks/payment' })).toEqual(accepted);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PAID');
  });

  it('causes no query of the database if it is forged, also without a code', async ({ open }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    const forged = { body: signed.body, signature: 'ab'.repeat(32) };
    // A read of the gateways' routing or settings now waits until the lock ends.
    const [bare, named] = await open.database.inTransaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE gateway_routing, gateway_setting IN ACCESS EXCLUSIVE MODE`;
      return Promise.all(
        ['/webhooks/payment', '/webhooks/payment/sandbox'].map((path) =>
          deliver(open, { ...forged, path }),
        ),
      );
    });
    const refused = { status: 401, body: { error: { code: 'INVALID_SIGNATURE' } } };
    expect(bare).toMatchObject(refused);
    expect(named).toMatchObject(refused);
    expect(await deliver(open, { ...signed, path: '/webhooks/payment' })).toEqual(accepted);
  });

  it("is stored with its raw body sealed by the customer's key", async ({ open }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    await deliver(open, signed);
    const [stored] = await inboxOf(open, checkout.gatewayOrderId);
    const { id = '', sealedBody = '', sealedForUserId = null } = stored ?? {};
    expect(sealedForUserId).toBe(checkout.userId);
    expect(stored?.purgeAfter).toBeNull();
    expect(sealedBody).not.toContain(paymentId);
    const row = { id, sealedBody: sealedBody ?? '', sealedForUserId };
    const opened = await openBody(open.vault, open.database.db, row);
    expect(opened.rawBody.toString()).toBe(signed.body);
    await open.database.inTransaction((tx) => open.vault.destroyUser(tx, checkout.userId));
    await expect(openBody(open.vault, open.database.db, row)).rejects.toThrow('destroyed');
  });
});

describe('the webhook routes', () => {
  it('are exempt from the rate limit, and open to every valid signature', ({ open }) => {
    const routes = open.payments.customerRoutes.filter(({ path }) => path.startsWith('/webhooks/'));
    expect(routes.map(({ path }) => path)).toEqual([
      '/webhooks/payment',
      '/webhooks/payment/:gateway',
    ]);
    for (const route of routes) {
      expect(route).toMatchObject({ rateLimit: 'exempt', access: { kind: 'public' } });
    }
  });

  it('count webhooks by gateway and result', async ({ open }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    await deliver(open, signed);
    await deliver(open, signed);
    await deliver(open, { body: 'forged', signature: 'forged' });
    const text = await open.metrics();
    for (const result of ['applied', 'duplicate', 'refused']) {
      expect(text).toMatch(
        new RegExp(
          `payment_webhooks_total\\{gateway="sandbox",result="${result}",service="test"\\} [1-9]`,
          'u',
        ),
      );
    }
  });
});
