import { describe, expect } from 'vitest';
import { createGate } from '#test/support/gate.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import type { PlanFixtures, TestPlan } from '#test/support/plan-fixtures.ts';
import { planTest } from '#test/support/plan-test.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import type { PlansDeps } from './plans.types.ts';
import { createRaiseInstallments } from './plans.sweeps.ts';

const it = planTest();
it.beforeEach(async ({ open, fixtures }) => {
  // Plans of earlier tests have ended, so that a test sees only its own plans.
  await open.database.db.sipPlan.updateMany({
    where: { status: 'ACTIVE' },
    data: { status: 'CANCELLED', cancelledAt: open.clock.now(), nextDueAt: null },
  });
  await fixtures.setClock('2026-01-05T02:00:00.000Z');
});

const nine = '2026-01-05T03:30:00.000Z';
const numbersOf = async (fixtures: PlanFixtures, { id }: TestPlan) =>
  (await fixtures.raised(id)).map(({ installmentNo }) => installmentNo);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const typesOf = async (fixtures: PlanFixtures, { userId }: TestPlan): Promise<string[]> =>
  (await fixtures.notifications(userId)).map(({ type }) => type);
const raise = (fixtures: PlanFixtures): Promise<void> => fixtures.sweep('plans-raise-installments');
/** Returns a worker that has claimed the due plans and is stopped before it raises them. */
const stopAfterClaim = async (open: OpenGold) => {
  const [claimed, resumed] = [createGate(), createGate()];
  const stopped = raiseWith(open, {
    inTransaction: async (work) => {
      claimed.open();
      await resumed.opened;
      return open.plansDeps.inTransaction(work);
    },
  });
  await claimed.opened;
  return { stopped, resume: resumed.open };
};
/** Runs one pass of a worker with other dependencies. */
const raiseWith = (open: OpenGold, changes: Partial<PlansDeps>): Promise<void> =>
  runSweeps([createRaiseInstallments({ ...open.plansDeps, ...changes })]);

describe('an installment', () => {
  it('is raised once at 09:00 IST of its day, and the customer is asked to pay it', async ({
    fixtures,
  }) => {
    const plan = await fixtures.newPlan();
    await fixtures.setClock('2026-01-05T03:29:59.999Z');
    await raise(fixtures);
    expect(await numbersOf(fixtures, plan)).toEqual([]);
    await fixtures.setClock(nine);
    await raise(fixtures);
    await raise(fixtures);
    await fixtures.runJobs();
    expect(await fixtures.plan(plan)).toMatchObject({
      status: 'ACTIVE',
      installments_raised: 1,
      next_due_at: '2026-02-05T03:30:00.000Z',
    });
    const { items, total } = await fixtures.installments(plan);
    expect(total).toBe(1);
    expect(items).toEqual([
      expect.objectContaining({
        type: 'SIP_INSTALLMENT',
        status: 'PENDING',
        amount_inr: '500.00',
        grams: null,
        installment_no: 1,
        due_at: nine,
        payment: expect.objectContaining({
          status: 'GATEWAY_ORDER_CREATED',
          amount_paise: 50_000,
          checkout: expect.objectContaining({ amount_minor: 50_000 }),
        }),
      }),
    ]);
    expect(await fixtures.notifications(plan.userId)).toEqual([
      expect.objectContaining({
        type: 'sip_installment_due',
        body: 'Please pay INR 500.00 for installment 1 of 12 of your gold plan within 72 hours.',
        data: { planId: plan.id, orderId: items[0].id, installmentNo: 1, amountInr: '500.00' },
      }),
    ]);
  });

  it('is raised at once if 09:00 of the first day has passed', async ({ fixtures }) => {
    await fixtures.setClock('2026-01-05T10:00:00.000Z');
    const plan = await fixtures.newPlan();
    await raise(fixtures);
    expect(await fixtures.raised(plan.id)).toEqual([
      expect.objectContaining({ installmentNo: 1, dueAt: new Date(nine) }),
    ]);
  });

  it('that was missed is raised with the others, in order', async ({ fixtures }) => {
    const daily = await fixtures.newPlan({ frequency: 'DAILY', duration_installments: 40 });
    const monthly = await fixtures.newPlan();
    await fixtures.setClock('2026-02-05T12:00:00.000Z');
    await raise(fixtures);
    expect(await numbersOf(fixtures, daily)).toEqual(upTo(32));
    expect(await numbersOf(fixtures, monthly)).toEqual([1, 2]);
    const orders = await fixtures.raised(daily.id);
    const days = orders.map(({ dueAt }) => dueAt?.toISOString());
    expect([days[0], days.at(-1)]).toEqual([nine, '2026-02-05T03:30:00.000Z']);
    // Ids increase in the order of the inserts.
    expect(orders.map(({ id }) => id)).toEqual(orders.map(({ id }) => id).toSorted());
    await fixtures.setClock('2026-03-20T12:00:00.000Z');
    await raise(fixtures);
    expect(await numbersOf(fixtures, daily)).toEqual(upTo(40));
    expect((await fixtures.plan(daily)).next_due_at).toBeNull();
  });

  it('is listed newest first', async ({ fixtures }) => {
    const plan = await fixtures.newPlan({ frequency: 'DAILY', duration_installments: 5 });
    await fixtures.setClock('2026-01-20T12:00:00.000Z');
    await raise(fixtures);
    const numbers = async (query: string) => {
      const { items, total } = await fixtures.installments(plan, query);
      expect(total).toBe(5);
      return items.map((item: { installment_no: number }) => item.installment_no);
    };
    expect(await numbers('?limit=3')).toEqual([5, 4, 3]);
    expect(await numbers('?limit=3&page=2')).toEqual([2, 1]);
  });
});

const raisedOnce = async (fixtures: PlanFixtures, plan: TestPlan): Promise<void> => {
  await raise(fixtures);
  await raise(fixtures);
  expect(await numbersOf(fixtures, plan)).toEqual([1, 2]);
};

describe('an installment is delayed, and neither lost nor raised twice,', () => {
  it('while the gate is closed', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    await fixtures.setClock('2026-02-05T12:00:00.000Z');
    open.setGate('buy', false);
    await raise(fixtures);
    expect(await numbersOf(fixtures, plan)).toEqual([]);
    open.setGate('buy', true);
    await raisedOnce(fixtures, plan);
  });

  it('while no gateway is usable', async ({ open, fixtures }) => {
    const plans = [
      await fixtures.newPlan(),
      await fixtures.newPlan({ mandate_token: 'token-of-asha' }),
    ];
    await fixtures.setClock('2026-02-05T12:00:00.000Z');
    const { db } = open.database;
    const row = { code: 'sandbox', mode: 'test', enabled: false, updatedAt: open.clock.now() };
    await db.gatewaySetting.create({ data: row });
    await fixtures.sweep();
    for (const plan of plans) {
      expect(await numbersOf(fixtures, plan)).toEqual([]);
      expect(await typesOf(fixtures, plan)).toEqual([]);
    }
    await db.gatewaySetting.delete({ where: { code: 'sandbox' } });
    for (const plan of plans) await raisedOnce(fixtures, plan);
  });

  it("while its mandate's gateway is not usable, and other plans continue", async ({
    open,
    fixtures,
  }) => {
    const plan = await fixtures.newPlan({ mandate_token: 'token-of-asha' });
    const other = await fixtures.newPlan();
    const { db } = open.database;
    const setGateway = (mandateGateway: string) =>
      db.sipPlan.update({ where: { id: plan.id }, data: { mandateGateway } });
    await setGateway('elsewhere');
    await fixtures.setClock('2026-02-05T12:00:00.000Z');
    await raise(fixtures);
    expect([await numbersOf(fixtures, plan), await numbersOf(fixtures, other)]).toEqual([
      [],
      [1, 2],
    ]);
    await setGateway('sandbox');
    await raisedOnce(fixtures, plan);
  });

  it('while the customer is blocked', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    const { db } = open.database;
    const block = (blocked: boolean) =>
      db.user.update({
        where: { id: plan.userId },
        data: { blocked, blockedAt: open.clock.now(), blockedReason: 'a test' },
      });
    await block(true);
    await fixtures.setClock('2026-02-05T12:00:00.000Z');
    await raise(fixtures);
    expect(await numbersOf(fixtures, plan)).toEqual([]);
    await block(false);
    await raisedOnce(fixtures, plan);
  });

  it('while the KYC of the customer is no longer approved', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    const { db } = open.database;
    const setKyc = (status: string) =>
      db.kycRecord.update({ where: { userId: plan.userId }, data: { status } });
    await setKyc('PENDING');
    await fixtures.setClock('2026-02-05T12:00:00.000Z');
    await raise(fixtures);
    expect(await numbersOf(fixtures, plan)).toEqual([]);
    await setKyc('APPROVED');
    await raisedOnce(fixtures, plan);
  });
});

describe('concurrent workers', () => {
  it('raise each installment once, without an error', async ({ open, fixtures }) => {
    const plans: TestPlan[] = [];
    const more = { frequency: 'DAILY', duration_installments: 9 };
    for (let made = 0; made < 12; made += 1) plans.push(await fixtures.newPlan(more));
    await fixtures.setClock('2026-01-09T12:00:00.000Z');
    const before = open.logged().length;
    await Promise.all([raise(fixtures), raise(fixtures), raise(fixtures), raise(fixtures)]);
    for (const plan of plans) {
      expect(await numbersOf(fixtures, plan)).toEqual(upTo(5));
      expect(await typesOf(fixtures, plan)).toHaveLength(5);
    }
    expect(open.logged().slice(before)).not.toContain('was not raised');
  });

  it('ignore a worker whose lease expired while it was stopped', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    await fixtures.setClock(nine);
    const { stopped, resume } = await stopAfterClaim(open);
    await raise(fixtures);
    expect(await numbersOf(fixtures, plan)).toEqual([]);
    await open.lapseLeases();
    await raise(fixtures);
    expect(await numbersOf(fixtures, plan)).toEqual([1]);
    resume();
    await stopped;
    expect(await numbersOf(fixtures, plan)).toEqual([1]);
    expect(await typesOf(fixtures, plan)).toEqual(['sip_installment_due']);
  });

  it('raise nothing of a plan that is cancelled after the claim', async ({ open, fixtures }) => {
    const plan = await fixtures.newPlan();
    await fixtures.setClock(nine);
    const { stopped, resume } = await stopAfterClaim(open);
    const cancelled = await plan.call('POST', `/gold/sip/${plan.id}/cancel`);
    expect(cancelled.status).toBe(200);
    resume();
    await stopped;
    expect(await numbersOf(fixtures, plan)).toEqual([]);
  });
});

const die = (): never => {
  throw new Error('the worker died');
};

describe('a worker that dies', () => {
  /**
   * The steps of raising an installment, each with a dependency that fails at this step.
   */
  const deaths: readonly (readonly [string, (open: OpenGold) => Partial<PlansDeps>])[] = [
    ['after its claim', () => ({ inTransaction: die })],
    [
      'before it places the order',
      ({ plansDeps: { inTransaction, random } }) => {
        // The first ids in a transaction are those of the order.
        let begun = 0;
        return {
          inTransaction: (work) => {
            begun += 1;
            return inTransaction(work).finally(() => (begun -= 1));
          },
          random: { ...random, uuid: () => (begun > 0 ? die() : random.uuid()) },
        };
      },
    ],
    ['after it placed the order, before it notifies', () => ({ notify: die })],
    [
      'before its commit',
      (open) => ({
        inTransaction: (work) =>
          open.plansDeps.inTransaction(async (tx) => {
            await work(tx);
            return die();
          }),
      }),
    ],
    [
      'after its commit',
      (open) => ({
        async inTransaction(work) {
          await open.plansDeps.inTransaction(work);
          return die();
        },
      }),
    ],
  ];

  it.for(deaths)(
    '%s leaves an installment that is raised once',
    async ([, changes], { open, fixtures }) => {
      const plans = [
        await fixtures.newPlan(),
        await fixtures.newPlan({ mandate_token: 'token-of-asha' }),
      ];
      await fixtures.setClock(nine);
      await raiseWith(open, changes(open));
      await open.lapseLeases();
      await raise(fixtures);
      for (const plan of plans) expect(await numbersOf(fixtures, plan)).toEqual([1]);
      await raise(fixtures);
      const { db } = open.database;
      for (const { id, userId } of plans) {
        expect(await fixtures.planRow(id)).toMatchObject({ installmentsRaised: 1, holderId: null });
        expect(await db.paymentOrder.count({ where: { userId } })).toBe(1);
        expect(await fixtures.notifications(userId)).toHaveLength(1);
      }
    },
  );
});
