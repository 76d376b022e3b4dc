import { describe, expect } from 'vitest';
import type { OpenGold } from '#test/support/open-gold.ts';
import type { PlanFixtures, TestPlan } from '#test/support/plan-fixtures.ts';
import { planTest } from '#test/support/plan-test.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = planTest();

it.beforeEach(({ fixtures }) => fixtures.setClock('2026-01-05T06:00:00.000Z'));

const withMandate = (fixtures: PlanFixtures, more: object = {}): Promise<TestPlan> =>
  fixtures.newPlan({ mandate_token: 'token-of-asha', frequency: 'WEEKLY', ...more });
const skip = ({ call, id }: TestPlan, number: number | string) =>
  call('POST', `/gold/sip/${id}/installments/${number}/skip`);
const runWorkerAt = async (open: OpenGold, fixtures: PlanFixtures, at: string): Promise<void> => {
  await fixtures.setClock(at);
  await fixtures.sweep();
  await fixtures.runJobs();
  await runSweeps(open.gold.sweeps, 'buying-debit-installments');
};
describe('a debit', () => {
  it('of a raised installment is skipped, and the customer can pay it while the plan continues', async ({
    open,
    fixtures,
  }) => {
    const plan = await withMandate(fixtures);
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    const answer = await skip(plan, 1);
    expect(answer).toMatchObject({
      status: 200,
      body: { installment_no: 1, status: 'PENDING', expires_at: '2026-01-12T03:30:00.000Z' },
    });
    expect(answer.body.payment.status).toBe('EXPIRED');
    expect((await skip(plan, 1)).status).toBe(200);
    await runWorkerAt(open, fixtures, '2026-01-06T06:00:10.000Z');
    expect(await fixtures.debits(plan)).toBe(0);
    const paid = await plan.call('POST', `/gold/sip/${plan.id}/installments/${answer.body.id}/pay`);
    expect(paid).toMatchObject({
      status: 200,
      body: { payment: { status: 'GATEWAY_ORDER_CREATED' } },
    });
    expect((await skip(plan, 1)).status).toBe(409);
    await runWorkerAt(open, fixtures, '2026-01-12T03:30:05.000Z');
    expect(await fixtures.plan(plan)).toMatchObject({ status: 'ACTIVE', installments_raised: 2 });
  });

  it('of an announced installment is skipped before it is raised, and no other debit is', async ({
    open,
    fixtures,
  }) => {
    const plan = await withMandate(fixtures, { start_date: '2026-01-10' });
    expect((await skip(plan, 1)).status).toBe(409);
    await runWorkerAt(open, fixtures, '2026-01-09T03:30:05.000Z');
    const answers = await Promise.all([1, 1, 1].map((number) => skip(plan, number)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[0]?.body).toMatchObject({
      installment_no: 1,
      due_at: '2026-01-10T03:30:00.000Z',
      status: 'PENDING',
      payment: null,
    });
    await runWorkerAt(open, fixtures, '2026-01-10T03:30:05.000Z');
    expect(await fixtures.debits(plan)).toBe(0);
    expect(await fixtures.raised(plan.id)).toHaveLength(1);
    await runWorkerAt(open, fixtures, '2026-01-16T03:30:05.000Z');
    await runWorkerAt(open, fixtures, '2026-01-17T03:30:10.000Z');
    expect(await fixtures.debits(plan)).toBe(1);
    await runSweeps(open.gold.sweeps, 'buying-fail-unpaid-installments');
    expect((await fixtures.installment(plan, 1)).status).toBe('FAILED');
  });

  it('that was sent is not skipped', async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures, { mandate_token: 'token-stuck' });
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    await runWorkerAt(open, fixtures, '2026-01-06T06:00:10.000Z');
    expect(await fixtures.debits(plan)).toBe(1);
    expect(await skip(plan, 1)).toMatchObject({
      status: 409,
      body: { error: { code: 'ILLEGAL_TRANSITION' } },
    });
  });

  it('is either sent or skipped', async ({ open, fixtures }) => {
    for (let round = 0; round < 4; round += 1) {
      await fixtures.setClock('2026-01-05T06:00:00.000Z');
      const plan = await withMandate(fixtures, { mandate_token: 'token-stuck' });
      await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
      await fixtures.setClock('2026-01-06T06:00:10.000Z');
      const [answer] = await Promise.all([
        skip(plan, 1),
        runSweeps(open.gold.sweeps, 'buying-debit-installments'),
      ]);
      expect(await fixtures.debits(plan)).toBe(answer.status === 200 ? 0 : 1);
    }
  });

  it("is found by its number only in the customer's own plan", async ({ open, fixtures }) => {
    const plan = await withMandate(fixtures);
    const manual = await fixtures.newPlan();
    await runWorkerAt(open, fixtures, '2026-01-05T06:00:05.000Z');
    for (const number of ['0', '13', 'x', '1.5', '-1', '1000']) {
      expect({ number, status: (await skip(plan, number)).status }).toEqual({
        number,
        status: 404,
      });
    }
    expect((await skip(plan, 12)).status).toBe(409);
    expect((await skip(manual, 1)).status).toBe(409);
    const { call } = await open.newCustomer();
    expect((await skip({ ...plan, call }, 1)).status).toBe(404);
  });
});
