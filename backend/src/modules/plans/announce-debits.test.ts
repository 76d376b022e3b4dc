import { describe, expect } from 'vitest';
import type { OpenGold } from '#test/support/open-gold.ts';
import type { PlanFixtures, TestPlan } from '#test/support/plan-fixtures.ts';
import { planTest } from '#test/support/plan-test.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { createAnnounceDebits } from './plans.sweeps.ts';
import type { PlansDeps } from './plans.types.ts';

const it = planTest();

it.beforeEach(({ fixtures }) => fixtures.setClock('2026-01-05T06:00:00.000Z'));

const withMandate = (fixtures: PlanFixtures, more: object = {}): Promise<TestPlan> =>
  fixtures.newPlan({ mandate_token: 'token-of-asha', ...more });
/** Returns the announced times of a plan's debits, in the order of the notices. */
const announcedTimes = async (fixtures: PlanFixtures, { userId }: TestPlan): Promise<unknown[]> => {
  const found = await fixtures.notifications(userId);
  expect(found.every(({ type }) => type === 'sip_debit_notice')).toBe(true);
  return found.map(({ data }) => {
    const { installmentNo, debitAt } = data as { installmentNo: number; debitAt: string };
    return [installmentNo, debitAt];
  });
};
const debits = async (open: OpenGold, { userId }: TestPlan): Promise<(string | undefined)[]> => {
  const rows = await open.database.db.paymentOrder.findMany({
    where: { userId },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ debitDueAt }) => debitDueAt?.toISOString());
};

describe("a mandate's installment", () => {
  it('is announced a day before its due time, and debited at its due time', async ({
    open,
    fixtures,
  }) => {
    const plan = await withMandate(fixtures, { start_date: '2026-01-10' });
    await fixtures.setClock('2026-01-09T03:29:59.000Z');
    await fixtures.sweep();
    expect(await announcedTimes(fixtures, plan)).toEqual([]);
    await fixtures.setClock('2026-01-09T03:30:00.000Z');
    await fixtures.sweep();
    await fixtures.sweep();
    expect(await announcedTimes(fixtures, plan)).toEqual([[1, '2026-01-10T03:30:00.000Z']]);
    expect(await fixtures.raised(plan.id)).toEqual([]);
    const [notice] = await fixtures.notifications(plan.userId);
    expect(notice?.body).toBe(
      'Digital Gold will debit INR 500.00 for installment 1 of 12 of your gold plan on ' +
        '10 January 2026. Please keep this amount in your account. ' +
        'You can skip this one payment in your plan until it is requested.',
    );
    expect(notice?.data).toEqual({
      planId: plan.id,
      installmentNo: 1,
      amountInr: '500.00',
      debitAt: '2026-01-10T03:30:00.000Z',
      merchant: 'Digital Gold',
    });
    await fixtures.setClock('2026-01-10T03:30:02.000Z');
    await fixtures.sweep();
    expect(await debits(open, plan)).toEqual(['2026-01-10T03:30:00.000Z']);
    expect(await announcedTimes(fixtures, plan)).toHaveLength(1);
  });

  it('is announced at once if it is due within a day, and debited 24 hours later', async ({
    open,
    fixtures,
  }) => {
    const today = await withMandate(fixtures);
    const tomorrow = await withMandate(fixtures, { start_date: '2026-01-06' });
    await fixtures.sweep();
    expect(await announcedTimes(fixtures, today)).toEqual([[1, '2026-01-06T06:00:00.000Z']]);
    expect(await announcedTimes(fixtures, tomorrow)).toEqual([[1, '2026-01-06T06:00:00.000Z']]);
    expect(await debits(open, today)).toEqual(['2026-01-06T06:00:00.000Z']);
    await fixtures.setClock('2026-01-06T03:30:00.000Z');
    await fixtures.sweep();
    expect(await debits(open, tomorrow)).toEqual(['2026-01-06T06:00:00.000Z']);
    expect(await announcedTimes(fixtures, tomorrow)).toHaveLength(1);
  });

  it('of a daily plan is announced once for each day', async ({ open, fixtures }) => {
    const terms = { frequency: 'DAILY', start_date: '2026-01-07', mandate_token: 'token-stuck' };
    const plan = await withMandate(fixtures, terms);
    for (const day of ['06', '07', '08']) {
      for (const time of ['03:30:00', '03:30:05', '15:00:00']) {
        await fixtures.setClock(`2026-01-${day}T${time}.000Z`);
        await fixtures.sweep();
        await runSweeps(open.gold.sweeps, 'buying-debit-installments');
      }
    }
    expect(await announcedTimes(fixtures, plan)).toEqual([
      [1, '2026-01-07T03:30:00.000Z'],
      [2, '2026-01-08T03:30:00.000Z'],
      [3, '2026-01-09T03:30:00.000Z'],
    ]);
    expect(await debits(open, plan)).toEqual([
      '2026-01-07T03:30:00.000Z',
      '2026-01-08T03:30:00.000Z',
    ]);
  });

  it('of a plan that starts today is announced one period after the first debit', async ({
    open,
    fixtures,
  }) => {
    const daily = await withMandate(fixtures, { frequency: 'DAILY' });
    const weekly = await withMandate(fixtures, { frequency: 'WEEKLY' });
    await fixtures.sweep();
    await fixtures.setClock('2026-01-06T03:30:00.000Z');
    await fixtures.sweep();
    expect(await debits(open, daily)).toEqual([
      '2026-01-06T06:00:00.000Z',
      '2026-01-07T06:00:00.000Z',
    ]);
    expect((await announcedTimes(fixtures, daily)).slice(0, 2)).toEqual([
      [1, '2026-01-06T06:00:00.000Z'],
      [2, '2026-01-07T06:00:00.000Z'],
    ]);
    expect(await announcedTimes(fixtures, weekly)).toEqual([[1, '2026-01-06T06:00:00.000Z']]);
  });

  it('is announced even if the notice of another plan fails', async ({ open, fixtures }) => {
    const plans = [
      await withMandate(fixtures, { start_date: '2026-01-09' }),
      await withMandate(fixtures, { start_date: '2026-01-10' }),
    ] as const;
    await fixtures.setClock('2026-01-09T03:30:00.000Z');
    const failing: PlansDeps = {
      ...open.plansDeps,
      notify: (db, notification) => {
        if (notification.userId === plans[0].userId) throw new Error('no notice');
        return open.plansDeps.notify(db, notification);
      },
    };
    await runSweeps([createAnnounceDebits(failing)]);
    expect(await announcedTimes(fixtures, plans[0])).toEqual([]);
    expect(await announcedTimes(fixtures, plans[1])).toEqual([[1, '2026-01-10T03:30:00.000Z']]);
    await fixtures.sweep('plans-announce-debits');
    expect(await announcedTimes(fixtures, plans[0])).toEqual([[1, '2026-01-10T03:30:00.000Z']]);
  });

  it('is announced again if the gate was closed on its day', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures, { start_date: '2026-01-10' });
    await fixtures.setClock('2026-01-09T03:30:00.000Z');
    await fixtures.sweep();
    open.setGate('buy', false);
    await fixtures.setClock('2026-01-10T03:30:00.000Z');
    await fixtures.sweep();
    open.setGate('buy', true);
    await fixtures.setClock('2026-01-11T06:00:00.000Z');
    await fixtures.sweep();
    expect(await announcedTimes(fixtures, plan)).toEqual([
      [1, '2026-01-10T03:30:00.000Z'],
      [1, '2026-01-12T06:00:00.000Z'],
    ]);
    expect(await debits(open, plan)).toEqual(['2026-01-12T06:00:00.000Z']);
  });

  it('is not announced while the gate is closed or after the plan was cancelled', async ({
    open,
    fixtures,
  }) => {
    const waiting = await withMandate(fixtures, { start_date: '2026-01-10' });
    const cancelled = await withMandate(fixtures, { start_date: '2026-01-10' });
    open.setGate('buy', false);
    await fixtures.setClock('2026-01-09T03:30:00.000Z');
    await fixtures.sweep();
    expect(await announcedTimes(fixtures, waiting)).toEqual([]);
    await cancelled.call('POST', `/gold/sip/${cancelled.id}/cancel`);
    open.setGate('buy', true);
    await Promise.all([
      fixtures.sweep('plans-announce-debits'),
      fixtures.sweep('plans-announce-debits'),
    ]);
    expect(await announcedTimes(fixtures, waiting)).toEqual([[1, '2026-01-10T03:30:00.000Z']]);
    expect(await announcedTimes(fixtures, cancelled)).toEqual([]);
  });
});
