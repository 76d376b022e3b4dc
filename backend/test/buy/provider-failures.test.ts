import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { FaultOptions } from '#test/support/sandbox-controls.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey } from '#test/support/test-customer.ts';

/** Two of these tests delay the provider for longer than the worker waits. */
const worker = { SAFEGOLD_TIMEOUT_MS: '5000' };
const tooLong = { delayMs: 7000 };

const it = runningTest({ worker });

const fault = (
  system: RunningSystem,
  operation: string,
  kind: string,
  options: FaultOptions = {},
) => system.sandbox.fault('safegold', operation, kind, options);

const buyAndPay = async (system: RunningSystem) => {
  const buyer = await system.newCustomer();
  const buy = await buyer.buy('1000');
  await system.sandbox.pay(buy.gatewayOrderId);
  return { buyer, buy };
};

const confirmsOf = async (system: RunningSystem, txId: string): Promise<number> =>
  (await system.sandbox.journal('buy-confirm', txId)).length;
const statusesOf = async (system: RunningSystem, txId: string): Promise<number> =>
  (await system.sandbox.journal('buy-status', `/${txId}/`)).length;

const failedTry = 'PAID>RETRY_PENDING';
const retried = ['>PENDING', 'PENDING>PAID', failedTry, 'RETRY_PENDING>PAID', 'PAID>ALLOCATED'];

describe('a confirm that did not happen', () => {
  it.for([
    ['an error', 'error', {}],
    ['an error that says 503', 'error', { status: 503 }],
    ['a refusal', 'error', { status: 400 }],
    ['a blank 200', 'error', { status: 200 }],
    ['no answer', 'timeout', {}],
    ['a cut connection', 'reset', {}],
  ] as const)(
    '%s: retried after 5 s, allocated once',
    async ([_name, kind, options], { system }) => {
      await fault(system, 'buy-confirm', kind, options);
      const { buyer, buy } = await buyAndPay(system);
      await system.untilTransition(buy.orderId, failedTry);
      await system.advance(6);
      await buyer.becomes(buy.orderId, 'ALLOCATED');
      expect(await system.transitions(buy.orderId)).toEqual(retried);
      expect(await confirmsOf(system, buy.txId)).toBe(2);
      expect(await system.purchases(buy.txId)).toBe(1);
    },
  );
});

describe('a confirm that happened unseen', () => {
  it.for([
    ['accepted, then no answer', 'accept_then_timeout', {}],
    ['an answer that cannot be read', 'malformed', {}],
  ] as const)(
    '%s: order-status tells, and nothing is confirmed again',
    async ([_name, kind, options], { system }) => {
      await fault(system, 'buy-confirm', kind, options);
      const { buyer, buy } = await buyAndPay(system);
      await buyer.becomes(buy.orderId, 'ALLOCATED');
      expect(await confirmsOf(system, buy.txId)).toBe(1);
      expect(await system.purchases(buy.txId)).toBe(1);
    },
  );

  it('slow, and done after we gave up: found before any other try', async ({ system }) => {
    await fault(system, 'buy-confirm', 'slow', tooLong);
    const { buyer, buy } = await buyAndPay(system);
    await system.untilTransition(buy.orderId, failedTry);
    await eventually(async () => expect(await system.purchases(buy.txId)).toBe(1));
    await system.advance(6);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await confirmsOf(system, buy.txId)).toBe(1);
  });

  it('slow, but in time: nothing is retried', async ({ system }) => {
    await fault(system, 'buy-confirm', 'slow', { delayMs: 700 });
    const { buyer, buy } = await buyAndPay(system);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await confirmsOf(system, buy.txId)).toBe(1);
  });

  it('confirmed, but order-status fails: asked again, never confirmed again', async ({
    system,
  }) => {
    await fault(system, 'buy-status', 'error', { times: 3 });
    const { buyer, buy } = await buyAndPay(system);
    await system.untilTransition(buy.orderId, failedTry);
    await system.advance(6);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await confirmsOf(system, buy.txId)).toBe(1);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('accepted then timed out, with order-status silent too', async ({ system }) => {
    await fault(system, 'buy-confirm', 'accept_then_timeout');
    // As often as a read is repeated.
    await fault(system, 'buy-status', 'timeout', { times: 3 });
    const { buyer, buy } = await buyAndPay(system);
    await system.untilTransition(buy.orderId, failedTry);
    await system.advance(6);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await confirmsOf(system, buy.txId)).toBe(1);
  });

  it('under way at the provider: waited for', async ({ system }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    await system.sandbox.setTransaction(buy.txId, 3);
    await system.sandbox.pay(buy.gatewayOrderId);
    await system.untilTransition(buy.orderId, failedTry);
    await system.sandbox.setTransaction(buy.txId, 1);
    await system.advance(6);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await confirmsOf(system, buy.txId)).toBe(1);
  });
});

describe('a provider that never sells', () => {
  it('status 2: under review, without gold', async ({ system }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    await system.sandbox.setTransaction(buy.txId, 2);
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'ALLOCATION_EXHAUSTED' });
    expect(await system.purchases(buy.txId)).toBe(0);
    expect((await buyer.portfolio()).investedPaise).toBe(0);
  });

  it('ALLOCATION_EXHAUSTED when all retries were used', async ({ system }) => {
    await fault(system, 'buy-confirm', 'error', { times: 100 });
    const { buyer, buy } = await buyAndPay(system);
    for (const [before, seconds] of [5, 15, 45, 90, 180].entries()) {
      await system.untilTransition(buy.orderId, failedTry, before + 1);
      await system.advance(seconds + 1);
    }
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'ALLOCATION_EXHAUSTED' });
    expect(await confirmsOf(system, buy.txId)).toBe(6);
    expect(await system.purchases(buy.txId)).toBe(0);
    // Past the provider's own deadline: nothing is left in doubt for the tests to come.
    await system.advance(400);
  });

  it('PROVIDER_LOCK_EXPIRED when the lock ends first; then nothing is confirmed any more', async ({
    system,
  }) => {
    await fault(system, 'buy-confirm', 'timeout', { times: 100 });
    const { buyer, buy } = await buyAndPay(system);
    await system.untilTransition(buy.orderId, failedTry);
    await system.advance(480);
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'PROVIDER_LOCK_EXPIRED' });
    const before = await confirmsOf(system, buy.txId);
    // One of each try while the lock stood: a slow machine retries before the time is moved.
    const transitions = await system.transitions(buy.orderId);
    const tries = transitions.filter((each) => each === failedTry);
    expect(before).toBe(tries.length);
    await system.sandbox.clearFaults();
    await system.advance(200);
    await eventually(async () => {
      const [row] = await system.query<{ status: string }>(
        'SELECT status FROM provider_operation WHERE order_id = $1::uuid',
        buy.orderId,
      );
      expect(row?.status).toBe('REFUSED');
    });
    expect((await buyer.order(buy.orderId)).status).toBe('MANUAL_REVIEW');
    expect(await confirmsOf(system, buy.txId)).toBe(before);
  });

  it('under review, an undecided confirm that turns out bought allocates the gold', async ({
    system,
  }) => {
    await fault(system, 'buy-confirm', 'slow', tooLong);
    await fault(system, 'buy-status', 'error', { times: 1000 });
    const { buyer, buy } = await buyAndPay(system);
    await system.untilTransition(buy.orderId, failedTry);
    await system.advance(480);
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'PROVIDER_LOCK_EXPIRED' });
    await eventually(async () => expect(await system.purchases(buy.txId)).toBe(1));
    await system.sandbox.clearFaults();
    // The sweep queries every 30 s. The first time the circuit may not be closed again yet.
    await eventually(
      async () => {
        await system.advance(31);
        expect((await buyer.order(buy.orderId)).status).toBe('ALLOCATED');
      },
      { timeoutMs: 120_000, everyMs: 1000 },
    );
    expect((await system.transitions(buy.orderId)).slice(-2)).toEqual([
      'RETRY_PENDING>MANUAL_REVIEW',
      'MANUAL_REVIEW>ALLOCATED',
    ]);
    expect(await confirmsOf(system, buy.txId)).toBe(1);
    expect((await buyer.portfolio()).investedPaise).toBe(100_000);
  });
});

describe('a provider that was down for a while', () => {
  it('every order paid meanwhile is allocated when it is back', async ({ system }) => {
    await fault(system, 'buy-confirm', 'reset', { times: 100 });
    const paid = await Promise.all([buyAndPay(system), buyAndPay(system), buyAndPay(system)]);
    for (const { buy } of paid) await system.untilTransition(buy.orderId, failedTry);
    await system.sandbox.clearFaults();
    await system.advance(6);
    for (const { buyer, buy } of paid) {
      await buyer.becomes(buy.orderId, 'ALLOCATED');
      expect(await system.purchases(buy.txId)).toBe(1);
      expect(await statusesOf(system, buy.txId)).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('a verify that promises nothing', () => {
  it.for([
    ['wrong grams', 'wrong_amount', {}, 'PROVIDER_MISMATCH'],
    ['an error', 'error', {}, 'PROVIDER_UNAVAILABLE'],
    ['a refusal', 'error', { status: 400 }, 'PROVIDER_REFUSED'],
    ['no answer', 'timeout', {}, 'PROVIDER_UNAVAILABLE'],
    ['a cut connection', 'reset', {}, 'PROVIDER_UNAVAILABLE'],
    ['accepted, then no answer', 'accept_then_timeout', {}, 'PROVIDER_UNAVAILABLE'],
    ['an answer that cannot be read', 'malformed', {}, 'PROVIDER_UNAVAILABLE'],
  ] as const)(
    '%s: 502 for a quote and a buy, nothing written',
    async ([_name, kind, options, code], { system }) => {
      const buyer = await system.newCustomer();
      const key = newKey();
      const before = await system.fingerprint();
      await fault(system, 'buy-verify', kind, { ...options, times: 2 });
      const quote = await buyer.call('POST', '/gold/quote', { unit: 'INR', amount: '1000' });
      expect(quote).toMatchObject({ status: 502, code });
      expect(await buyer.requestBuy('1000', key)).toMatchObject({ status: 502, code });
      expect(await system.fingerprint()).toEqual(before);
      // A request refused before it wrote anything leaves its key free.
      expect((await buyer.requestBuy('2000', key)).status).toBe(201);
    },
  );
});
