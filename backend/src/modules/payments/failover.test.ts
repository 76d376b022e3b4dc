import { afterEach, beforeEach, describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { OpenCaller } from '#test/support/caller.ts';
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

const buy = (call: OpenCaller, key = newKey(), amount = '1000') =>
  call('POST', '/gold/buy', { unit: 'INR', amount, idempotency_key: key });

const attemptsOf = async (open: OpenGold, paymentOrderId: string) => {
  const rows = await open.database.db.gatewayAttempt.findMany({
    where: { paymentOrderId },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ gateway, status }) => `${gateway} ${status}`);
};

const orderOf = async (call: OpenCaller, id: string) =>
  (await call('GET', `/gold/orders/${id}`)).body;

/** Buys while `first` makes an order whose answer is lost. Returns both gateways' orders. */
const buyPastLostOrder = async (open: OpenGold) => {
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

/** Plays the payment of a gateway's order without a webhook. Returns its id. */
const payUnheard = async (open: OpenGold, gatewayOrderId: string): Promise<string> => {
  const play = { outcome: 'captured', deliver: 'none' };
  const { body } = await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, play);
  return String(body['gateway_payment_id']);
};

const tell = (open: OpenGold, gateway: string, gatewayOrderId: string, paymentId: string) =>
  deliver(open, {
    ...signedEvent('payment.captured', gatewayOrderId, paymentId),
    path: `/webhooks/payment/${gateway}`,
  });

const sweep = (open: OpenGold, ...names: string[]) => runSweeps(open.payments.sweeps, ...names);

describe('a gateway that does not create the order', () => {
  it.for(['refused', 'unreachable', 'silent', 'lost'] as const)(
    '%s: the next one does, in the same request',
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

  it('is asked once, and by its receipt after an unknown outcome', async ({ open }) => {
    const { call } = await open.newCustomer();
    gateways.faults.set('first', 'silent').set('second', 'refused');
    expect((await buy(call)).body.payment.gateway).toBe('third');
    expect(gateways.asked).toEqual(['first', 'second', 'third']);
  });

  it('leaves the order to be resumed when none is left, and the repeat chooses again', async ({
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

  it('is not asked again for an order that it has made already', async ({ open }) => {
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

  it('writes nothing while no gateway may be used at all', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    for (const code of ['first', 'second', 'third']) gateways.openCircuits.add(code);
    expect((await buy(call)).body.error.code).toBe('NO_USABLE_GATEWAY');
    expect(await open.database.db.goldOrder.count({ where: { userId } })).toBe(0);
    expect(gateways.asked).toEqual([]);
  });
});

describe('the bare webhook path', () => {
  it("leads to the operators' default, and to another one once they name it", async ({ open }) => {
    const name = (defaultCode: string) =>
      open.database.db.gatewayRouting.update({ where: { id: 1 }, data: { defaultCode } });
    const { call } = await open.newCustomer();
    gateways.faults.set('first', 'refused').set('second', 'refused');
    const { body } = await buy(call);
    expect(body.payment.gateway).toBe('third');
    const gatewayOrderId = String(body.payment.gateway_order_id);
    const paymentId = await payUnheard(open, gatewayOrderId);
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

describe('verify and webhook of one payment, whoever is first', () => {
  it.for([
    ['verify', 'webhook'],
    ['webhook', 'verify'],
  ] as const)('%s before %s: one payment, one allocation', async (turns, { open }) => {
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
      webhook: () => tell(open, 'first', gatewayOrderId, String(paymentId)),
    };
    const held = await lockRows(
      open.databaseUrl,
      'SELECT id FROM gold_order WHERE id = $1 FOR UPDATE',
      [body.order.id],
    );
    const answers: Promise<{ status: number }>[] = [];
    for (const turn of turns) {
      answers.push(send[turn]());
      // The one before has decided nothing yet: both stand before the order's lock.
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

describe('an order that a gateway made and nobody was sent to', () => {
  it('pays for its purchase, when its capture is signed before anybody knew of it', async ({
    open,
  }) => {
    const { call, orderId, paymentOrderId, lostOrderId } = await buyPastLostOrder(open);
    const paymentId = await payUnheard(open, lostOrderId);
    expect(await tell(open, 'first', lostOrderId, paymentId)).toMatchObject({ status: 200 });
    expect((await orderOf(call, orderId)).status).toBe('PENDING');
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    expect(await attemptsOf(open, paymentOrderId)).toEqual(['first DONE', 'second DONE']);
    await sweep(open, 'payments-apply-matchable-events');
    expect((await orderOf(call, orderId)).status).toBe('PAID');
    const waiting = { subject: lostOrderId, status: { not: 'APPLIED' } };
    expect(await open.database.db.webhookEvent.count({ where: waiting })).toBe(0);
  });

  it('pays for its purchase, when no webhook tells of it', async ({ open }) => {
    const { call, orderId, lostOrderId } = await buyPastLostOrder(open);
    await payUnheard(open, lostOrderId);
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    expect((await orderOf(call, orderId)).status).toBe('PAID');
  });

  it('is a second capture once the purchase is paid elsewhere', async ({ open }) => {
    const { call, orderId, lostOrderId, ownOrderId } = await buyPastLostOrder(open);
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    await tell(open, 'second', ownOrderId, await payUnheard(open, ownOrderId));
    expect((await orderOf(call, orderId)).status).toBe('PAID');
    await tell(open, 'first', lostOrderId, await payUnheard(open, lostOrderId));
    expect(await orderOf(call, orderId)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
  });

  it('is a late capture after the price lock, and is found although nobody tells of it', async ({
    open,
  }) => {
    const { call, orderId, lostOrderId } = await buyPastLostOrder(open);
    await open.advance(61);
    await sweep(open, 'payments-resolve-gateway-attempts');
    await open.advance(420);
    await payUnheard(open, lostOrderId);
    await sweep(open, 'payments-poll-due-payments');
    expect(await orderOf(call, orderId)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'LATE_CAPTURE',
    });
  });

  it('is given up as never made when its gateway does not have it for ten minutes', async ({
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

  it('becomes the purchase’s own where no gateway has shown a checkout yet', async ({ open }) => {
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
