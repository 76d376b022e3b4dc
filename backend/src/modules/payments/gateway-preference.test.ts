import { afterEach, describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { UntypedCaller } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createSeveralGateways } from '#test/support/several-gateways.ts';

const gateways = createSeveralGateways(['first', 'second', 'third']);
const it = goldTest({ wrap: { gateways: gateways.wrapGateways } });

it.beforeAll(async ({ open }) => {
  await open.database.db.gatewayRouting.update({
    where: { id: 1 },
    data: { defaultCode: 'third', priority: ['first'], routes: { upi: 'first' } },
  });
});

afterEach(() => {
  gateways.faults.clear();
  gateways.openCircuits.clear();
});

let keys = 0;
const newKey = (): string => `preference-${String((keys += 1)).padStart(4, '0')}`;

const buy = (call: UntypedCaller, gateway: unknown, key = newKey()) =>
  call('POST', '/gold/buy', { unit: 'INR', amount: '1000', idempotency_key: key, gateway });

const payForQuote = async (call: UntypedCaller, gateway: unknown) => {
  const quote = await call('POST', '/gold/quote', { unit: 'INR', amount: '1000' });
  return call('POST', '/payments/orders', {
    quote_id: quote.body.id,
    idempotency_key: newKey(),
    method: 'upi',
    gateway,
  });
};

const setEnabled = (open: OpenGold, code: string, enabled: boolean) => {
  const row = { enabled, mode: 'test', updatedAt: open.clock.now() };
  return open.database.db.gatewaySetting.upsert({
    where: { code },
    create: { code, ...row },
    update: row,
  });
};

describe("the customer's gateway", () => {
  it('precedes the route of the instrument and the priority list', async ({ open }) => {
    const { call } = await open.newCustomer();
    const bought = await buy(call, 'second');
    expect(bought).toMatchObject({ status: 201, body: { payment: { gateway: 'second' } } });
    const paid = await payForQuote(call, 'second');
    expect(paid).toMatchObject({ status: 201, body: { gateway: 'second' } });
    expect((await payForQuote(call, undefined)).body.gateway).toBe('first');
  });

  it('is skipped if it is unknown, disabled or unreachable', async ({ open }) => {
    const { call } = await open.newCustomer();
    expect((await buy(call, 'unheard-of')).body.payment.gateway).toBe('first');
    expect((await buy(call, '')).body.payment.gateway).toBe('first');
    await setEnabled(open, 'second', false);
    expect((await buy(call, 'second')).body.payment.gateway).toBe('first');
    await setEnabled(open, 'second', true);
    gateways.openCircuits.add('second');
    expect((await buy(call, 'second')).body.payment.gateway).toBe('first');
  });

  it('is part of the request that an idempotency key identifies', async ({ open }) => {
    const { call } = await open.newCustomer();
    const key = newKey();
    expect((await buy(call, 'second', key)).status).toBe(201);
    expect((await buy(call, 'second', key)).status).toBe(200);
    expect(await buy(call, 'third', key)).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('is used by a repeat if no gateway has created the order', async ({ open }) => {
    const { call } = await open.newCustomer();
    const key = newKey();
    for (const code of ['first', 'second', 'third']) gateways.faults.set(code, 'refused');
    expect(await buy(call, 'second', key)).toMatchObject({ code: 'NO_USABLE_GATEWAY' });
    gateways.faults.clear();
    expect((await buy(call, 'second', key)).body.payment.gateway).toBe('second');
  });

  it('can have at most 64 characters', async ({ open }) => {
    const { call } = await open.newCustomer();
    expect(await buy(call, 'x'.repeat(65))).toMatchObject({ status: 400, field: 'gateway' });
  });
});
