import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { installmentTest } from '#test/support/installment-test.ts';
import type { InstallmentFixtures } from '#test/support/installments.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = installmentTest();

const threeDays = 72 * 3600;
const sweep = (open: OpenGold) => runSweeps(open.gold.sweeps, 'buying-fail-unpaid-installments');
const paymentStatuses = async (open: OpenGold, orderId: string): Promise<string[]> => {
  const orderBy = { id: 'asc' } as const;
  const rows = await open.database.db.paymentOrder.findMany({ where: { orderId }, orderBy });
  return rows.map(({ status }) => status);
};

/** Creates an installment that was not paid in its 72 h. */
const createUnpaid = async (open: OpenGold, fixtures: InstallmentFixtures) => {
  const given = await fixtures.payable();
  await open.advance(threeDays);
  await sweep(open);
  await fixtures.becomes(given, 'FAILED');
  return given;
};

/** Creates an installment that failed and has a second checkout. */
const createWithSecondCheckout = async (open: OpenGold, fixtures: InstallmentFixtures) => {
  const first = await createUnpaid(open, fixtures);
  const { paymentOrderId } = await fixtures.payAgain(first);
  await fixtures.runJobs();
  const { checkout } = await fixtures.paymentOf(first, paymentOrderId);
  return { first, secondGatewayOrderId: String(checkout.gateway_order_id) };
};

describe('an installment that is not paid', () => {
  it('has its checkout for 72 h, and then fails', async ({ open, fixtures }) => {
    const given = await fixtures.payable();
    await open.advance(threeDays - 1);
    await sweep(open);
    expect(await fixtures.statusOf(given)).toBe('PENDING');
    const before = await fixtures.paymentOf(given, given.paymentOrderId);
    expect(before.checkout).toBeDefined();
    await open.advance(1);
    await sweep(open);
    expect(await fixtures.statusOf(given)).toBe('FAILED');
    const after = await fixtures.paymentOf(given, given.paymentOrderId);
    expect(after).toMatchObject({ status: 'EXPIRED' });
    expect(after.checkout).toBeUndefined();
    expect(await fixtures.notificationsOf(given)).toEqual(['sip_installment_failed']);
    await sweep(open);
    expect(await fixtures.historyOf(given)).toEqual(['PENDING', 'FAILED']);
  });

  it('does not fail while its gateway does not answer', async ({ open, fixtures }) => {
    const given = await fixtures.payable();
    await fixtures.pay(given.gatewayOrderId, { deliver: 'none' });
    await open.advance(threeDays);
    await open.gatewayFault('list-payments', 'malformed');
    await sweep(open);
    expect(await fixtures.statusOf(given)).toBe('PENDING');
    await sweep(open);
    expect(await fixtures.statusOf(given)).toBe('PAID');
  });

  it('is polled before it fails, so that an unreported payment is found', async ({
    open,
    fixtures,
  }) => {
    const given = await fixtures.payable();
    await fixtures.pay(given.gatewayOrderId, { deliver: 'none' });
    await open.advance(threeDays);
    await sweep(open);
    expect(await fixtures.statusOf(given)).toBe('PAID');
    expect(await fixtures.notificationsOf(given)).toEqual([]);
  });
});

describe('a capture for an installment', () => {
  it('pays it at the next attempt in the same checkout', async ({ open, fixtures }) => {
    const given = await fixtures.payable();
    await fixtures.pay(given.gatewayOrderId, { outcome: 'failed' });
    await fixtures.becomes(given, 'FAILED');
    expect(await fixtures.notificationsOf(given)).toEqual(['sip_installment_failed']);
    await fixtures.pay(given.gatewayOrderId);
    await fixtures.becomes(given, 'PAID');
    expect(await paymentStatuses(open, given.orderId)).toEqual(['PAID']);
  });

  it('pays it at any time, because it has no price lock', async ({ open, fixtures }) => {
    const given = await createUnpaid(open, fixtures);
    await fixtures.pay(given.gatewayOrderId);
    await fixtures.becomes(given, 'PAID');
    await open.allocate(given.orderId);
    expect(await fixtures.statusOf(given)).toBe('ALLOCATED');
  });

  it('pays it through its first checkout, and closes the second', async ({ open, fixtures }) => {
    const { first, secondGatewayOrderId } = await createWithSecondCheckout(open, fixtures);
    await fixtures.pay(first.gatewayOrderId);
    await fixtures.becomes(first, 'PAID');
    expect(await paymentStatuses(open, first.orderId)).toEqual(['PAID', 'EXPIRED']);
    await open.allocate(first.orderId);
    await fixtures.becomes(first, 'ALLOCATED');
    await fixtures.pay(secondGatewayOrderId);
    await fixtures.becomes(first, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    expect(await paymentStatuses(open, first.orderId)).toEqual(['PAID', 'PAID']);
  });

  it('of its second checkout is a second capture if the first checkout was paid late', async ({
    open,
    fixtures,
  }) => {
    const { first, secondGatewayOrderId } = await createWithSecondCheckout(open, fixtures);
    await Promise.all([fixtures.pay(first.gatewayOrderId), fixtures.pay(secondGatewayOrderId)]);
    await fixtures.becomes(first, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    const where = { paymentOrder: { orderId: first.orderId } };
    const payments = await open.database.db.gatewayPayment.findMany({ where });
    expect(payments.map(({ disposition }) => disposition).toSorted()).toEqual([
      'APPLIED',
      'SECOND',
    ]);
  });

  it('of another amount goes to review, and closes every checkout', async ({ open, fixtures }) => {
    const { first, secondGatewayOrderId } = await createWithSecondCheckout(open, fixtures);
    await fixtures.pay(first.gatewayOrderId, { amountPaise: 50_000 });
    await fixtures.becomes(first, 'MANUAL_REVIEW', 'AMOUNT_MISMATCH');
    expect(await paymentStatuses(open, first.orderId)).toEqual(['MANUAL_REVIEW', 'EXPIRED']);
    await fixtures.pay(secondGatewayOrderId);
    await fixtures.becomes(first, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
  });

  it('that failed at the first checkout leaves the second checkout open', async ({
    open,
    fixtures,
  }) => {
    const { first, secondGatewayOrderId } = await createWithSecondCheckout(open, fixtures);
    await fixtures.pay(first.gatewayOrderId, { outcome: 'failed' });
    const events = () => open.database.db.webhookEvent.count({ where: failedEvent });
    const failedEvent = { subject: first.gatewayOrderId, eventType: 'payment.failed' };
    await eventually(async () => (await events()) === 1);
    expect(await fixtures.statusOf(first)).toBe('PENDING');
    await fixtures.pay(secondGatewayOrderId);
    await fixtures.becomes(first, 'PAID');
    expect(await paymentStatuses(open, first.orderId)).toEqual(['EXPIRED', 'PAID']);
  });
});
