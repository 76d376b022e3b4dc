import { describe, expect } from 'vitest';
import { captureUnheard, deliver, openCheckout, signedEvent } from '#test/support/checkouts.ts';
import { eventually } from '#test/support/eventually.ts';
import { taskName } from '#test/support/job-queue.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { breakOrdersFor, installOrderBreaker } from '#test/support/order-breaker.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { operatorId } from '#test/support/reviewed-buys.ts';
import { runQueuedJobs } from '#test/support/run-queued-jobs.ts';
import { fromSafePaise } from '../../money/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';

const it = reviewTest();
it.beforeAll(({ open }) => installOrderBreaker(open.migrateUrl));

const ask = (open: OpenGold, method: string, path: string, body?: object) =>
  open.as(operatorId)(method, path, body);

const lastAudit = ({ database }: OpenGold) =>
  database.db.auditLog.findFirstOrThrow({ orderBy: { seq: 'desc' } });

/** Runs the queued jobs of payments, and returns their errors. */
const runJobs = (open: OpenGold): Promise<readonly unknown[]> =>
  runQueuedJobs({ ...open.paymentsDeps, logger: open.logger }, open.payments.jobs);

/** Delivers a capture that the service can't apply yet, and returns its checkout and event. */
const deferCapture = async (open: OpenGold) => {
  const checkout = await openCheckout(open);
  await breakOrdersFor(open.migrateUrl, 1);
  const paymentId = await captureUnheard(open, checkout);
  await deliver(open, signedEvent('payment.captured', checkout.gatewayOrderId, paymentId));
  const query = `subject=${checkout.gatewayOrderId}`;
  const { body } = await ask(open, 'GET', `/webhook-events?${query}`);
  return { checkout, paymentId, event: body.items[0] };
};

describe('GET /webhook-events', () => {
  it('lists waiting events by filters, and shows a body without personal data', async ({
    open,
  }) => {
    const { checkout, paymentId, event } = await deferCapture(open);
    expect(event).toMatchObject({
      source: 'payment',
      gateway: 'sandbox',
      eventType: 'payment.captured',
      status: 'PENDING',
      userId: checkout.userId,
      gatewayPaymentId: paymentId,
      attempts: 1,
    });
    const waiting = await ask(open, 'GET', '/webhook-events?limit=100');
    expect(waiting.body.items.map(({ id }: { id: string }) => id)).toContain(event.id);
    const applied = await ask(open, 'GET', `/webhook-events?status=APPLIED&limit=100`);
    expect(applied.body.items.map(({ id }: { id: string }) => id)).not.toContain(event.id);
    const other = await ask(open, 'GET', `/webhook-events?source=payout&userId=${checkout.userId}`);
    expect(other.body).toMatchObject({ items: [], total: 0 });

    const { body } = await ask(open, 'GET', `/webhook-events/${event.id}`);
    expect(body).toMatchObject({
      canReplay: true,
      bodyState: 'MASKED',
      body: {
        event: 'payment.captured',
        data: { gateway_payment_id: paymentId, amount_paise: 100_000, currency: 'INR' },
      },
    });
    await runJobs(open);
  });
});

describe('POST /webhook-events/:id/replay', () => {
  it('applies a waiting event by its job with an audit row, and is 409 for an applied event', async ({
    open,
  }) => {
    const { checkout, event } = await deferCapture(open);
    // The queue is emptied, so that only the sweep would retry the event.
    await runQueuedJobs({ ...open.paymentsDeps, logger: open.logger }, {});
    const replayed = await ask(open, 'POST', `/webhook-events/${event.id}/replay`);
    expect(replayed).toMatchObject({ status: 200, body: { id: event.id, status: 'PENDING' } });
    expect(await lastAudit(open)).toMatchObject({
      action: 'webhook-event.replay',
      targetId: event.id,
      actorId: operatorId,
      before: { status: 'PENDING', attempts: 1 },
    });
    expect(await runJobs(open)).toEqual([]);
    const { body: order } = await open.as(checkout.userId)(
      'GET',
      `/gold/orders/${checkout.orderId}`,
    );
    expect(order.status).toBe('PAID');

    const again = await ask(open, 'POST', `/webhook-events/${event.id}/replay`);
    expect(again).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
    expect(again.body.error.details).toEqual({ status: 'APPLIED' });
    const unknown = await ask(open, 'POST', `/webhook-events/${operatorId}/replay`);
    expect(unknown.status).toBe(404);
  });
});

/** Inserts a job of a separate task, with this number of attempts. */
const putJob = async (
  { database }: OpenGold,
  task: string,
  state: { readonly attempts: number; readonly isRunning?: boolean },
): Promise<string> => {
  await enqueue(database.db, { task, payload: { orderId: operatorId }, maxAttempts: 3 });
  const [row] = await database.db.$queryRaw<{ id: string }[]>`
    UPDATE graphile_worker._private_jobs AS j
    SET attempts = ${state.attempts}, last_error = 'Error: no holding',
      run_at = now() + interval '1 day',
      locked_at = CASE WHEN ${state.isRunning ?? false} THEN now() END,
      locked_by = CASE WHEN ${state.isRunning ?? false} THEN 'worker-1' END
    FROM graphile_worker._private_tasks AS t
    WHERE t.id = j.task_id AND t.identifier = ${task} RETURNING j.id::text`;
  return row?.id ?? '';
};

const clearJobs = async ({ database }: OpenGold): Promise<void> => {
  await database.db.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
};

const jobsOfTask = async (open: OpenGold, task: string, status: string) => {
  const { body } = await ask(open, 'GET', `/jobs?task=${task}&status=${status}`);
  return body;
};

describe('/jobs', () => {
  it.afterEach(({ open }) => clearJobs(open));

  it('lists dead jobs, and retries one', async ({ open }) => {
    const task = taskName();
    const id = await putJob(open, task, { attempts: 3 });
    const job = { id, task, status: 'dead', attempts: 3, lastError: 'Error: no holding' };
    expect(await jobsOfTask(open, task, 'dead')).toMatchObject({
      items: [{ ...job, payload: { orderId: operatorId } }],
      total: 1,
    });
    const { body: dead } = await ask(open, 'GET', `/jobs?task=${task}`);
    expect(dead.total).toBe(1);

    const retried = await ask(open, 'POST', `/jobs/${id}/retry`);
    expect(retried).toMatchObject({ status: 200, body: { status: 'queued', attempts: 0 } });
    expect(Date.parse(retried.body.dueAt)).toBeLessThan(Date.now() + 60_000);
    expect(await jobsOfTask(open, task, 'dead')).toMatchObject({ total: 0 });
    expect(await jobsOfTask(open, task, 'queued')).toMatchObject({ total: 1 });
    expect(await lastAudit(open)).toMatchObject({
      action: 'job.retry',
      targetType: 'job',
      targetId: id,
      before: { task, status: 'dead', attempts: 3, orderId: operatorId },
    });
  });

  it('discards a dead job, with a sealed reason', async ({ open }) => {
    const task = taskName();
    const id = await putJob(open, task, { attempts: 3 });
    const reason = 'The order is of a test.';
    expect(await ask(open, 'POST', `/jobs/${id}/discard`, {})).toMatchObject({ status: 400 });
    const discarded = await ask(open, 'POST', `/jobs/${id}/discard`, { reason });
    expect(discarded).toMatchObject({ status: 200, body: { id, status: 'dead' } });
    expect(await jobsOfTask(open, task, 'dead')).toMatchObject({ total: 0 });
    const row = await lastAudit(open);
    expect(row).toMatchObject({ action: 'job.discard', targetId: id });
    expect(
      JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? 0 : value)),
    ).not.toContain(reason);
    expect(await ask(open, 'POST', `/jobs/${id}/discard`, { reason })).toMatchObject({
      status: 404,
    });
  });

  it('refuses to change a running job, or to discard a job that is still being retried', async ({
    open,
  }) => {
    const running = await putJob(open, taskName(), { attempts: 1, isRunning: true });
    for (const change of ['retry', 'discard']) {
      const refused = await ask(open, 'POST', `/jobs/${running}/${change}`, { reason: 'x' });
      expect(refused).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
      expect(refused.body.error.details).toEqual({ status: 'running' });
    }
    const waiting = await putJob(open, taskName(), { attempts: 1 });
    const kept = await ask(open, 'POST', `/jobs/${waiting}/discard`, { reason: 'x' });
    expect(kept.body.error.details).toEqual({ status: 'queued' });
  });

  it('lists scheduled jobs', async ({ open }) => {
    const [{ total }] = await open.database.db.$queryRaw<[{ total: number }]>`
      SELECT count(*)::int AS total FROM scheduled_job`;
    const { body } = await ask(open, 'GET', '/jobs?status=scheduled');
    expect(body.total).toBe(total);
  });
});

/** Makes a payment at the gateway for an order that is not ours. */
const payElsewhere = async (open: OpenGold): Promise<{ gatewayPaymentId: string; id: string }> => {
  const gateway = open.paymentsDeps.gateways.get('sandbox');
  const made = await gateway?.createOrder({
    receipt: crypto.randomUUID(),
    amountPaise: fromSafePaise(70_000),
    currency: 'INR',
    customer: { id: operatorId, phone: '+919812345678' },
  });
  if (made?.kind !== 'done') throw new Error('the gateway makes no order');
  const path = `/payments/${made.value.gatewayOrderId}`;
  const { body } = await open.sandbox.control('POST', path, { outcome: 'captured' });
  const gatewayPaymentId = String(body['gateway_payment_id']);
  return eventually(async () => {
    const row = await open.database.db.gatewayPayment.findFirstOrThrow({
      where: { gatewayPaymentId },
    });
    return { gatewayPaymentId, id: row.id };
  });
};

const openPayment = async (open: OpenGold, gatewayPaymentId: string) => {
  const { body } = await ask(open, 'GET', '/payments?limit=100');
  return body.items.find(
    (item: { gatewayPaymentId: string }) => item.gatewayPaymentId === gatewayPaymentId,
  );
};

const actionsOf = (payment: { actions: { action: string }[] }) =>
  payment.actions.map(({ action }) => action);

describe('GET /payments', () => {
  it('lists the actions on a payment under review, which the order then accepts', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.late();
    const payment = await openPayment(open, paymentId);
    expect(payment).toMatchObject({
      state: 'REVIEW',
      standing: 'LATE',
      orderId: buy.id,
      userId: buy.userId,
      orderStatus: 'MANUAL_REVIEW',
      reviewCode: 'LATE_CAPTURE',
      amountPaise: 100_000,
    });
    expect(actionsOf(payment)).toEqual(['ALLOCATE', 'REFUNDED']);
    expect(payment.actions[0].path).toBe(`/orders/${buy.id}/resolve`);
    const reference = await buys.payBack(paymentId);
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference })).status).toBe(200);
    expect(await openPayment(open, paymentId)).toBeUndefined();
    expect((await ask(open, 'GET', `/payments/${payment.id}`)).status).toBe(404);
  });

  it('distinguishes a second payment from the payment that bought the gold', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId, secondId } = await buys.paidTwice();
    expect(actionsOf(await openPayment(open, paymentId))).toEqual(['KEEP']);
    expect(actionsOf(await openPayment(open, secondId))).toEqual(['REFUNDED', 'KEEP']);
    const reference = await buys.payBack(secondId);
    await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(await openPayment(open, paymentId)).toBeUndefined();
  });

  it('closes a payment without an order once its gateway has refunded it', async ({
    open,
    buys,
  }) => {
    const { id, gatewayPaymentId } = await payElsewhere(open);
    const payment = await openPayment(open, gatewayPaymentId);
    expect(payment).toMatchObject({ state: 'UNMATCHED', orderId: null, amountPaise: 70_000 });
    expect(actionsOf(payment)).toEqual(['REPLAY_EVENT', 'RECORD_REFUND']);
    const replayed = await ask(open, 'POST', payment.actions[0].path);
    expect(replayed.status).toBe(200);

    const path = `/payments/${id}/refunded`;
    const held = await ask(open, 'POST', path, { reference: 'rfnd_made_up' });
    expect(held).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
    const reference = await buys.payBack(gatewayPaymentId);
    const recorded = await ask(open, 'POST', path, { reference, note: 'Paid twice.' });
    expect(recorded.status).toBe(204);
    expect(await openPayment(open, gatewayPaymentId)).toBeUndefined();
    const row = await open.database.db.gatewayPayment.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ disposition: 'REFUNDED', refundReference: reference });
    expect(await lastAudit(open)).toMatchObject({ action: 'payment.refunded', targetId: id });
    const events = await ask(open, 'GET', `/webhook-events?gatewayPaymentId=${gatewayPaymentId}`);
    const states = events.body.items.map(({ status }: { status: string }) => status);
    expect(states).not.toContain('PENDING');
    expect((await ask(open, 'POST', path, { reference })).status).toBe(404);
  });
});
