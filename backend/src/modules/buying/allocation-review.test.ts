import { describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { withJobRunner } from '#test/support/job-queue.ts';
import { tellAllocation } from '#test/support/tell-allocation.ts';

const story = tellAllocation();
const {
  orderOf,
  statusOf,
  allocate,
  historyOf,
  confirmsOf,
  janitor,
  operationsOf,
  exhaust,
  expectOnePurchase,
  death,
} = story;

describe('an allocation that does not succeed', () => {
  it('ends with a person after all retries', async () => {
    await exhaust();
    expect(await orderOf(story.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'ALLOCATION_EXHAUSTED',
      manual_review_reason: expect.stringContaining('6 tries'),
    });
    const told = await story.open.database.db.notification.findMany({
      where: { userId: story.bought.userId },
    });
    expect(told.map(({ type }) => type)).toEqual(['buy_under_review']);
    const { body } = await story.bought.call('GET', '/portfolio');
    expect(body.balance).toBe('0.0000');
  });

  it('ends with a person at the end of the lock, a later retry not waited for', async () => {
    await story.open.advance(200);
    await story.open.fault('buy-confirm', 'error', { times: 200 });
    await allocate();
    for (const seconds of [5, 15, 45, 90]) {
      await story.open.advance(seconds);
      await allocate();
    }
    const order = await story.open.database.db.goldOrder.findUniqueOrThrow({
      where: { id: story.bought.orderId },
    });
    expect(order.status).toBe('RETRY_PENDING');
    expect(order.nextAttemptAt).toEqual(order.lockEndsAt);
    await story.open.advance(125);
    const confirms = await confirmsOf(story.bought);
    await allocate();
    expect(await orderOf(story.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    expect(await confirmsOf(story.bought)).toBe(confirms);
  });

  it('starts no confirm after the end of the lock', async () => {
    await story.open.advance(480);
    await allocate();
    expect(await orderOf(story.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    expect(await confirmsOf(story.bought)).toBe(0);
    expect(await operationsOf(story.bought)).toEqual([]);
  });

  it('is allocated at the end of the lock when the provider sold it, known or not', async () => {
    const { providerUserId, txId } = story.bought;
    const path = `/v1/users/${providerUserId}/buy-gold-confirm`;
    await story.open.sandbox.safegold('POST', path, { tx_id: txId });
    expect(await operationsOf(story.bought)).toEqual([]);
    await story.open.advance(480);
    await allocate();
    await expectOnePurchase(story.bought);
  });

  it('is allocated from review when a confirm turns out to have gone through', async () => {
    await story.open.fault('buy-confirm', 'accept_then_timeout');
    await story.open.fault('buy-status', 'timeout', { times: 200 });
    await allocate();
    await story.open.advance(480);
    await allocate();
    expect(await orderOf(story.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    // The provider is back: as long after as may be, its word counts.
    await story.open.sandbox.control('DELETE', '/faults');
    await story.open.advance(3600);
    await eventually(async () => {
      await story.open.advance(31);
      await janitor('gold-ask-undecided');
      expect(await statusOf(story.bought)).toBe('ALLOCATED');
    });
    await expectOnePurchase(story.bought);
    expect(await historyOf(story.bought)).toEqual([
      'PENDING',
      'PAID',
      'RETRY_PENDING',
      'MANUAL_REVIEW',
      'ALLOCATED',
    ]);
  });

  it('stays undecided for 10 min and 60 s, and is decided then', async () => {
    await story.open.fault('buy-confirm', 'timeout', { times: 200 });
    await allocate();
    await story.open.advance(480);
    await allocate();
    expect(await statusOf(story.bought)).toBe('MANUAL_REVIEW');
    const state = async () => (await operationsOf(story.bought)).map(({ status }) => status);
    await story.open.advance(179);
    await eventually(async () => {
      await janitor('gold-ask-undecided');
      const [operation] = await operationsOf(story.bought);
      return operation?.lastAskedAt?.getTime() === story.open.clock.now().getTime();
    });
    expect(await state()).toEqual(['UNKNOWN']);
    await story.open.advance(60);
    await eventually(async () => {
      await story.open.advance(31);
      await janitor('gold-ask-undecided');
      expect(await state()).toEqual(['REFUSED']);
    });
    expect(await statusOf(story.bought)).toBe('MANUAL_REVIEW');
  });
});

describe('a payment in doubt while the gold is being bought', () => {
  it('keeps the review open, with the gold in the holding', async () => {
    death.at = 'after the confirm';
    await expect(allocate()).rejects.toThrow('killed');
    death.at = undefined;
    const path = `/payments/${story.bought.gatewayOrderId}`;
    await story.open.sandbox.control('POST', path, { outcome: 'captured' });
    await eventually(async () => (await statusOf(story.bought)) === 'MANUAL_REVIEW');
    await story.open.lapseLeases();
    await allocate();
    await janitor('gold-ask-undecided');
    expect(await orderOf(story.bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
    expect(await historyOf(story.bought)).toEqual([
      'PENDING',
      'PAID',
      'MANUAL_REVIEW',
      'ALLOCATED',
      'MANUAL_REVIEW',
    ]);
    expect((await story.bought.call('GET', '/portfolio')).body.balance).toBe(story.bought.grams);
  });
});

describe('a retry whose job was lost', () => {
  it('is taken up by the janitor', async () => {
    await story.open.fault('buy-confirm', 'error');
    await allocate();
    expect(await statusOf(story.bought)).toBe('RETRY_PENDING');
    const { db } = story.open.database;
    const key = `gold.allocate:${story.bought.orderId}`;
    expect(await db.scheduledJob.count({ where: { key } })).toBe(1);
    await db.scheduledJob.deleteMany({ where: { key } });
    await story.open.advance(66);
    await janitor('gold-resume-retries');
    await withJobRunner(story.open.databaseUrl, story.open.gold.jobs, async () => {
      await eventually(async () => (await statusOf(story.bought)) === 'ALLOCATED');
    });
    await expectOnePurchase(story.bought);
  });
});
