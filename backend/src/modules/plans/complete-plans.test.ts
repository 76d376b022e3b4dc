import { describe, expect } from 'vitest';
import type { PlanFixtures, TestPlan } from '#test/support/plan-fixtures.ts';
import { planTest } from '#test/support/plan-test.ts';

const it = planTest();

it.beforeEach(({ fixtures }) => fixtures.setClock('2026-01-05T06:00:00.000Z'));

const short = { frequency: 'DAILY', duration_installments: 2 };
const statusOf = async (fixtures: PlanFixtures, plan: TestPlan): Promise<string> =>
  (await fixtures.plan(plan)).status;
const countCompletions = async (fixtures: PlanFixtures, { userId }: TestPlan): Promise<number> =>
  (await fixtures.notifications(userId)).filter(({ type }) => type === 'sip_completed').length;

/** Creates a plan of two days and raises both installments, with their checkouts. */
const createRaisedPlan = async (fixtures: PlanFixtures): Promise<TestPlan> => {
  const plan = await fixtures.newPlan(short);
  await fixtures.setClock('2026-01-06T06:00:00.000Z');
  await fixtures.sweep();
  await fixtures.runJobs();
  return plan;
};
/** Makes the payment of an installment fail at the gateway. */
const failInstallment = (
  fixtures: PlanFixtures,
  plan: TestPlan,
  installmentNo: number,
): Promise<void> => fixtures.play(plan, installmentNo, 'failed', 'FAILED');
const payPath = async (
  fixtures: PlanFixtures,
  plan: TestPlan,
  installmentNo: number,
): Promise<string> => {
  const { id } = await fixtures.installment(plan, installmentNo);
  return `/gold/sip/${plan.id}/installments/${id}/pay`;
};

describe('a plan', () => {
  it('stays ACTIVE while an installment is in progress, and is then completed once', async ({
    fixtures,
  }) => {
    const plan = await createRaisedPlan(fixtures);
    await failInstallment(fixtures, plan, 1);
    await fixtures.sweep('plans-complete');
    expect(await statusOf(fixtures, plan)).toBe('ACTIVE');
    await failInstallment(fixtures, plan, 2);
    await Promise.all([fixtures.sweep('plans-complete'), fixtures.sweep('plans-complete')]);
    await fixtures.sweep('plans-complete');
    expect(await fixtures.plan(plan)).toMatchObject({
      status: 'COMPLETED',
      completed_at: '2026-01-06T06:00:00.000Z',
      installments_raised: 2,
      next_due_at: null,
    });
    expect(await countCompletions(fixtures, plan)).toBe(1);
    const cancel = await plan.call('POST', `/gold/sip/${plan.id}/cancel`);
    expect(cancel).toMatchObject({ status: 409, body: { error: { code: 'ILLEGAL_TRANSITION' } } });
  });

  it('is completed even if an installment is under manual review', async ({ fixtures }) => {
    const plan = await createRaisedPlan(fixtures);
    await failInstallment(fixtures, plan, 1);
    await fixtures.play(plan, 2, 'captured', 'MANUAL_REVIEW', { amountPaise: 1 });
    await fixtures.sweep('plans-complete');
    expect(await statusOf(fixtures, plan)).toBe('COMPLETED');
  });

  it('is not completed before its last installment is raised', async ({ fixtures }) => {
    const plan = await fixtures.newPlan(short);
    await fixtures.sweep();
    await fixtures.runJobs();
    await failInstallment(fixtures, plan, 1);
    await fixtures.sweep();
    expect(await fixtures.plan(plan)).toMatchObject({ status: 'ACTIVE', installments_raised: 1 });
  });
});

describe('an installment that failed', () => {
  it('can be paid with the same gold order and a new checkout', async ({ fixtures }) => {
    const plan = await createRaisedPlan(fixtures);
    const before = await fixtures.installment(plan, 1);
    const tooEarly = await plan.call('POST', await payPath(fixtures, plan, 1));
    expect(tooEarly).toMatchObject({
      status: 409,
      body: { error: { code: 'ILLEGAL_TRANSITION' } },
    });
    await failInstallment(fixtures, plan, 1);
    const answer = await plan.call('POST', await payPath(fixtures, plan, 1));
    expect(answer).toMatchObject({
      status: 200,
      body: {
        id: before.id,
        installment_no: 1,
        status: 'PENDING',
        payment: { status: 'GATEWAY_ORDER_CREATED', checkout: { amount_minor: 50_000 } },
      },
    });
    expect(answer.body.payment.id).not.toBe(before.payment.id);
    expect(await fixtures.raised(plan.id)).toHaveLength(2);
    expect((await plan.call('POST', await payPath(fixtures, plan, 1))).status).toBe(409);
  });

  it('is paid by only one of several concurrent requests', async ({ fixtures }) => {
    const plan = await createRaisedPlan(fixtures);
    await failInstallment(fixtures, plan, 1);
    const path = await payPath(fixtures, plan, 1);
    const answers = await Promise.all([1, 2, 3, 4].map(() => plan.call('POST', path)));
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, 409, 409, 409]);
  });

  it('can be paid after its plan has ended, and the plan stays ended', async ({ fixtures }) => {
    const completed = await createRaisedPlan(fixtures);
    await failInstallment(fixtures, completed, 1);
    await failInstallment(fixtures, completed, 2);
    await fixtures.sweep('plans-complete');
    await fixtures.setClock('2026-01-05T06:00:00.000Z');
    const cancelled = await createRaisedPlan(fixtures);
    await cancelled.call('POST', `/gold/sip/${cancelled.id}/cancel`);
    await failInstallment(fixtures, cancelled, 2);
    for (const [plan, status] of [
      [completed, 'COMPLETED'],
      [cancelled, 'CANCELLED'],
    ] as const) {
      expect((await plan.call('POST', await payPath(fixtures, plan, 2))).status).toBe(200);
      await fixtures.sweep();
      expect(await statusOf(fixtures, plan)).toBe(status);
      expect(await fixtures.installment(plan, 2)).toMatchObject({ status: 'PENDING' });
    }
  });

  it('is refused by the gate first, then by KYC, and is found only in its own plan', async ({
    open,
    fixtures,
  }) => {
    const plan = await createRaisedPlan(fixtures);
    await failInstallment(fixtures, plan, 1);
    const path = await payPath(fixtures, plan, 1);
    await open.setKyc('PENDING');
    expect((await plan.call('POST', path)).body.error.code).toBe('KYC_REQUIRED');
    open.setGate('buy', false);
    expect(await plan.call('POST', path)).toMatchObject({
      status: 503,
      body: { error: { code: 'PAYMENTS_DISABLED' } },
    });
    open.setGate('buy', true);
    await open.setKyc('APPROVED');
    const other = (await plan.call('POST', '/gold/sip', fixtures.body())).body;
    const { id } = await fixtures.installment(plan, 1);
    const elsewhere = await plan.call('POST', `/gold/sip/${other.id}/installments/${id}/pay`);
    expect(elsewhere.status).toBe(404);
    expect(await fixtures.installment(plan, 1)).toMatchObject({ status: 'FAILED' });
  });

  it('has no checkout while the gateway gives no answer, and gets one later', async ({
    open,
    fixtures,
  }) => {
    const plan = await createRaisedPlan(fixtures);
    await failInstallment(fixtures, plan, 1);
    const fault = { collaborator: 'sandbox-gateway', operation: 'create-order', fault: 'error' };
    await open.sandbox.control('POST', '/faults', { ...fault, times: 20 });
    const answer = await plan.call('POST', await payPath(fixtures, plan, 1));
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'PENDING', payment: { status: 'CREATED' } },
    });
    expect(answer.body.payment.checkout).toBeUndefined();
    await open.sandbox.control('DELETE', '/faults');
    expect((await plan.call('POST', await payPath(fixtures, plan, 1))).status).toBe(409);
  });
});
