import { describe, expect } from 'vitest';
import type { PlanFixtures, TestPlan } from '#test/support/plan-fixtures.ts';
import { planTest } from '#test/support/plan-test.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = planTest();

it.beforeEach(async ({ open, fixtures }) => {
  // Plans of earlier tests have ended, so that a test sees only its own plans.
  await open.database.db.sipPlan.updateMany({
    where: { status: { in: ['ACTIVE', 'PAUSED'] } },
    data: { status: 'CANCELLED', cancelledAt: open.clock.now(), nextDueAt: null },
  });
  // It is 11:30 in India, so today's 09:00 has passed.
  await fixtures.setClock('2026-01-05T06:00:00.000Z');
});

const change = ({ call, id }: TestPlan, what: 'pause' | 'resume' | 'cancel') =>
  call('POST', `/gold/sip/${id}/${what}`);
const skipNext = ({ call, id }: TestPlan, dueAt: string) =>
  call('POST', `/gold/sip/${id}/skip-next`, { due_at: dueAt });
const runWorkerAt = async (fixtures: PlanFixtures, at: string): Promise<void> => {
  await fixtures.setClock(at);
  await fixtures.sweep();
  await fixtures.runJobs();
};
const dueDates = async (fixtures: PlanFixtures, { id }: TestPlan) =>
  (await fixtures.raised(id)).map(({ dueAt }) => dueAt?.toISOString());
const noticesOf = async (fixtures: PlanFixtures, { userId }: TestPlan, type: string) =>
  (await fixtures.notifications(userId)).filter((one) => one.type === type);

describe('a paused plan', () => {
  it('raises nothing, and resumes at the first date that is not in the past', async ({
    fixtures,
  }) => {
    const plan = await fixtures.newPlan({ start_date: '2026-01-31', duration_installments: 3 });
    await runWorkerAt(fixtures, '2026-01-31T03:30:05.000Z');
    expect(await change(plan, 'pause')).toMatchObject({
      status: 200,
      body: { status: 'PAUSED', next_due_at: null, paused_at: '2026-01-31T03:30:05.000Z' },
    });
    expect(await change(plan, 'pause')).toMatchObject({ status: 200, body: { status: 'PAUSED' } });
    await runWorkerAt(fixtures, '2026-04-10T06:00:00.000Z');
    expect(await dueDates(fixtures, plan)).toEqual(['2026-01-31T03:30:00.000Z']);
    const resumed = { status: 'ACTIVE', next_due_at: '2026-04-30T03:30:00.000Z', paused_at: null };
    expect(await change(plan, 'resume')).toMatchObject({ status: 200, body: resumed });
    expect(await change(plan, 'resume')).toMatchObject({ status: 200, body: resumed });
    await runWorkerAt(fixtures, '2026-04-30T03:30:05.000Z');
    await runWorkerAt(fixtures, '2026-05-31T03:30:05.000Z');
    await runWorkerAt(fixtures, '2026-09-30T03:30:05.000Z');
    expect(await dueDates(fixtures, plan)).toEqual([
      '2026-01-31T03:30:00.000Z',
      '2026-04-30T03:30:00.000Z',
      '2026-05-31T03:30:00.000Z',
    ]);
    expect(await noticesOf(fixtures, plan, 'sip_paused')).toHaveLength(1);
    expect(await noticesOf(fixtures, plan, 'sip_resumed')).toHaveLength(1);
  });

  it('is not debited for installments that were announced or raised before the pause', async ({
    open,
    fixtures,
  }) => {
    const plan = await fixtures.newPlan({ frequency: 'WEEKLY', mandate_token: 'token-of-asha' });
    await runWorkerAt(fixtures, '2026-01-05T06:00:05.000Z');
    await change(plan, 'pause');
    const first = await fixtures.installment(plan, 1);
    expect(first).toMatchObject({ status: 'PENDING', payment: { status: 'EXPIRED' } });
    await runWorkerAt(fixtures, '2026-01-06T06:00:10.000Z');
    await runSweeps(open.gold.sweeps, 'buying-debit-installments');
    expect(await fixtures.debits(plan)).toBe(0);
    await runWorkerAt(fixtures, '2026-01-11T06:00:10.000Z');
    expect(await noticesOf(fixtures, plan, 'sip_debit_notice')).toHaveLength(1);
    const path = `/gold/sip/${plan.id}/installments/${first.id}/pay`;
    expect((await plan.call('POST', path)).status).toBe(200);
    await fixtures.play(plan, 1, 'captured', 'PAID');
    await fixtures.runJobs();
    expect((await fixtures.installment(plan, 1)).status).toBe('ALLOCATED');
    await change(plan, 'resume');
    await runWorkerAt(fixtures, '2026-01-11T06:00:20.000Z');
    expect(await noticesOf(fixtures, plan, 'sip_debit_notice')).toHaveLength(2);
    await runWorkerAt(fixtures, '2026-01-12T06:00:20.000Z');
    await runSweeps(open.gold.sweeps, 'buying-debit-installments');
    await fixtures.runJobs();
    expect(await fixtures.debits(plan)).toBe(1);
  });

  it('can be cancelled by its customer, and is not found by other customers', async ({
    open,
    fixtures,
  }) => {
    const plan = await fixtures.newPlan();
    await change(plan, 'pause');
    const { call } = await open.newCustomer();
    for (const what of ['pause', 'resume'] as const) {
      expect((await change({ ...plan, call }, what)).status).toBe(404);
    }
    expect((await skipNext({ ...plan, call }, '2026-01-05T03:30:00.000Z')).status).toBe(404);
    expect(await change(plan, 'cancel')).toMatchObject({ body: { status: 'CANCELLED' } });
    for (const what of ['pause', 'resume'] as const) {
      expect(await change(plan, what)).toMatchObject({
        status: 409,
        body: { error: { code: 'ILLEGAL_TRANSITION' } },
      });
    }
  });

  it('has at least one installment left to raise', async ({ fixtures }) => {
    const plan = await fixtures.newPlan({ duration_installments: 1 });
    await runWorkerAt(fixtures, '2026-01-05T06:00:05.000Z');
    expect((await change(plan, 'pause')).status).toBe(409);
  });
});

describe('the next installment', () => {
  it('is skipped once, even if its date is sent again', async ({ fixtures }) => {
    const plan = await fixtures.newPlan({ start_date: '2026-01-31', duration_installments: 2 });
    const due = '2026-01-31T03:30:00.000Z';
    const answers = await Promise.all([due, due, due].map((at) => skipNext(plan, at)));
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 200,
        body: { status: 'ACTIVE', next_due_at: '2026-02-28T03:30:00.000Z' },
      });
    }
    expect((await skipNext(plan, '2026-03-31T03:30:00.000Z')).status).toBe(409);
    await runWorkerAt(fixtures, '2026-03-31T03:30:05.000Z');
    expect(await dueDates(fixtures, plan)).toEqual([
      '2026-02-28T03:30:00.000Z',
      '2026-03-31T03:30:00.000Z',
    ]);
    expect(await noticesOf(fixtures, plan, 'sip_installment_skipped')).toHaveLength(1);
  });

  it('is announced again for its later date if it was announced before', async ({
    open,
    fixtures,
  }) => {
    const start = { start_date: '2026-01-10', frequency: 'WEEKLY', mandate_token: 'token-of-asha' };
    const plan = await fixtures.newPlan(start);
    await runWorkerAt(fixtures, '2026-01-09T03:30:05.000Z');
    await skipNext(plan, '2026-01-10T03:30:00.000Z');
    await runWorkerAt(fixtures, '2026-01-10T03:30:05.000Z');
    expect(await fixtures.raised(plan.id)).toHaveLength(0);
    await runWorkerAt(fixtures, '2026-01-16T03:30:05.000Z');
    await runWorkerAt(fixtures, '2026-01-17T03:30:10.000Z');
    await runSweeps(open.gold.sweeps, 'buying-debit-installments');
    expect(await fixtures.debits(plan)).toBe(1);
    expect(await noticesOf(fixtures, plan, 'sip_debit_notice')).toHaveLength(2);
  });

  it('is either raised or skipped', async ({ fixtures }) => {
    for (let round = 0; round < 4; round += 1) {
      await fixtures.setClock('2026-01-05T06:00:00.000Z');
      const plan = await fixtures.newPlan({ frequency: 'WEEKLY' });
      const [answer] = await Promise.all([
        skipNext(plan, '2026-01-05T03:30:00.000Z'),
        fixtures.sweep('plans-raise-installments'),
      ]);
      const raised = await fixtures.raised(plan.id);
      expect(raised).toHaveLength(answer.status === 200 ? 0 : 1);
    }
  });

  it('is not skipped to a date more than a year ahead', async ({ fixtures }) => {
    const plan = await fixtures.newPlan();
    let last = await skipNext(plan, '2026-01-05T03:30:00.000Z');
    for (let month = 0; month < 14 && last.status === 200; month += 1) {
      last = await skipNext(plan, last.body.next_due_at);
    }
    expect(last).toMatchObject({ status: 409, body: { error: { code: 'ILLEGAL_TRANSITION' } } });
    expect((await fixtures.plan(plan)).next_due_at).toBe('2027-01-05T03:30:00.000Z');
  });

  it('is never due on a skipped date, even if an older version writes the plan', async ({
    open,
    fixtures,
  }) => {
    const plan = await fixtures.newPlan({ start_date: '2026-01-10', frequency: 'WEEKLY' });
    await skipNext(plan, '2026-01-10T03:30:00.000Z');
    const raise = open.database.db.sipPlan.update({
      where: { id: plan.id },
      data: { installmentsRaised: 1, nextDueAt: new Date('2026-01-17T03:30:00.000Z') },
    });
    await expect(raise).rejects.toThrow('passed over');
  });
});

describe("a mandate's own bounds", () => {
  it('limit the amount and the last day of its debits', async ({ open, fixtures }) => {
    const { call } = await open.newCustomer();
    const mandate = { mandate_token: 'token-of-asha', mandate_max_inr: '499.99' };
    expect(await call('POST', '/gold/sip', fixtures.body(mandate))).toMatchObject({
      status: 400,
      body: { error: { code: 'LIMIT_EXCEEDED', details: { limit: 'mandateAmount' } } },
    });
    for (const wrong of [
      { mandate_max_inr: '600' },
      { mandate_valid_until: '2027-01-01' },
      { mandate_token: 'token', mandate_valid_until: '2026-01-04' },
    ]) {
      expect(await call('POST', '/gold/sip', fixtures.body(wrong))).toMatchObject({
        status: 400,
        body: { error: { code: 'VALIDATION_FAILED' } },
      });
    }
    const bounds = { mandate_max_inr: '500.00', mandate_valid_until: '2026-01-11' };
    const plan = await fixtures.newPlan({
      frequency: 'WEEKLY',
      mandate_token: 'token-of-asha',
      ...bounds,
    });
    expect(await fixtures.plan(plan)).toMatchObject(bounds);
    await runWorkerAt(fixtures, '2026-01-05T06:00:05.000Z');
    await runWorkerAt(fixtures, '2026-01-06T06:00:10.000Z');
    await runSweeps(open.gold.sweeps, 'buying-debit-installments');
    await runWorkerAt(fixtures, '2026-01-11T06:00:00.000Z');
    await runWorkerAt(fixtures, '2026-01-12T06:00:00.000Z');
    expect(await noticesOf(fixtures, plan, 'sip_debit_notice')).toHaveLength(1);
    expect(await fixtures.installment(plan, 2)).toMatchObject({ status: 'PENDING', payment: null });
    expect(await noticesOf(fixtures, plan, 'sip_installment_due')).toHaveLength(1);
  });
});
