import { describe, expect } from 'vitest';
import {
  breakGateway,
  commitOrder,
  countGatewayCalls,
  createMortalPayments,
  openCheckout,
  payUnheard,
  stateOf,
  transitionOrder,
} from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { findPaymentOrder } from './index.ts';
import { expirePaymentOrders } from './payments.states.ts';
import { pollGatewaysOfOrder } from './poll-gateway.ts';

const process = createMortalPayments();
const it = goldTest({ wrap: { payments: process.wrapPayments } });

const runPaymentSweeps = (open: OpenGold): Promise<void> => runSweeps(open.payments.sweeps);

const oddAnswer = (open: OpenGold, operation: string, fault: string, times = 1) =>
  open.sandbox.control('POST', '/faults', {
    collaborator: 'sandbox-gateway',
    operation,
    fault,
    times,
  });

describe('captures that no webhook reported', () => {
  it('are found by the sweep while the price lock is valid', async ({ open }) => {
    const checkout = await openCheckout(open);
    await payUnheard(open, checkout);
    await open.advance(300);
    await runPaymentSweeps(open);
    expect(await stateOf(open, checkout.orderId)).toMatchObject({
      status: 'PAID',
      transitions: ['PENDING>PAID'],
      allocations: 1,
    });
  });

  it('are found before an order fails, and are then late', async ({ open }) => {
    const checkout = await openCheckout(open);
    await payUnheard(open, checkout);
    await open.advance(480);
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(true);
    const state = await stateOf(open, checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'LATE_CAPTURE' });
  });

  it('keep an order from failing while a payment cannot be read, and are found when it can', async ({
    open,
  }) => {
    const checkout = await openCheckout(open);
    await payUnheard(open, checkout);
    await oddAnswer(open, 'list-payments', 'odd_row');
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(false);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PENDING');
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(true);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PAID');
  });

  it("do not keep an order from failing if the gateway's order is not paid", async ({ open }) => {
    const checkout = await openCheckout(open);
    const { gatewayOrderId } = checkout;
    const play = { outcome: 'failed', deliver: 'none' };
    await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, play);
    await oddAnswer(open, 'list-payments', 'odd_row', 2);
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(true);
    // The unknown state of a gateway's order does not prove that it is unpaid.
    await oddAnswer(open, 'get-order', 'odd_state');
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(false);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PENDING');
  });

  it('keep an order from failing while its gateway refuses the query', async ({ open }) => {
    const checkout = await openCheckout(open);
    await payUnheard(open, checkout);
    await open.sandbox.control('POST', '/faults', {
      collaborator: 'sandbox-gateway',
      operation: 'list-payments',
      fault: 'error',
      status: 400,
      times: 1,
    });
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(false);
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(true);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PAID');
  });

  it('are found even after the order has failed', async ({ open }) => {
    const checkout = await openCheckout(open);
    await open.advance(480);
    await transitionOrder(open, checkout.orderId, 'FAILED');
    expect(await expirePaymentOrders(open, open.database.db, checkout.orderId, 'test')).toBe(1);
    expect(await expirePaymentOrders(open, open.database.db, checkout.orderId, 'test')).toBe(0);
    await payUnheard(open, checkout);
    await open.advance(120);
    await runPaymentSweeps(open);
    const state = await stateOf(open, checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'LATE_CAPTURE' });
    const paid = await findPaymentOrder(open.database.db, checkout.paymentOrderId);
    expect(paid?.status).toBe('PAID');
  });

  it('are found for a payment order without the id of its gateway order', async ({ open }) => {
    const { orderId, paymentOrderId } = await commitOrder(open, process);
    const made = await open.sandbox.gateway('POST', '/v1/orders', {
      amount_paise: 100_000,
      currency: 'INR',
      receipt: paymentOrderId,
    });
    const gatewayOrderId = String(made.body['id']);
    await payUnheard(open, { gatewayOrderId });
    await open.advance(300);
    await runPaymentSweeps(open);
    expect((await stateOf(open, orderId)).status).toBe('PAID');
  });

  it('are polled once by two concurrent sweeps, and only when they are due', async ({ open }) => {
    const checkout = await openCheckout(open);
    const before = await countGatewayCalls(open, 'list-payments');
    await runPaymentSweeps(open);
    expect(await countGatewayCalls(open, 'list-payments')).toBe(before);
    // The payment orders of the other tests are paid or closed by then.
    await open.advance(360);
    const otherwise = await open.database.db.paymentOrder.updateMany({
      where: { id: { not: checkout.paymentOrderId } },
      data: { lastAskedAt: open.clock.now() },
    });
    expect(otherwise.count).toBeGreaterThan(0);
    await Promise.all([runPaymentSweeps(open), runPaymentSweeps(open)]);
    expect(await countGatewayCalls(open, 'list-payments')).toBe(before + 1);
  });

  it('keep an order from failing while its gateway gives no answer', async ({ open }) => {
    const checkout = await openCheckout(open);
    await payUnheard(open, checkout);
    await breakGateway(open, 'reset');
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(false);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PENDING');
    await open.sandbox.control('DELETE', '/faults');
    expect(await pollGatewaysOfOrder(open.paymentsDeps, checkout.orderId)).toBe(true);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PAID');
  });
});
