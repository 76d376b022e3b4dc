import { describe, expect } from 'vitest';
import { installmentTest } from '#test/support/installment-test.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { OPEN_CHECKOUT_TASK } from './installment.jobs.ts';

const it = installmentTest();

const hour = 3600;

describe('an installment that is placed', () => {
  it('has only an amount in rupees, and a payment order whose gateway order its job creates', async ({
    fixtures,
  }) => {
    const plan = await fixtures.newPlan();
    const raised = await fixtures.raise(plan);
    expect(await fixtures.orderOf(raised)).toMatchObject({
      type: 'SIP_INSTALLMENT',
      status: 'PENDING',
      amount_inr: '1000.00',
      grams: null,
      price_per_gram_paise: null,
      gold_value_paise: null,
      gst_paise: null,
      rounding_paise: null,
      quote_id: null,
      sg_tx_id: null,
    });
    const before = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(before).toMatchObject({ status: 'CREATED', amount_paise: 100_000 });
    expect(before.checkout).toBeUndefined();
    await fixtures.runJobs();
    const after = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(after).toMatchObject({ status: 'GATEWAY_ORDER_CREATED', order_id: raised.orderId });
    expect(after.checkout).toMatchObject({ provider: 'sandbox', amount_minor: 100_000 });
    expect(await fixtures.historyOf(raised)).toEqual(['PENDING']);
  });

  it('gets its checkout after every other job', async ({ open, fixtures }) => {
    const { db } = open.database;
    await fixtures.raise(await fixtures.newPlan());
    await enqueue(db, { task: 'another-job', payload: {} });
    const jobs = await db.$queryRaw<{ task: string }[]>`
      SELECT task_identifier AS task FROM graphile_worker.jobs ORDER BY priority, id`;
    await fixtures.runJobs();
    expect(jobs.map(({ task }) => task)).toEqual(['another-job', OPEN_CHECKOUT_TASK]);
  });

  it('can be paid for 72 hours, or for 72 hours after its debit', async ({ open, fixtures }) => {
    const { db } = open.database;
    const at = open.clock.now().getTime();
    const plan = await fixtures.newPlan();
    const { orderId, paymentOrderId } = await fixtures.raise(plan, 1);
    const order = await db.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
    const payment = await db.paymentOrder.findUniqueOrThrow({ where: { id: paymentOrderId } });
    expect(order.expiresAt?.getTime()).toBe(at + 72 * hour * 1000);
    expect(payment.expiresAt).toEqual(order.expiresAt);
    expect(payment).toMatchObject({ debitDueAt: null, debitStatus: null });

    const mandate = { token: 'token-of-asha', dueInSeconds: 24 * hour };
    const debited = await fixtures.raise(plan, 2, mandate);
    const where = { id: debited.paymentOrderId };
    const scheduled = await db.paymentOrder.findUniqueOrThrow({ where });
    expect(scheduled.expiresAt?.getTime()).toBe(at + 96 * hour * 1000);
    expect(scheduled.debitDueAt?.getTime()).toBe(at + 24 * hour * 1000);
    expect(scheduled.debitStatus).toBe('SCHEDULED');
    expect(scheduled.mandateTokenSealed).not.toContain('asha');
  });

  it('is never placed a second time', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    const tries = Array.from({ length: 5 }, () => fixtures.raise(plan, 1));
    const ended = await Promise.allSettled(tries);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const where = { userId: plan.userId };
    expect(await open.database.db.goldOrder.count({ where })).toBe(1);
    expect(await open.database.db.paymentOrder.count({ where })).toBe(1);
  });
});

describe('an installment that failed', () => {
  it('is paid again with a new payment order of the same gold order', async ({ fixtures }) => {
    const raised = await fixtures.payable();
    await fixtures.pay(raised.gatewayOrderId, { outcome: 'failed' });
    await fixtures.becomes(raised, 'FAILED');
    const again = await fixtures.payAgain(raised);
    expect(again.orderId).toBe(raised.orderId);
    expect(again.paymentOrderId).not.toBe(raised.paymentOrderId);
    expect(await fixtures.statusOf(raised)).toBe('PENDING');
    expect(await fixtures.historyOf(raised)).toEqual(['PENDING', 'FAILED', 'PENDING']);
    await fixtures.runJobs();
    const payment = await fixtures.paymentOf(raised, again.paymentOrderId);
    expect(payment.checkout).toBeDefined();
    const first = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(first).toMatchObject({ status: 'FAILED' });
  });

  it('becomes PENDING once if requests race', async ({ fixtures }) => {
    const raised = await fixtures.payable();
    await fixtures.pay(raised.gatewayOrderId, { outcome: 'failed' });
    await fixtures.becomes(raised, 'FAILED');
    const ended = await Promise.allSettled(
      Array.from({ length: 5 }, () => fixtures.payAgain(raised)),
    );
    const refused = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(Array.from({ length: 4 }, () => 'ILLEGAL_TRANSITION'));
  });

  it('cannot be paid in another state or by another customer', async ({ open, fixtures }) => {
    const raised = await fixtures.payable();
    const refusal = { code: 'ILLEGAL_TRANSITION' };
    await expect(fixtures.payAgain(raised)).rejects.toMatchObject(refusal);
    const stranger = { ...raised, userId: (await open.newCustomer()).id };
    await expect(fixtures.payAgain(stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await fixtures.pay(raised.gatewayOrderId);
    await fixtures.becomes(raised, 'PAID');
    await expect(fixtures.payAgain(raised)).rejects.toMatchObject(refusal);
  });
});
