import { describe, expect } from 'vitest';
import {
  captureUnheard,
  commitOrder,
  createMortalPayments,
  deliver,
  transitionOrder,
  openCheckout,
  signatureOf,
  signedEvent,
  stateOf,
} from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { breakOrdersFor, installOrderBreaker } from '#test/support/order-breaker.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { accepted } from '#test/support/webhook-answers.ts';
import { findPaymentOrder } from './index.ts';
import { createGatewayOrder } from './create-gateway-order.ts';
import { expirePaymentOrders } from './payments.states.ts';

const process = createMortalPayments();
const it = goldTest({ wrap: { payments: process.wrapPayments } });

it.beforeAll(({ open }) => installOrderBreaker(open.migrateUrl));

const minuteMs = 60_000;

const eventOf = (open: OpenGold, subject: string) =>
  open.database.db.webhookEvent.findFirstOrThrow({ where: { subject } });

/** Runs one pass of all sweeps of payments, or of the named sweep. */
const runPaymentSweeps = (open: OpenGold, name?: string): Promise<void> =>
  runSweeps(open.payments.sweeps, name);

/** Runs the job that a deferred event queued. The queue's own runner is tested elsewhere. */
const runJob = async (open: OpenGold, eventId: string): Promise<void> => {
  const [job] = await open.database.db.$queryRaw<{ task: string }[]>`
    SELECT task_identifier AS task FROM graphile_worker.jobs WHERE key = ${`payment-${eventId}`}`;
  const handler = open.payments.jobs[job?.task ?? ''];
  // The handler reads only its payload.
  await handler?.({ eventId }, {} as Parameters<typeof handler>[1]);
};

describe('an event that cannot be applied now', () => {
  it('is accepted and stored, and applied by its job', async ({ open }) => {
    const checkout = await openCheckout(open);
    await breakOrdersFor(open.migrateUrl, 1);
    const paymentId = await captureUnheard(open, checkout);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    expect(await deliver(open, signed)).toEqual(accepted);
    const kept = await eventOf(open, checkout.gatewayOrderId);
    expect(kept).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      lastError: 'PrismaClientKnownRequestError',
    });
    expect(kept.sealedForUserId).toBe(checkout.userId);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PENDING');

    await runJob(open, kept.id);
    expect(await stateOf(open, checkout.orderId)).toMatchObject({
      status: 'PAID',
      allocations: 1,
    });
    const applied = await eventOf(open, checkout.gatewayOrderId);
    expect(applied).toMatchObject({ status: 'APPLIED', lastError: null, attempts: 2 });
    await runJob(open, kept.id);
    expect((await stateOf(open, checkout.orderId)).transitions).toEqual(['PENDING>PAID']);
  });

  it('is a repeat if it arrives again, and waits longer after each retry', async ({ open }) => {
    const checkout = await openCheckout(open);
    await breakOrdersFor(open.migrateUrl, 3);
    const paymentId = await captureUnheard(open, checkout);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, paymentId);
    await deliver(open, signed);
    expect(await deliver(open, signed)).toMatchObject({ body: { duplicate: true } });
    const { id } = await eventOf(open, checkout.gatewayOrderId);
    await expect(runJob(open, id)).rejects.toThrow('broken');
    const second = await eventOf(open, checkout.gatewayOrderId);
    expect(second).toMatchObject({ status: 'PENDING', attempts: 2 });

    await runPaymentSweeps(open);
    expect((await eventOf(open, checkout.gatewayOrderId)).attempts).toBe(2);
    await open.advance(60);
    await runPaymentSweeps(open);
    expect(await eventOf(open, checkout.gatewayOrderId)).toMatchObject({
      status: 'PENDING',
      attempts: 3,
    });
    await open.advance(60);
    await runPaymentSweeps(open);
    expect((await eventOf(open, checkout.gatewayOrderId)).status).toBe('APPLIED');
    expect((await stateOf(open, checkout.orderId)).status).toBe('PAID');
  });

  it('counts from its arrival, so that it is in time even if it is applied after the lock', async ({
    open,
  }) => {
    const checkout = await openCheckout(open);
    await breakOrdersFor(open.migrateUrl, 1);
    const paymentId = await captureUnheard(open, checkout);
    await deliver(open, signedEvent('payment.captured', checkout.gatewayOrderId, paymentId));
    const received = open.clock.now();
    await open.advance(480);
    await transitionOrder(open, checkout.orderId, 'FAILED');
    await expirePaymentOrders(open, open.database.db, checkout.orderId, 'test');
    await runPaymentSweeps(open, 'payments-apply-due-events');
    expect(await stateOf(open, checkout.orderId)).toMatchObject({ status: 'PAID', code: null });
    const paid = await findPaymentOrder(open.database.db, checkout.paymentOrderId);
    expect(paid).toMatchObject({ status: 'PAID', paidAt: received });
  });

  it('is left to the next pass if the pass has to stop', async ({ open }) => {
    const checkout = await openCheckout(open);
    await breakOrdersFor(open.migrateUrl, 1);
    const paymentId = await captureUnheard(open, checkout);
    await deliver(open, signedEvent('payment.captured', checkout.gatewayOrderId, paymentId));
    await open.advance(60);
    await runSweeps(open.payments.sweeps, 'payments-apply-due-events', AbortSignal.abort());
    expect(await eventOf(open, checkout.gatewayOrderId)).toMatchObject({
      status: 'PENDING',
      attempts: 1,
    });
    await runPaymentSweeps(open, 'payments-apply-due-events');
    expect((await stateOf(open, checkout.orderId)).status).toBe('PAID');
  });

  it('is not lost if the clock is set back', async ({ open }) => {
    const checkout = await openCheckout(open);
    const before = open.clock.now();
    open.clock.advance(24 * 60 * minuteMs);
    await breakOrdersFor(open.migrateUrl, 1);
    await deliver(open, signedEvent('payment.failed', checkout.gatewayOrderId, 'pay_back'));
    open.clock.set(before);
    await runPaymentSweeps(open, 'payments-apply-due-events');
    expect((await eventOf(open, checkout.gatewayOrderId)).status).toBe('APPLIED');
  });
});

/** Creates an order at the gateway directly, by its receipt. Returns the gateway's id. */
const orderAtGateway = async (open: OpenGold, receipt: string): Promise<string> => {
  const order = { amount_paise: 100_000, currency: 'INR', receipt };
  return String((await open.sandbox.gateway('POST', '/v1/orders', order)).body['id']);
};

describe('an event of an unknown order', () => {
  it('is accepted and stored, with its payment recorded and its body sealed for 30 days', async ({
    open,
  }) => {
    const gatewayOrderId = await orderAtGateway(open, 'nobody');
    const gatewayPaymentId = await captureUnheard(open, { gatewayOrderId });
    const signed = signedEvent('payment.captured', gatewayOrderId, gatewayPaymentId);
    expect(await deliver(open, signed)).toEqual(accepted);
    const kept = await eventOf(open, gatewayOrderId);
    expect(kept).toMatchObject({ status: 'UNMATCHED', sealedForUserId: null });
    const payment = await open.database.db.gatewayPayment.findFirstOrThrow({
      where: { gatewayPaymentId },
    });
    expect(payment).toMatchObject({ disposition: 'UNMATCHED', paymentOrderId: null });

    await runPaymentSweeps(open, 'payments-purge-bodies');
    expect((await eventOf(open, gatewayOrderId)).sealedBody).not.toBeNull();
    await open.advance(31 * 24 * 60 * 60);
    await runPaymentSweeps(open, 'payments-purge-bodies');
    expect((await eventOf(open, gatewayOrderId)).sealedBody).toBeNull();
  });

  it('is applied as soon as its payment order has the gateway order', async ({ open }) => {
    const { orderId, paymentOrderId } = await commitOrder(open, process);
    // The process died before it stored the gateway's response. The gateway has the order.
    const gatewayOrderId = await orderAtGateway(open, paymentOrderId);
    const paymentId = await captureUnheard(open, { gatewayOrderId });
    await deliver(open, signedEvent('payment.captured', gatewayOrderId, paymentId));
    expect((await eventOf(open, gatewayOrderId)).status).toBe('UNMATCHED');

    const opened = await createGatewayOrder(open.paymentsDeps, paymentOrderId);
    expect(opened).toMatchObject({ gatewayOrderId, status: 'GATEWAY_ORDER_CREATED' });
    await runPaymentSweeps(open, 'payments-apply-matchable-events');
    expect((await eventOf(open, gatewayOrderId)).status).toBe('APPLIED');
    expect(await stateOf(open, orderId)).toMatchObject({
      status: 'PAID',
      allocations: 1,
    });
  });

  it('is stored even if its body does not concern payments', async ({ open }) => {
    const body = '{"event":"payment.captured","data":"elsewhere"}';
    expect(await deliver(open, { body, signature: signatureOf(body) })).toEqual(accepted);
    const kept = await open.database.db.webhookEvent.findMany({ where: { status: 'UNREADABLE' } });
    expect(kept).toHaveLength(1);
  });
});
