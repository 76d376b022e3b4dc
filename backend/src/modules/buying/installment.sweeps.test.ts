import { describe, expect } from 'vitest';
import { installmentTest } from '#test/support/installment-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = installmentTest();

const openCheckouts = (open: OpenGold) =>
  runSweeps(open.gold.sweeps, 'buying-open-installment-checkouts');
const failUnpaid = (open: OpenGold) =>
  runSweeps(open.gold.sweeps, 'buying-fail-unpaid-installments');
const hour = 3600;

describe('the checkout of an installment', () => {
  it('is opened by the sweep if its job is lost', async ({ open, fixtures }) => {
    const raised = await fixtures.raise(await fixtures.newPlan());
    await open.database.db.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
    await openCheckouts(open);
    const early = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(early.status).toBe('CREATED');
    await open.advance(61);
    await openCheckouts(open);
    const { checkout } = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(checkout).toBeDefined();
  });

  it.for(['malformed', 'accept_then_timeout'])(
    'waits while its gateway answers %s, and in the end has one order',
    async (fault, { open, fixtures }) => {
      const raised = await fixtures.raise(await fixtures.newPlan());
      await open.gatewayFault('create-order', fault);
      await open.gatewayFault('get-order', 'malformed', { times: 4 });
      await fixtures.runJobs();
      const before = await fixtures.paymentOf(raised, raised.paymentOrderId);
      expect(before.status).toBe('CREATED');
      await open.sandbox.control('DELETE', '/faults');
      await open.advance(120);
      await openCheckouts(open);
      const after = await fixtures.paymentOf(raised, raised.paymentOrderId);
      expect(after.status).toBe('GATEWAY_ORDER_CREATED');
      const found = await open.sandbox.gateway(
        'GET',
        `/v1/orders?receipt=${raised.paymentOrderId}`,
      );
      const receipt = raised.paymentOrderId;
      // The list also has orders of other tests.
      const own = (found.body['items'] as { receipt?: unknown }[]).filter(
        (order) => order.receipt === receipt,
      );
      expect(own).toHaveLength(1);
    },
  );

  it('is open for 72 h after it is opened, even if it had to wait', async ({ open, fixtures }) => {
    const raised = await fixtures.raise(await fixtures.newPlan());
    await open.gatewayFault('*', 'malformed', { times: 50 });
    await fixtures.runJobs();
    await open.advance(100 * hour);
    await openCheckouts(open);
    await failUnpaid(open);
    expect(await fixtures.statusOf(raised)).toBe('PENDING');
    await open.sandbox.control('DELETE', '/faults');
    await open.advance(hour);
    await openCheckouts(open);
    await open.advance(71 * hour);
    await failUnpaid(open);
    const payment = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(payment.checkout).toBeDefined();
    await open.advance(hour);
    await failUnpaid(open);
    expect(await fixtures.statusOf(raised)).toBe('FAILED');
  });

  it('that was never opened does not fail as unpaid', async ({ open, fixtures }) => {
    const raised = await fixtures.raise(await fixtures.newPlan());
    await open.database.db.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
    await open.advance(100 * hour);
    await failUnpaid(open);
    expect(await fixtures.statusOf(raised)).toBe('PENDING');
    await openCheckouts(open);
    const { checkout } = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(checkout).toBeDefined();
  });

  it('that its gateway refuses waits for the next attempt', async ({ open, fixtures }) => {
    const raised = await fixtures.raise(await fixtures.newPlan());
    await open.gatewayFault('create-order', 'error', { status: 400 });
    await fixtures.runJobs();
    expect(await fixtures.statusOf(raised)).toBe('PENDING');
    await open.advance(61);
    await openCheckouts(open);
    const { checkout } = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(checkout).toBeDefined();
  });

  it('that every gateway refuses fails after 72 h, and can be paid again', async ({
    open,
    fixtures,
  }) => {
    const raised = await fixtures.raise(await fixtures.newPlan());
    await open.gatewayFault('create-order', 'error', { status: 400, times: 500 });
    await fixtures.runJobs();
    for (let waited = 0; waited < 71; waited += 10) {
      await open.advance(10 * hour);
      await openCheckouts(open);
    }
    expect(await fixtures.statusOf(raised)).toBe('PENDING');
    await failUnpaid(open);
    expect(await fixtures.statusOf(raised)).toBe('FAILED');
    expect(await fixtures.notificationsOf(raised)).toEqual(['sip_installment_failed']);
    await open.sandbox.control('DELETE', '/faults');
    const again = await fixtures.payAgain(raised);
    await fixtures.runJobs();
    const { checkout } = await fixtures.paymentOf(raised, again.paymentOrderId);
    expect(checkout).toBeDefined();
  });

  it('that was refused once is deferred again while its gateway cannot be reached', async ({
    open,
    fixtures,
  }) => {
    const raised = await fixtures.raise(await fixtures.newPlan());
    await open.gatewayFault('create-order', 'error', { status: 400 });
    await fixtures.runJobs();
    await open.gatewayFault('*', 'malformed', { times: 500 });
    await open.advance(2 * hour);
    await openCheckouts(open);
    await open.advance(71 * hour);
    await openCheckouts(open);
    await failUnpaid(open);
    expect(await fixtures.statusOf(raised)).toBe('PENDING');
  });

  it('of a different amount than requested is never opened', async ({ open, fixtures }) => {
    const raised = await fixtures.raise(await fixtures.newPlan());
    await open.gatewayFault('create-order', 'wrong_amount');
    await fixtures.runJobs();
    expect(await fixtures.statusOf(raised)).toBe('FAILED');
    expect(await fixtures.notificationsOf(raised)).toEqual(['sip_installment_failed']);
    const again = await fixtures.payAgain(raised);
    await fixtures.runJobs();
    const { checkout } = await fixtures.paymentOf(raised, again.paymentOrderId);
    expect(checkout).toBeDefined();
  });
});
