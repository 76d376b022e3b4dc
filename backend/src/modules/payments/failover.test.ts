import { afterEach, beforeEach, describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { UntypedCaller } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { deliver, signedEvent } from '#test/support/checkouts.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { createSeveralGateways } from '#test/support/several-gateways.ts';
import { listCreatedOrders } from './gateway-attempts.store.ts';
import { ownRows } from '#test/support/own-rows.ts';

const gateways = createSeveralGateways(['first', 'second', 'third']);

const it = goldTest({ wrap: { gateways: gateways.wrapGateways } });

it.beforeAll(async ({ open }) => {
  await open.database.db.gatewayRouting.update({
    where: { id: 1 },
    data: { defaultCode: 'third', priority: ['first', 'second'] },
  });
});

beforeEach(() => {
  gateways.asked.length = 0;
});

afterEach(() => {
  gateways.faults.clear();
  gateways.openCircuits.clear();
});

let keys = 0;
const newKey = (): string => {
  keys += 1;
  return `failover-${String(keys).padStart(4, '0')}`;
};

const buy = (call: UntypedCaller, key = newKey(), amount = '1000') =>
  call('POST', '/gold/buy', { unit: 'INR', amount, idempotency_key: key });

const attemptsOf = async (open: OpenGold, paymentOrderId: string) => {
  const rows = await open.database.db.gatewayAttempt.findMany({
    where: { paymentOrderId },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ gateway, status }) => `${gateway} ${status}`);
};

const orderOf = async (call: UntypedCaller, id: string) =>
  (await call('GET', `/gold/orders/${id}`)).body;

/** Buys while `first` creates an order whose response is lost. Returns both gateways' orders. */
const buyAfterLostOrder = async (open: OpenGold) => {
  const { call } = await open.newCustomer();
  gateways.faults.set('first', 'lost');
  const { body } = await buy(call);
  expect(body.payment).toMatchObject({ gateway: 'second', status: 'GATEWAY_ORDER_CREATED' });
  gateways.faults.clear();
  const receipt = `first:${body.payment.id}`;
  const { body: found } = await open.sandbox.gateway('GET', `/v1/orders?receipt=${receipt}`);
  const [lost] = ownRows(found);
  return {
    call,
    orderId: String(body.order.id),
    paymentOrderId: String(body.payment.id),
    lostOrderId: lost?.id ?? '',
    ownOrderId: String(body.payment.gateway_order_id),
  };
};

/** Pays a gateway's order without a webhook. Returns the payment's id. */
const payWithoutWebhook = async (open: OpenGold, gatewayOrderId: string): Promise<string> => {
  const play = { outcome: 'captured', deliver: 'none' };
  const { body } = await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, play);
  return String(body['gateway_payment_id']);
};

const sendWebhook = (open: OpenGold, gateway: string, gatewayOrderId: string, paymentId: string) =>
  deliver(open, {
    ...signedEvent('payment.captured', gatewayOrderId, paymentId),
    path: `/webhooks/payment/${gateway}`,
  });

const sweep = (open: OpenGold, ...names: string[]) => runSweeps(open.payments.sweeps, ...names);

describe('a gateway that does not create the order', () => {
  it.for(['refused', 'unreachable', 'silent', 'lost'] as const)(
    'is followed by the next gateway in the same request (%s)',
    async (fault, { open }) => {
      const { call } = await open.newCustomer();
      gateways.faults.set('first', fault);
      const answer = await buy(call);
      expect(answer.status).toBe(201);
      expect(answer.body.payment).toMatchObject({
        gateway: 'second',
        status: 'GATEWAY_ORDER_CREATED',
        checkout: { provider: 'second', public_key: 'key-of-second' },
      });
      const outcome = fault === 'refused' || fault === 'unreachable' ? 'REFUSED' : 'UNKNOWN';
      expect(await attemptsOf(open, answer.body.payment.id)).toEqual([
        `first ${outcome}`,
        'second DONE',
      ]);
    },
  );

  it('is called once, and queried by the receipt after an unknown outcome', async ({ open }) => {
    const { call } = await open.newCustomer();
    gateways.faults.set('first', 'silent').set('second', 'refused');
    expect((await buy(call)).body.payment.gateway).toBe('third');
    expect(gateways.asked).toEqual(['first', 'second', 'third']);
  });

  it('leaves the order to a repeat if it was the last gateway, and the repeat chooses again', async ({
    open,
  }) => {
    const { id: userId, call } = await open.newCustomer();
    const key = newKey();
    for (const code of ['first', 'second', 'third']) gateways.faults.set(code, 'refused');
    const failed = await buy(call, key);
    expect([failed.status, failed.body.error.code]).toEqual([503, 'NO_USABLE_GATEWAY']);
    const [waiting] = await open.database.db.paymentOrder.findMany({ where: { userId } });
    expect(waiting?.status).toBe('CREATED');
    gateways.faults.clear();
    gateways.openCircuits.add('first');
    const resumed = await buy(call, key);
    expect(resumed.status).toBe(201);
    expect(resumed.body.payment).toMatchObject({ id: waiting?.id, gateway: 'second' });
    expect(await open.database.db.goldOrder.count({ where: { userId } })).toBe(1);
    expect((await buy(call, key)).headers.get('idempotent-replayed')).toBe('true');
  });

  it('is not called again for an order that it has already created', async ({ open }) => {
    const { call } = await open.newCustomer();
    const key = newKey();
    gateways.faults.set('first', 'lost').set('second', 'refused').set('third', 'refused');
    expect((await buy(call, key)).status).toBe(503);
    gateways.faults.clear();
    gateways.asked.length = 0;
    const resumed = await buy(call, key);
    expect(resumed.body.payment.gateway).toBe('first');
    expect(gateways.asked).toEqual([]);
    const made = await listCreatedOrders(open.database.db, resumed.body.payment.id);
    expect(made).toEqual([
      { gateway: 'first', gatewayOrderId: resumed.body.payment.gateway_order_id },
    ]);
  });

  it('leads to no written order if no gateway may be used', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    for (const code of ['first', 'second', 'third']) gateways.openCircuits.add(code);
    expect((await buy(call)).body.error.code).toBe('NO_USABLE_GATEWAY');
    expect(await open.database.db.goldOrder.count({ where: { userId } })).toBe(0);
    expect(gateways.asked).toEqual([]);
  });
});

describe('the bare webhook path', () => {
  it("leads to the operators' default gateway, also after they change it", async ({ open }) => {
    const name = (defaultCode: string) =>
      open.database.db.gatewayRouting.update({ where: { id: 1 }, data: { defaultCode } });
    const { call } = await open.newCustomer();
    gateways.faults.set('first', 'refused').set('second', 'refused');
    const { body } = await buy(call);
    expect(body.payment.gateway).toBe('third');
    const gatewayOrderId = String(body.payment.gateway_order_id);
    const paymentId = await payWithoutWebhook(open, gatewayOrderId);
    const tellBare = (event: string) =>
      deliver(open, {
        ...signedEvent(event, gatewayOrderId, paymentId),
        path: '/webhooks/payment',
      });
    expect(await tellBare('payment.captured')).toMatchObject({ status: 200 });
    expect((await orderOf(call, body.order.id)).status).toBe('PAID');
    await name('second');
    expect(await tellBare('payment.authorized')).toMatchObject({ status: 200 });
    await name('third');
    const events = await open.database.db.webhookEvent.findMany({
      where: { subject: gatewayOrderId },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ gateway, status }) => [gateway, status])).toEqual([
      ['third', 'APPLIED'],
      ['second', 'IGNORED'],
    ]);
  });
});

describe('verify and webhook of one payment, in either order', () => {
  it.for([
    ['verify', 'webhook'],
    ['webhook', 'verify'],
  ] as const)('%s before %s apply one payment and one allocation', async (turns, { open }) => {
    const { id: userId, call } = await open.newCustomer();
    const { body } = await buy(call);
    const { id, gateway_order_id: gatewayOrderId } = body.payment;
    const play = { outcome: 'captured', deliver: 'none' };
    const paid = await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, play);
    const { gateway_payment_id: paymentId, signature } = paid.body;
    const proof = {
      gateway_order_id: gatewayOrderId,
      gateway_payment_id: paymentId,
      signature,
    };
    const send = {
      verify: () => call('POST', `/payments/orders/${id}/verify`, proof),
      webhook: () => sendWebhook(open, 'first', gatewayOrderId, String(paymentId)),
    };
    const held = await lockRows(
      open.databaseUrl,
      'SELECT id FROM gold_order WHERE id = $1 FOR UPDATE',
      [body.order.id],
    );
    const answers: Promise<{ status: number }>[] = [];
    for (const turn of turns) {
      answers.push(send[turn]());
      // The first one has decided nothing yet, because both wait for the order's lock.
      await untilBlocked(open.databaseUrl, answers.length);
    }
    await held.release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await orderOf(call, body.order.id)).status).toBe('PAID');
    const payments = await open.database.db.gatewayPayment.findMany({
      where: { paymentOrder: { userId } },
    });
    expect(payments.map(({ disposition }) => disposition)).toEqual(['APPLIED']);
    const { body: order } = await open.as('operator')('GET', `/orders/${body.order.id}`);
    const statuses = order.events.map(({ to }: { to: string }) => to);
    expect(statuses).toEqual(['PENDING', 'PAID']);
  });
});

describe('a gateway order whose checkout no customer has seen', () => {
  it('pays for its purchase if the webhook of its capture arrives before the order is known', async ({
    open,
  }) => {
    const { call, orderId, paymentOrderId, lostOrderId } = await buyAfterLostOrder(open);
    const paymentId = await payWithoutWebhook(open, lostOrderId);
    expect(await sendWebhook(open, 'first', lostOrderId, paymentId)).toMatchObject({ status: 200 });
    expect((await orderOf(call, orderId)).status).toBe('PENDING');
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    expect(await attemptsOf(open, paymentOrderId)).toEqual(['first DONE', 'second DONE']);
    await sweep(open, 'payments-apply-matchable-events');
    expect((await orderOf(call, orderId)).status).toBe('PAID');
    const waiting = { subject: lostOrderId, status: { not: 'APPLIED' } };
    expect(await open.database.db.webhookEvent.count({ where: waiting })).toBe(0);
  });

  it('pays for its purchase if no webhook reports the capture', async ({ open }) => {
    const { call, orderId, lostOrderId } = await buyAfterLostOrder(open);
    await payWithoutWebhook(open, lostOrderId);
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    expect((await orderOf(call, orderId)).status).toBe('PAID');
  });

  it('is a second capture if the purchase was paid at another gateway', async ({ open }) => {
    const { call, orderId, lostOrderId, ownOrderId } = await buyAfterLostOrder(open);
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    await sendWebhook(open, 'second', ownOrderId, await payWithoutWebhook(open, ownOrderId));
    expect((await orderOf(call, orderId)).status).toBe('PAID');
    await sendWebhook(open, 'first', lostOrderId, await payWithoutWebhook(open, lostOrderId));
    expect(await orderOf(call, orderId)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
  });

  it('is a late capture after the price lock, and is found without a webhook', async ({ open }) => {
    const { call, orderId, lostOrderId } = await buyAfterLostOrder(open);
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    await open.advance(420);
    await payWithoutWebhook(open, lostOrderId);
    await sweep(open, 'payments-poll-due-payments');
    expect(await orderOf(call, orderId)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'LATE_CAPTURE',
    });
  });

  it('is recorded as refused after its gateway has not had it for ten minutes', async ({
    open,
  }) => {
    const { call } = await open.newCustomer();
    gateways.faults.set('first', 'silent');
    const { body } = await buy(call);
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    expect(await attemptsOf(open, body.payment.id)).toEqual(['first UNKNOWN', 'second DONE']);
    gateways.faults.clear();
    await open.advance(60);
    await sweep(open, 'payments-resolve-gateway-attempts');
    expect(await attemptsOf(open, body.payment.id)).toEqual(['first UNKNOWN', 'second DONE']);
    await open.advance(600);
    await sweep(open, 'payments-resolve-gateway-attempts');
    expect(await attemptsOf(open, body.payment.id)).toEqual(['first REFUSED', 'second DONE']);
  });

  it('becomes the order of the purchase if no other gateway has created one', async ({ open }) => {
    const { call } = await open.newCustomer();
    gateways.faults.set('first', 'lost').set('second', 'refused').set('third', 'refused');
    const key = newKey();
    expect((await buy(call, key)).status).toBe(503);
    gateways.faults.clear();
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    const resumed = await buy(call, key);
    expect(resumed.body.payment).toMatchObject({ gateway: 'first' });
    expect(resumed.body.payment.checkout.provider).toBe('first');
  });
});
