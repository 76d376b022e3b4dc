import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import type { PlanFixtures, TestPlan } from '#test/support/plan-fixtures.ts';
import { planTest } from '#test/support/plan-test.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { paise } from '../../money/index.ts';

const it = planTest();

it.beforeEach(async ({ open, fixtures }) => {
  // Plans of earlier tests have ended, so that a test sees only its own plans.
  await open.database.db.sipPlan.updateMany({
    where: { status: 'ACTIVE' },
    data: { status: 'CANCELLED', cancelledAt: open.clock.now(), nextDueAt: null },
  });
  // It is 11:30 in India, so today's 09:00 has passed.
  await fixtures.setClock('2026-01-05T06:00:00.000Z');
});

const withMandate = (fixtures: PlanFixtures, more: object = {}): Promise<TestPlan> =>
  fixtures.newPlan({ frequency: 'DAILY', mandate_token: 'token-of-asha', ...more });
/** Sets the clock to a time, and runs the worker several times. */
const runWorkerAt = async (open: OpenGold, fixtures: PlanFixtures, at: string): Promise<void> => {
  await fixtures.setClock(at);
  for (let pass = 0; pass < 3; pass += 1) {
    await fixtures.sweep();
    await runSweeps(open.gold.sweeps, 'buying-debit-installments');
    await fixtures.runJobs();
    await runSweeps(open.gold.sweeps, 'buying-fail-unpaid-installments');
  }
};
/** Returns the IST dates on which a debit of this plan was requested at the gateway. */
const debitDays = async (open: OpenGold, { userId }: TestPlan): Promise<string[]> => {
  const rows = await open.database.db.paymentOrder.findMany({ where: { userId } });
  const ids = new Set<unknown>(rows.map(({ id }) => id));
  const entries = await open.gatewayJournal('debit');
  const own = entries.filter(({ body }) => ids.has(body['reference']));
  return own.map((entry) => istDate(new Date((entry as unknown as { at: string }).at)));
};
const statuses = async (fixtures: PlanFixtures, { id }: TestPlan): Promise<string[]> =>
  (await fixtures.raised(id)).map(({ status }) => status);
/** Returns the number and the IST date of each announced debit, in order. */
const announcedDebits = async (fixtures: PlanFixtures, { userId }: TestPlan): Promise<unknown[]> =>
  (await fixtures.notifications(userId))
    .filter(({ type }) => type === 'sip_debit_notice')
    .map(({ data }) => {
      const { installmentNo, debitAt } = data as { installmentNo: number; debitAt: string };
      return [installmentNo, istDate(new Date(debitAt))];
    });
const waitUntilDebited = (
  fixtures: PlanFixtures,
  plan: TestPlan,
  installmentNo: number,
): Promise<void> =>
  eventually(async () => {
    expect((await fixtures.installment(plan, installmentNo)).status).not.toBe('PENDING');
  });

describe('a plan with a mandate', () => {
  it('that starts after 09:00 is debited once on its second day', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures);
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    await runWorkerAt(open, fixtures, '2026-01-06T06:00:10.000Z');
    await runWorkerAt(open, fixtures, '2026-01-06T18:00:00.000Z');
    expect(await debitDays(open, plan)).toEqual(['2026-01-06']);
    await waitUntilDebited(fixtures, plan, 1);
    await runWorkerAt(open, fixtures, '2026-01-07T06:00:15.000Z');
    await waitUntilDebited(fixtures, plan, 2);
    await runWorkerAt(open, fixtures, '2026-01-08T06:00:20.000Z');
    await waitUntilDebited(fixtures, plan, 3);
    const days = ['2026-01-06', '2026-01-07', '2026-01-08'];
    expect(await debitDays(open, plan)).toEqual(days);
    expect((await announcedDebits(fixtures, plan)).slice(0, 3)).toEqual([
      [1, days[0]],
      [2, days[1]],
      [3, days[2]],
    ]);
  });

  it.for(['block', 'gate', 'kyc'] as const)(
    'is debited for none of twenty days that it stood still (%s), and then once a day',
    async (cause, { open, fixtures }) => {
      const plan = await withMandate(fixtures, { start_date: '2026-01-06' });
      const { db } = open.database;
      const where = { userId: plan.userId };
      const setStill = async (still: boolean): Promise<void> => {
        if (cause === 'gate') open.setGate('buy', !still);
        else if (cause === 'kyc') {
          const status = still ? 'PENDING' : 'APPROVED';
          await db.kycRecord.update({ where, data: { status } });
        } else {
          const at = { blockedAt: open.clock.now(), blockedReason: 'a test' };
          await db.user.update({ where: { id: plan.userId }, data: { blocked: still, ...at } });
        }
      };
      await setStill(true);
      await runWorkerAt(open, fixtures, '2026-01-15T05:00:00.000Z');
      expect(await fixtures.raised(plan.id)).toEqual([]);
      await fixtures.setClock('2026-01-25T05:00:00.000Z');
      await setStill(false);
      await runWorkerAt(open, fixtures, '2026-01-25T05:00:05.000Z');
      expect(await debitDays(open, plan)).toEqual([]);
      // The plan still has twelve installments.
      const all = Array.from({ length: 12 }, () => 'FAILED');
      expect(await statuses(fixtures, plan)).toEqual(all);
    },
  );

  it('allows the last missed installment to be paid until the next one is due', async ({
    open,
    fixtures,
  }) => {
    const plan = await withMandate(fixtures, {
      start_date: '2026-01-06',
      duration_installments: 30,
    });
    open.setGate('buy', false);
    await runWorkerAt(open, fixtures, '2026-01-25T05:00:00.000Z');
    open.setGate('buy', true);
    await runWorkerAt(open, fixtures, '2026-01-25T05:00:05.000Z');
    const missed = Array.from({ length: 19 }, () => 'FAILED');
    expect(await statuses(fixtures, plan)).toEqual([...missed, 'PENDING']);
    const last = await fixtures.installment(plan, 20);
    expect(last).toMatchObject({ payment: null, expires_at: '2026-01-26T03:30:00.000Z' });
    const due = (await fixtures.notifications(plan.userId)).find(
      ({ type }) => type === 'sip_installment_due',
    );
    expect(due?.body).toContain('was not debited');

    const path = `/gold/sip/${plan.id}/installments/${last.id}/pay`;
    const answer = await plan.call('POST', path);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'PENDING', payment: { status: 'GATEWAY_ORDER_CREATED' } },
    });
    expect(answer.body.payment.checkout).toBeDefined();
    expect((await plan.call('POST', path)).status).toBe(409);
    await fixtures.play(plan, 20, 'captured', 'PAID');
    await fixtures.runJobs();
    expect((await fixtures.installment(plan, 20)).status).toBe('ALLOCATED');

    expect(await announcedDebits(fixtures, plan)).toEqual([[21, '2026-01-26']]);
    for (const day of ['26', '27', '28']) {
      await runWorkerAt(open, fixtures, `2026-01-${day}T05:00:10.000Z`);
    }
    expect(await debitDays(open, plan)).toEqual(['2026-01-26', '2026-01-27', '2026-01-28']);
  });

  it('fails an unpaid installment when the next one is due', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures, { start_date: '2026-01-06', frequency: 'WEEKLY' });
    open.setGate('buy', false);
    await runWorkerAt(open, fixtures, '2026-01-22T05:00:00.000Z');
    open.setGate('buy', true);
    await runWorkerAt(open, fixtures, '2026-01-22T05:00:05.000Z');
    expect(await statuses(fixtures, plan)).toEqual(['FAILED', 'FAILED', 'PENDING']);
    await runWorkerAt(open, fixtures, '2026-01-26T03:30:00.000Z');
    await runWorkerAt(open, fixtures, '2026-01-27T03:29:59.000Z');
    expect((await statuses(fixtures, plan))[2]).toBe('PENDING');
    await runWorkerAt(open, fixtures, '2026-01-27T03:30:05.000Z');
    expect((await statuses(fixtures, plan))[2]).toBe('FAILED');
    await waitUntilDebited(fixtures, plan, 4);
    expect(await debitDays(open, plan)).toEqual(['2026-01-27']);
  });

  it('is debited a day after a shorter delay, and one period apart from then on', async ({
    open,
    fixtures,
  }) => {
    const plan = await withMandate(fixtures, { start_date: '2026-01-06', frequency: 'WEEKLY' });
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    await runWorkerAt(open, fixtures, '2026-01-06T06:00:10.000Z');
    await waitUntilDebited(fixtures, plan, 1);
    open.setGate('buy', false);
    await runWorkerAt(open, fixtures, '2026-01-17T05:00:00.000Z');
    open.setGate('buy', true);
    await runWorkerAt(open, fixtures, '2026-01-17T05:00:05.000Z');
    await runWorkerAt(open, fixtures, '2026-01-18T05:00:10.000Z');
    await waitUntilDebited(fixtures, plan, 2);
    // The installment is due on the 20th, two days after the second debit.
    await runWorkerAt(open, fixtures, '2026-01-20T05:00:10.000Z');
    await runWorkerAt(open, fixtures, '2026-01-24T23:00:00.000Z');
    expect(await debitDays(open, plan)).toEqual(['2026-01-06', '2026-01-18']);
    await runWorkerAt(open, fixtures, '2026-01-25T05:00:15.000Z');
    expect(await debitDays(open, plan)).toEqual(['2026-01-06', '2026-01-18', '2026-01-25']);
    expect(await announcedDebits(fixtures, plan)).toEqual([
      [1, '2026-01-06'],
      [2, '2026-01-18'],
      [3, '2026-01-25'],
    ]);
  });
});

describe('a debit that was announced and not sent on its day', () => {
  it('is announced again, and debited on that day', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures, { frequency: 'MONTHLY' });
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    open.setGate('buy', false);
    await runWorkerAt(open, fixtures, '2026-01-08T06:00:00.000Z');
    expect(await announcedDebits(fixtures, plan)).toEqual([[1, '2026-01-06']]);
    open.setGate('buy', true);
    await runWorkerAt(open, fixtures, '2026-01-08T06:00:05.000Z');
    expect(await debitDays(open, plan)).toEqual([]);
    expect(await announcedDebits(fixtures, plan)).toEqual([
      [1, '2026-01-06'],
      [1, '2026-01-09'],
    ]);
    await runWorkerAt(open, fixtures, '2026-01-09T06:00:10.000Z');
    await waitUntilDebited(fixtures, plan, 1);
    expect(await debitDays(open, plan)).toEqual(['2026-01-09']);
  });

  it('moves the following debits, each with a new notice', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures);
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    await runWorkerAt(open, fixtures, '2026-01-06T03:30:05.000Z');
    open.setGate('buy', false);
    await runWorkerAt(open, fixtures, '2026-01-06T19:00:00.000Z');
    open.setGate('buy', true);
    await runWorkerAt(open, fixtures, '2026-01-06T19:00:05.000Z');
    expect(await announcedDebits(fixtures, plan)).toEqual([
      [1, '2026-01-06'],
      [2, '2026-01-07'],
      [3, '2026-01-08'],
      [1, '2026-01-08'],
      [2, '2026-01-09'],
    ]);
    for (const day of ['07', '08', '09']) {
      await runWorkerAt(open, fixtures, `2026-01-${day}T03:30:10.000Z`);
      await runWorkerAt(open, fixtures, `2026-01-${day}T19:00:15.000Z`);
    }
    expect(await announcedDebits(fixtures, plan)).toContainEqual([3, '2026-01-10']);
    expect(await debitDays(open, plan)).toEqual(['2026-01-08', '2026-01-09', '2026-01-10']);
  });

  it('is cancelled if the plan was delayed for longer than one period', async ({
    open,
    fixtures,
  }) => {
    const plan = await withMandate(fixtures, { duration_installments: 30 });
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    open.setGate('buy', false);
    await runWorkerAt(open, fixtures, '2026-01-25T05:00:00.000Z');
    open.setGate('buy', true);
    await runWorkerAt(open, fixtures, '2026-01-25T05:00:05.000Z');
    expect(await debitDays(open, plan)).toEqual([]);
    const all = await statuses(fixtures, plan);
    expect(all.slice(0, -1).every((status) => status === 'FAILED')).toBe(true);
    expect([all.length, all.at(-1)]).toEqual([21, 'PENDING']);
    await runWorkerAt(open, fixtures, '2026-01-26T05:00:10.000Z');
    expect(await debitDays(open, plan)).toEqual(['2026-01-26']);
  });

  it('whose request was lost is not sent again on another day', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures, { frequency: 'MONTHLY' });
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    await open.gatewayFault('debit', 'reset');
    await fixtures.setClock('2026-01-06T18:20:00.000Z');
    await runSweeps(open.gold.sweeps, 'buying-debit-installments');
    await runWorkerAt(open, fixtures, '2026-01-06T19:30:00.000Z');
    expect(await debitDays(open, plan)).toEqual(['2026-01-06']);
    await runWorkerAt(open, fixtures, '2026-01-07T19:30:05.000Z');
    await waitUntilDebited(fixtures, plan, 1);
    expect(await debitDays(open, plan)).toEqual(['2026-01-06', '2026-01-08']);
    expect(await announcedDebits(fixtures, plan)).toEqual([
      [1, '2026-01-06'],
      [1, '2026-01-08'],
    ]);
  });
});

describe('the amount of a debit', () => {
  it('is notified once after the debit', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures, { frequency: 'MONTHLY' });
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    await runWorkerAt(open, fixtures, '2026-01-06T06:00:10.000Z');
    await waitUntilDebited(fixtures, plan, 1);
    await runWorkerAt(open, fixtures, '2026-01-06T08:00:10.000Z');
    const taken = (await fixtures.notifications(plan.userId)).filter(
      ({ type }) => type === 'sip_debited',
    );
    expect(taken).toEqual([
      expect.objectContaining({
        body:
          'Digital Gold has debited INR 500.00 for installment 1 of your gold plan under your ' +
          'mandate. The gold will be added to your account shortly.',
        data: expect.objectContaining({ planId: plan.id, installmentNo: 1, amountInr: '500.00' }),
      }),
    ]);
  });

  it('never exceeds the current limit of mandates', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures, { frequency: 'MONTHLY', amount_inr: '600' });
    await open.setLimits({ mandateMaxPaise: paise(50_000n) });
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    await runWorkerAt(open, fixtures, '2026-01-06T06:00:10.000Z');
    expect(await debitDays(open, plan)).toEqual([]);
    expect(await announcedDebits(fixtures, plan)).toEqual([]);
    expect(await fixtures.installment(plan, 1)).toMatchObject({ status: 'PENDING', payment: null });
  });
});
