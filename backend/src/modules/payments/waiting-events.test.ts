import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paise } from '../../money/index.ts';
import {
  deliver,
  openCheckout,
  openPayments,
  signatureOf,
  signedEvent,
  type OpenPayments,
} from '#test/support/open-payments.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { findPaymentOrder } from './index.ts';

let open: OpenPayments;
beforeAll(async () => {
  open = await openPayments();
});
afterAll(() => open.close());

const accepted = { status: 200, body: { received: true } };
const minuteMs = 60_000;

const eventOf = (subject: string) =>
  open.database.db.webhookEvent.findFirstOrThrow({ where: { subject } });

/** One pass of the sweeps, or of one. */
const janitor = (name?: string): Promise<void> => runSweeps(open.payments.sweeps, name);

/** Runs the job that a deferred event queued; the queue's own runner is tested elsewhere. */
const runJob = async (eventId: string): Promise<void> => {
  const [job] = await open.database.db.$queryRaw<{ task: string }[]>`
    SELECT task_identifier AS task FROM graphile_worker.jobs WHERE key = ${`payment-${eventId}`}`;
  const handler = open.payments.jobs[job?.task ?? ''];
  // The handler looks at its payload alone.
  await handler?.({ eventId }, {} as Parameters<typeof handler>[1]);
};

describe('an event that can not be applied now', () => {
  it('is accepted, kept, and applied by its job', async () => {
    const checkout = await openCheckout(open);
    await open.orders.breakFor(1);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, 'pay_job');
    expect(await deliver(open, signed)).toEqual(accepted);
    const kept = await eventOf(checkout.gatewayOrderId);
    expect(kept).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      lastError: 'PrismaClientKnownRequestError',
    });
    expect(kept.sealedForUserId).toBe(checkout.userId);
    expect((await open.orders.state(checkout.orderId)).status).toBe('PENDING');

    await runJob(kept.id);
    expect(await open.orders.state(checkout.orderId)).toMatchObject({
      status: 'PAID',
      allocations: 1,
    });
    const applied = await eventOf(checkout.gatewayOrderId);
    expect(applied).toMatchObject({ status: 'APPLIED', lastError: null, attempts: 2 });
    await runJob(kept.id);
    expect((await open.orders.state(checkout.orderId)).moves).toEqual(['PENDING>PAID']);
  });

  it('is a repeat when it comes again, and waits a little longer after each try', async () => {
    const checkout = await openCheckout(open);
    await open.orders.breakFor(3);
    const signed = signedEvent('payment.captured', checkout.gatewayOrderId, 'pay_wait');
    await deliver(open, signed);
    expect(await deliver(open, signed)).toMatchObject({ body: { duplicate: true } });
    const { id } = await eventOf(checkout.gatewayOrderId);
    await expect(runJob(id)).rejects.toThrow('broken');
    const second = await eventOf(checkout.gatewayOrderId);
    expect(second).toMatchObject({ status: 'PENDING', attempts: 2 });

    await janitor();
    expect((await eventOf(checkout.gatewayOrderId)).attempts).toBe(2);
    open.clock.advance(minuteMs);
    await janitor();
    expect(await eventOf(checkout.gatewayOrderId)).toMatchObject({
      status: 'PENDING',
      attempts: 3,
    });
    open.clock.advance(minuteMs);
    await janitor();
    expect((await eventOf(checkout.gatewayOrderId)).status).toBe('APPLIED');
    expect((await open.orders.state(checkout.orderId)).status).toBe('PAID');
  });

  it('counts from when it was received: in time, though applied after the lock', async () => {
    const checkout = await openCheckout(open);
    await open.orders.breakFor(1);
    await deliver(open, signedEvent('payment.captured', checkout.gatewayOrderId, 'pay_intime'));
    const received = open.clock.now();
    open.clock.set(checkout.lockEndsAt);
    await open.orders.set(checkout.orderId, 'FAILED');
    await open.payments.expirePaymentOrders(open.database.db, checkout.orderId);
    await janitor('payments-apply-due-events');
    expect(await open.orders.state(checkout.orderId)).toMatchObject({ status: 'PAID', code: null });
    const paid = await findPaymentOrder(open.database.db, checkout.paymentOrderId);
    expect(paid).toMatchObject({ status: 'PAID', paidAt: received });
  });

  it('is not lost to a clock that was set back', async () => {
    const checkout = await openCheckout(open);
    const before = open.clock.now();
    open.clock.advance(24 * 60 * minuteMs);
    await open.orders.breakFor(1);
    await deliver(open, signedEvent('payment.failed', checkout.gatewayOrderId, 'pay_back'));
    open.clock.set(before);
    await janitor('payments-apply-due-events');
    expect((await eventOf(checkout.gatewayOrderId)).status).toBe('APPLIED');
  });
});

describe('an event of an unknown order', () => {
  it('is accepted and kept, with its money on record and its body sealed for 30 days', async () => {
    const signed = signedEvent('payment.captured', 'order_of_nobody', 'pay_of_nobody');
    expect(await deliver(open, signed)).toEqual(accepted);
    const kept = await eventOf('order_of_nobody');
    expect(kept).toMatchObject({ status: 'UNMATCHED', sealedForUserId: null });
    const payment = await open.database.db.gatewayPayment.findFirstOrThrow({
      where: { gatewayPaymentId: 'pay_of_nobody' },
    });
    expect(payment).toMatchObject({ disposition: 'UNMATCHED', paymentOrderId: null });

    await janitor('payments-purge-bodies');
    expect((await eventOf('order_of_nobody')).sealedBody).not.toBeNull();
    open.clock.advance(31 * 24 * 60 * minuteMs);
    await janitor('payments-purge-bodies');
    expect((await eventOf('order_of_nobody')).sealedBody).toBeNull();
  });

  it('is applied as soon as its payment order knows its gateway order', async () => {
    const order = await open.orders.place();
    const paymentOrderId = await open.payments.insertPaymentOrder(open.database.db, {
      userId: order.userId,
      orderId: order.orderId,
      gateway: 'sandbox',
      amountPaise: paise(order.amountPaise),
      expiresAt: order.lockEndsAt,
    });
    // The process died between the gateway's answer and our keeping it; the gateway has the order.
    const made = await open.sandbox.gateway('POST', '/v1/orders', {
      amount_paise: 100_000,
      currency: 'INR',
      receipt: paymentOrderId,
    });
    const gatewayOrderId = String(made.body['id']);
    await deliver(open, signedEvent('payment.captured', gatewayOrderId, 'pay_early'));
    expect((await eventOf(gatewayOrderId)).status).toBe('UNMATCHED');

    const opened = await open.payments.createGatewayOrder(paymentOrderId);
    expect(opened).toMatchObject({ gatewayOrderId, status: 'GATEWAY_ORDER_CREATED' });
    await janitor('payments-apply-matchable-events');
    expect((await eventOf(gatewayOrderId)).status).toBe('APPLIED');
    expect(await open.orders.state(order.orderId)).toMatchObject({
      status: 'PAID',
      allocations: 1,
    });
  });

  it('does not hide a body that has nothing to do with payments', async () => {
    const body = '{"event":"payment.captured","data":"elsewhere"}';
    expect(await deliver(open, { body, signature: signatureOf(body) })).toEqual(accepted);
    const kept = await open.database.db.webhookEvent.findMany({ where: { status: 'UNREADABLE' } });
    expect(kept).toHaveLength(1);
  });
});
