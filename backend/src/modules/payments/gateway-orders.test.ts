import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { commitOrder, createMortalPayments, stateOf } from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { paise } from '../../money/index.ts';
import { isUniqueViolation } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { chooseGateway } from './choose-gateway.ts';
import { insertPaymentOrder } from './payment-orders.store.ts';
import { createGatewayOrder } from './create-gateway-order.ts';
import { ownRows } from '#test/support/own-rows.ts';

const process = createMortalPayments();
const it = goldTest({ wrap: { payments: process.wrapPayments } });

/** Creates a committed order with a payment order that has no gateway order yet. */
const commit = (open: OpenGold) => commitOrder(open, process);

const fault = (open: OpenGold, kind: string, options: object = {}) =>
  open.sandbox.control('POST', '/faults', {
    collaborator: 'sandbox-gateway',
    operation: 'create-order',
    fault: kind,
    times: 1,
    ...options,
  });

const stored = (open: OpenGold, id: string) =>
  open.database.db.paymentOrder.findUniqueOrThrow({ where: { id } });

/** Counts the gateway's orders with this receipt. */
const ordersAtGateway = async (open: OpenGold, receipt: string): Promise<number> => {
  const { body } = await open.sandbox.gateway('GET', `/v1/orders?receipt=${receipt}`);
  return ownRows(body).length;
};

/** Counts the requests for an order of this receipt that reached the gateway. */
const requestsOf = async (open: OpenGold, receipt: string): Promise<number> => {
  const path = '/journal?collaborator=sandbox-gateway&operation=create-order';
  const { body } = await open.sandbox.control('GET', path);
  const entries = body['entries'] as { body: { receipt?: string } }[]; // the control's own view
  return entries.filter((entry) => entry.body.receipt === receipt).length;
};

const setEnabled = (open: OpenGold, enabled: boolean) =>
  open.database.db.gatewaySetting.upsert({
    where: { code: 'sandbox' },
    create: { code: 'sandbox', enabled, updatedAt: open.clock.now() },
    update: { enabled },
  });

/** Creates the gateway order, and retries while another request has the lease. */
const createWithRetries = async (open: OpenGold, paymentOrderId: string) => {
  for (;;) {
    try {
      return await createGatewayOrder(open.paymentsDeps, paymentOrderId);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'REQUEST_IN_PROGRESS')) throw error;
    }
  }
};

describe('opening a gateway order', () => {
  it('stores the id, and returns the same order from then on', async ({ open }) => {
    const { paymentOrderId } = await commit(open);
    expect(await stored(open, paymentOrderId)).toMatchObject({
      status: 'CREATED',
      method: 'upi',
      termsAcceptedVersion: '2026-01',
    });
    const first = await createGatewayOrder(open.paymentsDeps, paymentOrderId);
    expect(first.status).toBe('GATEWAY_ORDER_CREATED');
    expect(await createGatewayOrder(open.paymentsDeps, paymentOrderId)).toEqual(first);
    expect(await ordersAtGateway(open, paymentOrderId)).toBe(1);
  });

  it.for([
    ['error', {}],
    ['reset', {}],
    ['timeout', {}],
    ['malformed', {}],
    ['accept_then_timeout', {}],
  ] as const)(
    'queries the gateway by receipt if the response was lost: %s',
    async ([kind, options], { open }) => {
      const { paymentOrderId, orderId } = await commit(open);
      await fault(open, kind, options);
      const opened = await createGatewayOrder(open.paymentsDeps, paymentOrderId);
      expect(opened.status).toBe('GATEWAY_ORDER_CREATED');
      expect(await ordersAtGateway(open, paymentOrderId)).toBe(1);
      expect((await stateOf(open, orderId)).status).toBe('PENDING');
    },
  );

  it('leaves the payment order CREATED while the gateway gives no answer', async ({ open }) => {
    const { paymentOrderId, orderId } = await commit(open);
    await fault(open, 'reset', { operation: '*', times: 20 });
    await expect(createGatewayOrder(open.paymentsDeps, paymentOrderId)).rejects.toMatchObject({
      code: 'NO_USABLE_GATEWAY',
      status: 503,
    });
    expect((await stored(open, paymentOrderId)).status).toBe('CREATED');
    expect((await stateOf(open, orderId)).status).toBe('PENDING');
    await open.sandbox.control('DELETE', '/faults');
    const opened = await createGatewayOrder(open.paymentsDeps, paymentOrderId);
    expect(opened.status).toBe('GATEWAY_ORDER_CREATED');
    expect(await ordersAtGateway(open, paymentOrderId)).toBe(1);
  });

  it('creates one gateway order if two requests resume at once', async ({ open }) => {
    const { paymentOrderId } = await commit(open);
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => createWithRetries(open, paymentOrderId)),
    );
    expect(new Set(opened.map(({ gatewayOrderId }) => gatewayOrderId)).size).toBe(1);
    expect(await ordersAtGateway(open, paymentOrderId)).toBe(1);
  });

  it('calls the gateway once if several requests start at once', async ({ open }) => {
    const { paymentOrderId } = await commit(open);
    // The gateway delays the first request, so the others find no order with the receipt.
    await fault(open, 'slow', { delayMs: 700 });
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => createWithRetries(open, paymentOrderId)),
    );
    expect(new Set(opened.map(({ gatewayOrderId }) => gatewayOrderId)).size).toBe(1);
    expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 'GATEWAY_ORDER_CREATED'));
    expect(await requestsOf(open, paymentOrderId)).toBe(1);
    expect(await ordersAtGateway(open, paymentOrderId)).toBe(1);
  });

  it('is refused if another request takes longer than the wait', async ({ open }) => {
    const { paymentOrderId } = await commit(open);
    await open.database.db.paymentOrder.update({
      where: { id: paymentOrderId },
      data: { holderId: paymentOrderId, leaseUntil: new Date(Date.now() + 60_000) },
    });
    await expect(createGatewayOrder(open.paymentsDeps, paymentOrderId)).rejects.toMatchObject({
      code: 'REQUEST_IN_PROGRESS',
    });
    expect(await requestsOf(open, paymentOrderId)).toBe(0);
  });

  it('fails if the gateway echoes another amount, and stores the id of its order', async ({
    open,
  }) => {
    const { paymentOrderId, orderId } = await commit(open);
    await fault(open, 'wrong_amount');
    await expect(createGatewayOrder(open.paymentsDeps, paymentOrderId)).rejects.toMatchObject({
      code: 'GATEWAY_MISMATCH',
    });
    const failed = await stored(open, paymentOrderId);
    expect(failed.status).toBe('FAILED');
    expect(failed.gatewayOrderId).not.toBeNull();
    expect((await stateOf(open, orderId)).status).toBe('FAILED');
    expect((await createGatewayOrder(open.paymentsDeps, paymentOrderId)).status).toBe('FAILED');
  });

  it('leaves the payment order CREATED if the gateway refuses it', async ({ open }) => {
    const { paymentOrderId, orderId } = await commit(open);
    await fault(open, 'error', { status: 400 });
    await expect(createGatewayOrder(open.paymentsDeps, paymentOrderId)).rejects.toMatchObject({
      code: 'NO_USABLE_GATEWAY',
    });
    expect((await stored(open, paymentOrderId)).status).toBe('CREATED');
    expect(await stateOf(open, orderId)).toMatchObject({ status: 'PENDING', transitions: [] });
    const opened = await createGatewayOrder(open.paymentsDeps, paymentOrderId);
    expect(opened.status).toBe('GATEWAY_ORDER_CREATED');
    const attempts = await open.database.db.gatewayAttempt.findMany({
      where: { paymentOrderId },
      orderBy: { id: 'asc' },
    });
    expect(attempts.map(({ gateway, status }) => [gateway, status])).toEqual([
      ['sandbox', 'REFUSED'],
      ['sandbox', 'DONE'],
    ]);
  });

  it('does not open an expired checkout', async ({ open }) => {
    const { paymentOrderId } = await commit(open);
    await open.advance(480);
    await expect(createGatewayOrder(open.paymentsDeps, paymentOrderId)).rejects.toMatchObject({
      code: 'QUOTE_EXPIRED',
    });
    expect(await ordersAtGateway(open, paymentOrderId)).toBe(0);
  });

  it('allows one open payment order for a gold order', async ({ open }) => {
    const { orderId, userId } = await commit(open);
    const request = { userId, orderId, gateway: 'sandbox', amountPaise: paise(100_000n) };
    const { db } = open.database;
    const second = insertPaymentOrder(db, randomUUID(), request, open.clock.now());
    await expect(second).rejects.toSatisfy((error) => isUniqueViolation(error));
  });
});

describe('the choice of a gateway, as operators set it', () => {
  it('uses a gateway that has no settings', async ({ open }) => {
    expect(await chooseGateway(open.paymentsDeps, { method: 'upi' })).toBe('sandbox');
  });

  it('is 503 while the only gateway is disabled, even if it is preferred or routed to', async ({
    open,
  }) => {
    await setEnabled(open, false);
    await open.database.db.gatewayRouting.update({
      where: { id: 1 },
      data: { defaultCode: 'sandbox', priority: ['sandbox'], routes: { upi: 'sandbox' } },
    });
    const wish = { preferred: 'sandbox', method: 'upi' } as const;
    await expect(chooseGateway(open.paymentsDeps, wish)).rejects.toMatchObject({
      code: 'NO_USABLE_GATEWAY',
      status: 503,
    });
    await setEnabled(open, true);
    expect(await chooseGateway(open.paymentsDeps, wish)).toBe('sandbox');
  });
});
