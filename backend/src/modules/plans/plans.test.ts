import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { askUntilDecided } from '#test/support/ask-until-decided.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { planBody } from '#test/support/plan-fixtures.ts';
import { planTest } from '#test/support/plan-test.ts';
import { paise } from '../../money/index.ts';

const it = planTest();

it.beforeEach(({ fixtures }) => fixtures.setClock('2026-01-05T04:30:00.000Z'));

// It is 10:00 in India, so today's 09:00 has passed.

const post = async (open: OpenGold, more: object) => {
  const { call } = await open.newCustomer();
  return call('POST', '/gold/sip', planBody(more));
};
const disableGateway = (open: OpenGold, enabled: boolean) => {
  const data = { mode: 'test', enabled, updatedAt: open.clock.now() };
  return open.database.db.gatewaySetting.upsert({
    where: { code: 'sandbox' },
    create: { code: 'sandbox', ...data },
    update: data,
  });
};

describe('a new plan', () => {
  it('starts today at 09:00 IST if the customer names no date', async ({ open }) => {
    const answer = await post(open, {});
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      status: 'ACTIVE',
      amount_inr: '500.00',
      frequency: 'MONTHLY',
      duration_installments: 12,
      start_date: '2026-01-05',
      has_mandate: false,
      mandate_max_inr: null,
      mandate_valid_until: null,
      installments_raised: 0,
      next_due_at: '2026-01-05T03:30:00.000Z',
      created_at: '2026-01-05T04:30:00.000Z',
      paused_at: null,
      cancelled_at: null,
      completed_at: null,
    });
  });

  it('starts on the IST date, which is the next day for an evening in London', async ({
    open,
    fixtures,
  }) => {
    await fixtures.setClock('2026-01-05T18:45:00.000Z');
    expect((await post(open, {})).body.start_date).toBe('2026-01-06');
    const yesterday = await post(open, { start_date: '2026-01-05' });
    expect(yesterday.body.error).toMatchObject({ code: 'VALIDATION_FAILED', field: 'start_date' });
  });

  it('may start at most a year ahead', async ({ open }) => {
    expect((await post(open, { start_date: '2027-01-05' })).status).toBe(201);
    const answer = await post(open, { start_date: '2027-01-06' });
    expect(answer).toMatchObject({ status: 400, body: { error: { field: 'start_date' } } });
  });

  it.for([
    ['amount_inr', { amount_inr: '9.99' }],
    ['amount_inr', { amount_inr: '12.345' }],
    ['amount_inr', { amount_inr: -50 }],
    ['frequency', { frequency: 'YEARLY' }],
    ['duration_installments', { duration_installments: 0 }],
    ['duration_installments', { duration_installments: 241 }],
    ['duration_installments', { duration_installments: 1.5 }],
    ['start_date', { start_date: '2026-02-30' }],
    ['start_date', { start_date: '05-02-2026' }],
    ['mandate_token', { mandate_token: '' }],
    ['mandate_token', { mandate_token: 'a b' }],
    ['idempotency_key', { idempotency_key: 'short' }],
  ] as const)('is refused for a bad %s: %j', async ([field, more], { open }) => {
    const answer = await post(open, more);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'VALIDATION_FAILED', field });
  });

  it('accepts 10 rupees, 240 installments, and a number as the amount', async ({ open }) => {
    const answer = await post(open, { amount_inr: 10, duration_installments: 240 });
    expect(answer).toMatchObject({ status: 201, body: { amount_inr: '10.00' } });
  });

  it("must be within the operators' limits", async ({ open }) => {
    await open.setLimits({ minSipPaise: paise(5000n), maxSipPaise: paise(60_000n) });
    const small = await post(open, { amount_inr: '49.99' });
    const large = await post(open, { amount_inr: '600.01' });
    expect(small.body.error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'The smallest installment of a plan is INR 50.00.',
      details: { limit: 'minSipPaise', limitPaise: 5000 },
    });
    expect(large.body.error.details).toEqual({ limit: 'maxSipPaise', limitPaise: 60_000 });
    expect((await post(open, { amount_inr: '600.00' })).status).toBe(201);
  });

  it('needs approved KYC, which is checked after the body and before the limits', async ({
    open,
  }) => {
    const { call } = await open.newCustomer();
    await open.setKyc('PENDING');
    const ask = (more: object) => call('POST', '/gold/sip', planBody(more));
    expect((await ask({ frequency: 'YEARLY' })).status).toBe(400);
    expect((await ask({ start_date: '2020-01-01' })).status).toBe(400);
    expect(await ask({ amount_inr: '1000000' })).toMatchObject({
      status: 403,
      body: { error: { code: 'KYC_REQUIRED' } },
    });
  });

  it('is refused above 50 active plans of a customer, even with concurrent requests', async ({
    open,
    fixtures,
  }) => {
    const { db } = open.database;
    const plan = await fixtures.newPlan();
    const { userId, call } = plan;
    const { id: _id, ...row } = await fixtures.planRow(plan.id);
    const yesterday = new Date('2026-01-04T04:30:00.000Z');
    const earlier = { ...row, createdAt: yesterday, updatedAt: yesterday };
    const rows = Array.from({ length: 46 }, () => ({ ...earlier, id: randomUUID() }));
    await db.sipPlan.createMany({ data: rows });
    const ask = () => call('POST', '/gold/sip', planBody());
    const answers = await Promise.all(Array.from({ length: 6 }, ask));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.find(({ status }) => status === 400)?.body.error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'You can have at most 50 active plans. Cancel one to start another.',
      details: { limit: 'activePlans', most: 50 },
    });
    expect(await db.sipPlan.count({ where: { userId, status: 'ACTIVE' } })).toBe(50);
    expect(await open.metrics()).toMatch(/bound_reached_total\{bound="active_plans"[^}]*\} 3/u);

    const again = planBody();
    expect((await call('POST', '/gold/sip', again)).status).toBe(400);
    expect((await call('POST', `/gold/sip/${plan.id}/cancel`)).status).toBe(200);
    expect((await call('POST', '/gold/sip', again)).status).toBe(201);
  });

  it('is refused above ten plans of a customer on a day, even with concurrent requests', async ({
    open,
    fixtures,
  }) => {
    const { call } = await open.newCustomer();
    const ask = () => call('POST', '/gold/sip', planBody());
    const made = [];
    for (let count = 0; count < 8; count += 1) made.push(await ask());
    // A plan that has ended still counts.
    await call('POST', `/gold/sip/${made[0]?.body.id}/cancel`);
    const answers = await Promise.all(Array.from({ length: 5 }, ask));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(answers.find(({ status }) => status === 400)?.body.error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'plansPerDay', most: 10 },
    });
    expect(await open.metrics()).toMatch(/bound_reached_total\{bound="plans_per_day"[^}]*\} 3/u);
    await fixtures.setClock('2026-01-05T18:29:59.000Z');
    expect((await ask()).status).toBe(400);
    await fixtures.setClock('2026-01-05T18:30:00.000Z');
    expect((await ask()).status).toBe(201);
  });

  it('with a mandate has at most the amount of a debit, and never more than a buy', async ({
    open,
  }) => {
    const mandate = { mandate_token: 'token-of-asha' };
    const over = await post(open, { ...mandate, amount_inr: '15000.01' });
    expect(over).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'LIMIT_EXCEEDED',
          field: 'amount_inr',
          details: { limit: 'mandateMaxPaise', limitPaise: 1_500_000 },
        },
      },
    });
    expect((await post(open, { ...mandate, amount_inr: '15000' })).status).toBe(201);
    expect((await post(open, { amount_inr: '15000.01' })).status).toBe(201);
    await open.setLimits({ maxBuyPaise: paise(100_000n) });
    expect((await post(open, { amount_inr: '1000.01' })).body.error.details).toEqual({
      limit: 'maxBuyPaise',
      limitPaise: 100_000,
    });
  });

  it('can be created while the buy gate is closed, because it takes no money', async ({ open }) => {
    open.setGate('buy', false);
    expect((await post(open, {})).status).toBe(201);
  });
});

describe('the idempotency key of a plan', () => {
  it('creates one plan, even if its first day has passed when the request is repeated', async ({
    open,
  }) => {
    const { call, id: userId } = await open.newCustomer();
    const body = planBody({ start_date: '2026-01-05' });
    const first = await call('POST', '/gold/sip', body);
    open.clock.advance(26 * 3_600_000);
    const again = await call('POST', '/gold/sip', { ...body, amount_inr: 500 });
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.id).toBe(first.body.id);
    const other = await call('POST', '/gold/sip', { ...body, amount_inr: '501' });
    expect(other).toMatchObject({ status: 400, body: { error: { field: 'start_date' } } });
    expect(await open.database.db.sipPlan.count({ where: { userId } })).toBe(1);
  });

  it('is refused for another payload', async ({ open }) => {
    const { call } = await open.newCustomer();
    const body = planBody();
    await call('POST', '/gold/sip', body);
    const other = await call('POST', '/gold/sip', { ...body, frequency: 'DAILY' });
    expect(other).toMatchObject({
      status: 409,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });

  it('creates one plan from many concurrent requests', async ({ open }) => {
    const { call, id: userId } = await open.newCustomer();
    const body = planBody();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => askUntilDecided(() => call('POST', '/gold/sip', body))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(await open.database.db.sipPlan.count({ where: { userId } })).toBe(1);
  });
});

describe('a mandate', () => {
  it("is kept sealed with the customer's key, at the gateway that can debit it", async ({
    open,
    fixtures,
  }) => {
    const plan = await fixtures.newPlan({ mandate_token: 'token-of-asha' });
    const row = await fixtures.planRow(plan.id);
    expect(row.mandateGateway).toBe('sandbox');
    expect(row.mandateTokenSealed).not.toContain('asha');
    const sealer = await open.vault.forUser(open.database.db, plan.userId);
    const context = { purpose: 'mandate', column: 'sip_plan.mandate_token', row: plan.userId };
    expect(sealer.open(row.mandateTokenSealed ?? '', context)).toBe('token-of-asha');
    expect(JSON.stringify(await fixtures.plan(plan))).not.toContain('asha');
    expect(await fixtures.plan(plan)).toMatchObject({ has_mandate: true });
  });

  it('needs a gateway that can debit it', async ({ open }) => {
    await disableGateway(open, false);
    try {
      expect((await post(open, { mandate_token: 'token-of-asha' })).body.error.code).toBe(
        'NO_USABLE_GATEWAY',
      );
      expect((await post(open, {})).status).toBe(201);
    } finally {
      await disableGateway(open, true);
    }
  });
});

describe("a customer's plans", () => {
  it('are listed newest first, and are not shown to other customers', async ({ open }) => {
    const { call } = await open.newCustomer();
    const made: string[] = [];
    for (const amount of ['100', '200', '300']) {
      open.clock.advance(1000);
      const answer = await call('POST', '/gold/sip', planBody({ amount_inr: amount }));
      made.unshift(answer.body.id);
    }
    const page = (await call('GET', '/gold/sip?limit=2')).body;
    expect(page).toMatchObject({ total: 3, page: 1, limit: 2 });
    const rest = (await call('GET', '/gold/sip?limit=2&page=2')).body;
    expect([...page.items, ...rest.items].map(({ id }) => id)).toEqual(made);

    const stranger = (await open.newCustomer()).call;
    expect((await stranger('GET', '/gold/sip')).body.total).toBe(0);
    const path = `/gold/sip/${made[0]}`;
    for (const [method, of] of [
      ['GET', path],
      ['POST', `${path}/cancel`],
      ['GET', `${path}/installments`],
      ['POST', `${path}/installments/${made[0]}/pay`],
    ] as const) {
      expect({ of, status: (await stranger(method, of)).status }).toEqual({ of, status: 404 });
    }
    expect((await call('GET', '/gold/sip/not-an-id')).status).toBe(404);
  });

  it('are cancelled once, and then raise nothing', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    open.clock.advance(60_000);
    const answer = await plan.call('POST', `/gold/sip/${plan.id}/cancel`);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'CANCELLED',
        next_due_at: null,
        cancelled_at: '2026-01-05T04:31:00.000Z',
      },
    });
    const again = await plan.call('POST', `/gold/sip/${plan.id}/cancel`);
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'ILLEGAL_TRANSITION' } } });
    await fixtures.sweep();
    expect(await fixtures.raised(plan.id)).toEqual([]);
  });
});
