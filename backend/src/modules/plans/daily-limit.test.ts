import { describe, expect } from 'vitest';
import type { OpenGold } from '#test/support/open-gold.ts';
import { planBody, type PlanFixtures, type TestPlan } from '#test/support/plan-fixtures.ts';
import { planTest } from '#test/support/plan-test.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { paise } from '../../money/index.ts';

const it = planTest();

it.beforeEach(async ({ open, fixtures }) => {
  await fixtures.setClock('2026-01-05T06:00:00.000Z');
  await open.setLimits({ dailyBuyPaise: paise(100_000n) });
});

/** Creates another plan of the same customer. */
const createAnotherPlan = async (plan: TestPlan, more: object = {}): Promise<TestPlan> => {
  const { body } = await plan.call('POST', '/gold/sip', planBody(more));
  return { ...plan, id: body.id };
};
const quote = ({ call }: TestPlan, amount: string) =>
  call('POST', '/gold/quote', { unit: 'INR', amount });
const runWorker = async (open: OpenGold, fixtures: PlanFixtures): Promise<void> => {
  await fixtures.sweep();
  await fixtures.runJobs();
  await runSweeps(open.gold.sweeps, 'buying-open-installment-checkouts');
};
const isOpen = async (fixtures: PlanFixtures, plan: TestPlan): Promise<boolean> =>
  (await fixtures.installment(plan, 1)).payment.checkout !== undefined;

describe('the daily limit', () => {
  it('delays the checkout of an installment that would exceed it until the next day', async ({
    open,
    fixtures,
  }) => {
    const first = await fixtures.newPlan({ amount_inr: '600' });
    const second = await createAnotherPlan(first, { amount_inr: '600' });
    await runWorker(open, fixtures);
    const opened = [await isOpen(fixtures, first), await isOpen(fixtures, second)];
    expect(opened.filter(Boolean)).toHaveLength(1);
    await fixtures.setClock('2026-01-05T18:29:00.000Z');
    await runWorker(open, fixtures);
    expect(await open.gatewayJournal('create-order')).toEqual(expect.any(Array));
    expect([await isOpen(fixtures, first), await isOpen(fixtures, second)]).toEqual(opened);
    await fixtures.setClock('2026-01-05T18:31:30.000Z');
    await runWorker(open, fixtures);
    for (const plan of [first, second]) {
      expect(await isOpen(fixtures, plan)).toBe(true);
      await fixtures.play(plan, 1, 'captured', 'PAID');
    }
    await fixtures.runJobs();
    const waited = opened[0] === true ? second : first;
    expect((await fixtures.installment(waited, 1)).status).toBe('ALLOCATED');
  });

  it('counts buys and installments together, except debits under a mandate', async ({
    open,
    fixtures,
  }) => {
    const plan = await fixtures.newPlan({ amount_inr: '600', mandate_token: 'token-of-asha' });
    await runWorker(open, fixtures);
    await fixtures.setClock('2026-01-06T06:00:05.000Z');
    await runSweeps(open.gold.sweeps, 'buying-debit-installments');
    expect((await quote(plan, '1000')).status).toBe(201);
    const manual = await createAnotherPlan(plan, { amount_inr: '600' });
    await runWorker(open, fixtures);
    expect(await isOpen(fixtures, manual)).toBe(true);
    expect((await quote(plan, '400')).status).toBe(201);
    expect(await quote(plan, '401')).toMatchObject({
      status: 400,
      body: { error: { code: 'LIMIT_EXCEEDED', details: { limit: 'dailyBuyPaise' } } },
    });
    await fixtures.play(manual, 1, 'captured', 'PAID');
    await fixtures.runJobs();
    expect((await quote(plan, '401')).status).toBe(400);
    await fixtures.setClock('2026-01-06T18:30:00.000Z');
    expect((await quote(plan, '1000')).status).toBe(201);
  });

  it('allows a buy while an installment waits for the next day', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan({ amount_inr: '600' });
    const { call } = plan;
    const bought = await call('POST', '/gold/buy', {
      unit: 'INR',
      amount: '500',
      idempotency_key: `limit-${plan.id}`,
    });
    expect(bought.status).toBe(201);
    await runWorker(open, fixtures);
    expect(await isOpen(fixtures, plan)).toBe(false);
    expect((await quote(plan, '500')).status).toBe(201);
  });

  it('refuses `pay` above it, and counts an installment once', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan({ amount_inr: '600' });
    await runWorker(open, fixtures);
    await fixtures.play(plan, 1, 'failed', 'FAILED');
    const { id } = await fixtures.installment(plan, 1);
    const pay = () => plan.call('POST', `/gold/sip/${plan.id}/installments/${id}/pay`);
    // The first checkout of today counts only this installment.
    expect((await pay()).status).toBe(200);
    await fixtures.play(plan, 1, 'failed', 'FAILED');
    // The installment may still be paid in the checkout that is open at the gateway.
    expect((await quote(plan, '401')).status).toBe(400);
    await fixtures.setClock('2026-01-06T06:00:05.000Z');
    const bought = await plan.call('POST', '/gold/buy', {
      unit: 'INR',
      amount: '500',
      idempotency_key: `limit-${plan.id}`,
    });
    expect(bought.status).toBe(201);
    expect(await pay()).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'LIMIT_EXCEEDED',
          details: { limit: 'dailyBuyPaise', limitPaise: 100_000 },
        },
      },
    });
    expect((await fixtures.installment(plan, 1)).status).toBe('FAILED');
    await fixtures.setClock('2026-01-06T18:30:05.000Z');
    expect((await pay()).status).toBe(200);
    await fixtures.play(plan, 1, 'captured', 'PAID');
  });

  it('is not exceeded by many concurrent requests', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan({ amount_inr: '600' });
    const others = [
      await createAnotherPlan(plan, { amount_inr: '600' }),
      await createAnotherPlan(plan, { amount_inr: '600' }),
    ];
    await runWorker(open, fixtures);
    const all = [plan, ...others];
    const opened = await Promise.all(all.map((each) => isOpen(fixtures, each)));
    expect(opened.filter(Boolean)).toHaveLength(1);
    const paths: string[] = [];
    for (const [at, each] of all.entries()) {
      if (opened[at] !== true) continue;
      await fixtures.play(each, 1, 'failed', 'FAILED');
      const { id } = await fixtures.installment(each, 1);
      paths.push(`/gold/sip/${each.id}/installments/${id}/pay`);
    }
    const tries = [...paths, ...paths].map((path) => plan.call('POST', path));
    const answers = await Promise.all(tries);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('never refuses a captured payment', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan({ amount_inr: '600' });
    await runWorker(open, fixtures);
    await open.setLimits({ dailyBuyPaise: paise(10_000n), maxBuyPaise: paise(10_000n) });
    await fixtures.play(plan, 1, 'captured', 'PAID');
    await fixtures.runJobs();
    expect((await fixtures.installment(plan, 1)).status).toBe('ALLOCATED');
  });

  it('does not open a checkout for a customer who may no longer buy', async ({
    open,
    fixtures,
  }) => {
    const plan = await fixtures.newPlan({ amount_inr: '600' });
    await fixtures.sweep();
    await open.setKyc('PENDING');
    await fixtures.runJobs();
    expect(await isOpen(fixtures, plan)).toBe(false);
    await open.setKyc('APPROVED');
    await open.advance(61);
    await runSweeps(open.gold.sweeps, 'buying-open-installment-checkouts');
    expect(await isOpen(fixtures, plan)).toBe(true);
  });
});
