import { describe, expect } from 'vitest';
import type { OpenGold } from '#test/support/open-gold.ts';
import { planTest } from '#test/support/plan-test.ts';
import { operatorId } from '#test/support/reviewed-buys.ts';

const it = planTest();
it.beforeEach(({ fixtures }) => fixtures.setClock('2026-01-05T04:30:00.000Z'));

const list = async (open: OpenGold, query: string): Promise<string[]> => {
  const { status, body } = await open.as(operatorId)('GET', `/plans?limit=100&${query}`);
  expect(status).toBe(200);
  return body.items.map(({ id }: { id: string }) => id);
};

describe('GET /plans of operators', () => {
  it('finds plans by customer, state, mandate, amount and time', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    const ended = await fixtures.newPlan({ amount_inr: '700.00' });
    await ended.call('POST', `/gold/sip/${ended.id}/cancel`);
    expect(await list(open, `userId=${plan.userId}`)).toEqual([plan.id]);
    const cancelled = await list(open, 'status=CANCELLED');
    expect(cancelled).toContain(ended.id);
    expect(cancelled).not.toContain(plan.id);
    expect(await list(open, `userId=${plan.userId}&hasMandate=true`)).toEqual([]);
    expect(await list(open, `userId=${plan.userId}&hasMandate=false`)).toEqual([plan.id]);
    expect(await list(open, 'minPaise=70000')).toContain(ended.id);
    expect(await list(open, 'minPaise=70000')).not.toContain(plan.id);
    expect(await list(open, 'from=2026-01-06T00:00:00Z')).toEqual([]);
  });

  it('shows a plan with its installments', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    await fixtures.sweep();
    const { body } = await open.as(operatorId)('GET', `/plans/${plan.id}`);
    expect(body).toMatchObject({
      id: plan.id,
      user_id: plan.userId,
      status: 'ACTIVE',
      installments_raised: 1,
    });
    const installments = await open.as(operatorId)('GET', `/plans/${plan.id}/installments`);
    expect(installments.body).toMatchObject({ total: 1, items: [{ installment_no: 1 }] });
    expect((await open.as(operatorId)('GET', `/plans/${plan.userId}`)).status).toBe(404);
  });
});
