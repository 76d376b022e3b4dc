import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openPayments, type OpenPayments } from '#test/support/open-payments.ts';
import { paise } from '../../money/index.ts';
import { isUniqueViolation } from '../../platform/db/index.ts';

let open: OpenPayments;
beforeAll(async () => {
  open = await openPayments();
});
afterEach(() => open.sandbox.control('DELETE', '/faults'));
afterAll(() => open.close());

/** A committed order with its payment order, which the gateway does not know yet. */
const commit = async () => {
  const order = await open.orders.place();
  const paymentOrderId = await open.database.inTransaction((tx) =>
    open.payments.insertPaymentOrder(tx, {
      userId: order.userId,
      orderId: order.orderId,
      gateway: 'sandbox',
      amountPaise: paise(order.amountPaise),
      method: 'upi',
      termsVersion: '2026-01',
      expiresAt: order.lockEndsAt,
    }),
  );
  return { ...order, paymentOrderId };
};

const fault = (kind: string, options: object = {}) =>
  open.sandbox.control('POST', '/faults', {
    collaborator: 'sandbox-gateway',
    operation: 'create-order',
    fault: kind,
    times: 1,
    ...options,
  });

const stored = (id: string) => open.database.db.paymentOrder.findUniqueOrThrow({ where: { id } });

/** Counts the gateway's orders with this receipt. */
const ordersAtGateway = async (receipt: string): Promise<number> => {
  const { body } = await open.sandbox.gateway('GET', `/v1/orders?receipt=${receipt}`);
  return (body['items'] as unknown[]).length;
};

/** Counts the requests for an order of this receipt that reached the gateway. */
const requestsOf = async (receipt: string): Promise<number> => {
  const path = '/journal?collaborator=sandbox-gateway&operation=create-order';
  const { body } = await open.sandbox.control('GET', path);
  const entries = body['entries'] as { body: { receipt?: string } }[]; // the control's own view
  return entries.filter((entry) => entry.body.receipt === receipt).length;
};

const setEnabled = (enabled: boolean) =>
  open.database.db.gatewaySetting.upsert({
    where: { code: 'sandbox' },
    create: { code: 'sandbox', enabled, updatedAt: open.clock.now() },
    update: { enabled },
  });

describe('opening a gateway order', () => {
  it('keeps the id, and answers the same ever after', async () => {
    const { paymentOrderId } = await commit();
    expect(await stored(paymentOrderId)).toMatchObject({
      status: 'CREATED',
      method: 'upi',
      termsAcceptedVersion: '2026-01',
    });
    const first = await open.payments.createGatewayOrder(paymentOrderId);
    expect(first.status).toBe('GATEWAY_ORDER_CREATED');
    expect(await open.payments.createGatewayOrder(paymentOrderId)).toEqual(first);
    expect(await ordersAtGateway(paymentOrderId)).toBe(1);
  });

  it.each([
    ['error', {}],
    ['reset', {}],
    ['timeout', {}],
    ['malformed', {}],
    ['accept_then_timeout', {}],
  ])('asks by receipt when the answer is lost: %s', async (kind, options) => {
    const { paymentOrderId, orderId } = await commit();
    await fault(kind, options);
    const opened = await open.payments.createGatewayOrder(paymentOrderId);
    expect(opened.status).toBe('GATEWAY_ORDER_CREATED');
    expect(await ordersAtGateway(paymentOrderId)).toBe(1);
    expect((await open.orders.state(orderId)).status).toBe('PENDING');
  });

  it('stays open to be tried again while the gateway gives no answer', async () => {
    const { paymentOrderId, orderId } = await commit();
    await fault('reset', { operation: '*', times: 20 });
    await expect(open.payments.createGatewayOrder(paymentOrderId)).rejects.toMatchObject({
      code: 'NO_USABLE_GATEWAY',
      status: 503,
    });
    expect((await stored(paymentOrderId)).status).toBe('CREATED');
    expect((await open.orders.state(orderId)).status).toBe('PENDING');
    await open.sandbox.control('DELETE', '/faults');
    const opened = await open.payments.createGatewayOrder(paymentOrderId);
    expect(opened.status).toBe('GATEWAY_ORDER_CREATED');
    expect(await ordersAtGateway(paymentOrderId)).toBe(1);
  });

  it('keeps one gateway order when two resume at once', async () => {
    const { paymentOrderId } = await commit();
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => open.payments.createGatewayOrder(paymentOrderId)),
    );
    expect(new Set(opened.map(({ gatewayOrderId }) => gatewayOrderId)).size).toBe(1);
    expect(await ordersAtGateway(paymentOrderId)).toBe(1);
  });

  it('asks the gateway once when several think that they are the first', async () => {
    const { paymentOrderId } = await commit();
    // The gateway takes its time with the first request: the others find no order of the receipt.
    await fault('slow', { delayMs: 700 });
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => open.payments.createGatewayOrder(paymentOrderId)),
    );
    expect(new Set(opened.map(({ gatewayOrderId }) => gatewayOrderId)).size).toBe(1);
    expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 'GATEWAY_ORDER_CREATED'));
    expect(await requestsOf(paymentOrderId)).toBe(1);
    expect(await ordersAtGateway(paymentOrderId)).toBe(1);
  });

  it('is refused while another request is at it for longer than one waits', async () => {
    const { paymentOrderId } = await commit();
    await open.database.db.paymentOrder.update({
      where: { id: paymentOrderId },
      data: { holderId: paymentOrderId, leaseUntil: new Date(Date.now() + 60_000) },
    });
    await expect(open.payments.createGatewayOrder(paymentOrderId)).rejects.toMatchObject({
      code: 'REQUEST_IN_PROGRESS',
    });
    expect(await requestsOf(paymentOrderId)).toBe(0);
  });

  it('aborts when the gateway echoes another amount, and remembers its order', async () => {
    const { paymentOrderId, orderId } = await commit();
    await fault('wrong_amount');
    await expect(open.payments.createGatewayOrder(paymentOrderId)).rejects.toMatchObject({
      code: 'GATEWAY_MISMATCH',
    });
    const failed = await stored(paymentOrderId);
    expect(failed.status).toBe('FAILED');
    expect(failed.gatewayOrderId).not.toBeNull();
    expect((await open.orders.state(orderId)).status).toBe('FAILED');
    expect((await open.payments.createGatewayOrder(paymentOrderId)).status).toBe('FAILED');
  });

  it('stays open to be tried again when the gateway refuses it', async () => {
    const { paymentOrderId, orderId } = await commit();
    await fault('error', { status: 400 });
    await expect(open.payments.createGatewayOrder(paymentOrderId)).rejects.toMatchObject({
      code: 'NO_USABLE_GATEWAY',
    });
    expect((await stored(paymentOrderId)).status).toBe('CREATED');
    expect(await open.orders.state(orderId)).toMatchObject({ status: 'PENDING', moves: [] });
    const opened = await open.payments.createGatewayOrder(paymentOrderId);
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

  it('does not open a checkout that is over', async () => {
    const { paymentOrderId, lockEndsAt } = await commit();
    open.clock.set(lockEndsAt);
    await expect(open.payments.createGatewayOrder(paymentOrderId)).rejects.toMatchObject({
      code: 'QUOTE_EXPIRED',
    });
    expect(await ordersAtGateway(paymentOrderId)).toBe(0);
  });

  it('has one open payment order for an order', async () => {
    const { orderId, userId } = await commit();
    const second = open.payments.insertPaymentOrder(open.database.db, {
      userId,
      orderId,
      gateway: 'sandbox',
      amountPaise: paise(100_000n),
    });
    await expect(second).rejects.toSatisfy((error) => isUniqueViolation(error));
  });
});

describe('the choice of a gateway, as operators set it', () => {
  it('takes a gateway without a row of its own', async () => {
    expect(await open.payments.chooseGateway({ method: 'upi' })).toBe('sandbox');
  });

  it('is 503 while the only gateway is disabled, preferred and routed to or not', async () => {
    await setEnabled(false);
    await open.database.db.gatewayRouting.update({
      where: { id: 1 },
      data: { defaultCode: 'sandbox', priority: ['sandbox'], routes: { upi: 'sandbox' } },
    });
    const wish = { preferred: 'sandbox', method: 'upi' } as const;
    await expect(open.payments.chooseGateway(wish)).rejects.toMatchObject({
      code: 'NO_USABLE_GATEWAY',
      status: 503,
    });
    await setEnabled(true);
    expect(await open.payments.chooseGateway(wish)).toBe('sandbox');
  });
});
