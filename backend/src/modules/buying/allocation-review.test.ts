import { describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { withJobRunner } from '#test/support/job-queue.ts';
import { openAllocationScenario } from '#test/support/allocation-scenario.ts';

const scenario = openAllocationScenario();
const {
  orderOf,
  statusOf,
  allocate,
  historyOf,
  confirmsOf,
  runSweep,
  operationsOf,
  exhaust,
  expectOnePurchase,
  death,
} = scenario;

describe('an allocation that does not succeed', () => {
  it('goes to review after the last retry', async () => {
    await exhaust();
    expect(await orderOf(scenario.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'ALLOCATION_EXHAUSTED',
      manual_review_reason: expect.stringContaining('6 allocation attempts'),
    });
    const told = await scenario.open.database.db.notification.findMany({
      where: { userId: scenario.bought.userId },
    });
    expect(told.map(({ type }) => type)).toEqual(['buy_under_review']);
    const { body } = await scenario.bought.call('GET', '/portfolio');
    expect(body.balance).toBe('0.0000');
  });

  it('goes to review at the end of the price lock, before a later retry', async () => {
    await scenario.open.advance(200);
    await scenario.open.fault('buy-confirm', 'error', { times: 200 });
    await allocate();
    for (const seconds of [5, 15, 45, 90]) {
      await scenario.open.advance(seconds);
      await allocate();
    }
    const order = await scenario.open.database.db.goldOrder.findUniqueOrThrow({
      where: { id: scenario.bought.orderId },
    });
    expect(order.status).toBe('RETRY_PENDING');
    expect(order.nextAttemptAt).toEqual(order.lockEndsAt);
    await scenario.open.advance(125);
    const confirms = await confirmsOf(scenario.bought);
    await allocate();
    expect(await orderOf(scenario.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    expect(await confirmsOf(scenario.bought)).toBe(confirms);
  });

  it('sends no confirm after the end of the price lock', async () => {
    await scenario.open.advance(480);
    await allocate();
    expect(await orderOf(scenario.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    expect(await confirmsOf(scenario.bought)).toBe(0);
    expect(await operationsOf(scenario.bought)).toEqual([]);
  });

  it('is allocated at the end of the lock if the provider sold the gold', async () => {
    const { providerUserId, txId } = scenario.bought;
    const path = `/v1/users/${providerUserId}/buy-gold-confirm`;
    await scenario.open.sandbox.safegold('POST', path, { tx_id: txId });
    expect(await operationsOf(scenario.bought)).toEqual([]);
    await scenario.open.advance(480);
    await allocate();
    await expectOnePurchase(scenario.bought);
  });

  it('is allocated from review if a confirm turns out to have succeeded', async () => {
    await scenario.open.fault('buy-confirm', 'accept_then_timeout');
    await scenario.open.fault('buy-status', 'timeout', { times: 200 });
    await allocate();
    await scenario.open.advance(480);
    await allocate();
    expect(await orderOf(scenario.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    // The provider answers again. Its status counts at any later time.
    await scenario.open.sandbox.control('DELETE', '/faults');
    await scenario.open.advance(3600);
    await eventually(async () => {
      await scenario.open.advance(31);
      await runSweep('buying-poll-undecided-allocations');
      expect(await statusOf(scenario.bought)).toBe('ALLOCATED');
    });
    await expectOnePurchase(scenario.bought);
    expect(await historyOf(scenario.bought)).toEqual([
      'PENDING',
      'PAID',
      'RETRY_PENDING',
      'MANUAL_REVIEW',
      'ALLOCATED',
    ]);
  });

  it('stays undecided for 10 min and 60 s, and is then decided', async () => {
    await scenario.open.fault('buy-confirm', 'timeout', { times: 200 });
    await allocate();
    await scenario.open.advance(480);
    await allocate();
    expect(await statusOf(scenario.bought)).toBe('MANUAL_REVIEW');
    const state = async () => (await operationsOf(scenario.bought)).map(({ status }) => status);
    await scenario.open.advance(179);
    await eventually(async () => {
      await runSweep('buying-poll-undecided-allocations');
      const [operation] = await operationsOf(scenario.bought);
      return operation?.lastAskedAt?.getTime() === scenario.open.clock.now().getTime();
    });
    expect(await state()).toEqual(['UNKNOWN']);
    await scenario.open.advance(60);
    await eventually(async () => {
      await scenario.open.advance(31);
      await runSweep('buying-poll-undecided-allocations');
      expect(await state()).toEqual(['REFUSED']);
    });
    expect(await statusOf(scenario.bought)).toBe('MANUAL_REVIEW');
  });
});

describe('a payment in doubt before its gold was bought', () => {
  it('keeps the waiting job from buying the gold', async () => {
    const path = `/payments/${scenario.bought.gatewayOrderId}`;
    await scenario.open.sandbox.control('POST', path, { outcome: 'captured' });
    await eventually(async () => (await statusOf(scenario.bought)) === 'MANUAL_REVIEW');
    await allocate();
    expect(await orderOf(scenario.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
    expect(await confirmsOf(scenario.bought)).toBe(0);
    expect(await operationsOf(scenario.bought)).toEqual([]);
  });
});

describe('a payment in doubt while the gold is being bought', () => {
  it('keeps the review open, with the gold in the holding', async () => {
    death.at = 'after the confirm';
    await expect(allocate()).rejects.toThrow('killed');
    death.at = undefined;
    const path = `/payments/${scenario.bought.gatewayOrderId}`;
    await scenario.open.sandbox.control('POST', path, { outcome: 'captured' });
    await eventually(async () => (await statusOf(scenario.bought)) === 'MANUAL_REVIEW');
    await scenario.open.lapseLeases();
    await allocate();
    await runSweep('buying-poll-undecided-allocations');
    expect(await orderOf(scenario.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
    expect(await historyOf(scenario.bought)).toEqual([
      'PENDING',
      'PAID',
      'MANUAL_REVIEW',
      'ALLOCATED',
      'MANUAL_REVIEW',
    ]);
    expect((await scenario.bought.call('GET', '/portfolio')).body.balance).toBe(
      scenario.bought.grams,
    );
  });
});

describe('a retry whose job was lost', () => {
  it('is resumed by the sweep', async () => {
    await scenario.open.fault('buy-confirm', 'error');
    await allocate();
    expect(await statusOf(scenario.bought)).toBe('RETRY_PENDING');
    const { db } = scenario.open.database;
    const key = `gold.allocate:${scenario.bought.orderId}`;
    expect(await db.scheduledJob.count({ where: { key } })).toBe(1);
    await db.scheduledJob.deleteMany({ where: { key } });
    await scenario.open.advance(66);
    await runSweep('buying-resume-allocation-retries');
    await withJobRunner(scenario.open.databaseUrl, scenario.open.gold.jobs, async () => {
      await eventually(async () => (await statusOf(scenario.bought)) === 'ALLOCATED');
    });
    await expectOnePurchase(scenario.bought);
  });
});
