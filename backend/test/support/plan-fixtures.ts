import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { UntypedAnswer, UntypedCaller } from './caller.ts';
import type { OpenGold } from './open-gold.ts';
import { runQueuedJobs } from './run-queued-jobs.ts';
import { runSweeps } from './run-sweeps.ts';

/** A customer's plan, made through the API. */
export interface TestPlan {
  readonly id: string;
  readonly userId: string;
  readonly call: UntypedCaller;
}

let keys = 0;

/** A body of `POST /gold/sip` with a new key. */
export const planBody = (more: object = {}): Record<string, unknown> => {
  keys += 1;
  return {
    amount_inr: '500.00',
    frequency: 'MONTHLY',
    duration_installments: 12,
    idempotency_key: `plan-key-${process.pid}-${keys}`,
    ...more,
  };
};

/** One of the first hundred installments, as its customer sees it. */
const installment = async ({ call, id }: TestPlan, installmentNo: number) => {
  const { items } = (await call('GET', `/gold/sip/${id}/installments?limit=100`)).body;
  const found = items.find((item: { installment_no: number }) => {
    return item.installment_no === installmentNo;
  });
  expect(found).toBeDefined();
  return found;
};

/** Plans through the API, and the passes of the worker over them. */
export const createPlanFixtures = (open: OpenGold) => {
  const { db, inTransaction } = open.database;
  const ofPlan = { select: { installmentNo: true, dueAt: true, status: true, id: true } } as const;

  return {
    body: planBody,
    installment,
    /** Plays the customer at an installment's checkout, until its order reads so. */
    async play(
      plan: TestPlan,
      installmentNo: number,
      outcome: 'captured' | 'failed',
      status: string,
      more: object = {},
    ): Promise<void> {
      const { payment } = await installment(plan, installmentNo);
      const path = `/payments/${payment.gateway_order_id}`;
      await open.sandbox.control('POST', path, { outcome, ...more });
      await eventually(async () => {
        expect((await installment(plan, installmentNo)).status).toBe(status);
      });
    },
    async newPlan(more: object = {}): Promise<TestPlan> {
      const { id: userId, call } = await open.newCustomer();
      const answer: UntypedAnswer = await call('POST', '/gold/sip', planBody(more));
      expect(answer).toMatchObject({ status: 201, body: { status: 'ACTIVE' } });
      return { id: answer.body.id, userId, call };
    },
    /** Sets the business clock and the sandbox's. */
    async setClock(at: string): Promise<void> {
      open.clock.set(new Date(at));
      await open.sandbox.control('POST', '/clock', { set: at });
    },
    /** Runs a pass of each sweep of plans, or of the named sweep. */
    sweep: (name?: string): Promise<void> => runSweeps(open.plans.sweeps, name),
    /** Runs every job that is due. A job that throws fails the test. */
    async runJobs(): Promise<void> {
      const deps = { db, inTransaction, logger: open.logger };
      const [thrown] = await runQueuedJobs(deps, open.gold.jobs);
      if (thrown !== undefined) throw thrown;
    },
    /** The orders that a plan has raised, by their numbers. */
    raised: (sipPlanId: string) =>
      db.goldOrder.findMany({ where: { sipPlanId }, orderBy: { installmentNo: 'asc' }, ...ofPlan }),
    /** The number of debits of this plan that the gateway received. */
    async debits({ userId }: TestPlan): Promise<number> {
      const rows = await db.paymentOrder.findMany({ where: { userId } });
      const ids = new Set<unknown>(rows.map(({ id }) => id));
      const entries = await open.gatewayJournal('debit');
      return entries.filter(({ body }) => ids.has(body['reference'])).length;
    },
    planRow: (id: string) => db.sipPlan.findUniqueOrThrow({ where: { id } }),
    notifications: (userId: string) =>
      db.notification.findMany({ where: { userId }, orderBy: { id: 'asc' } }),
    plan: async ({ call, id }: TestPlan) => (await call('GET', `/gold/sip/${id}`)).body,
    installments: async ({ call, id }: TestPlan, query = '') =>
      (await call('GET', `/gold/sip/${id}/installments${query}`)).body,
  };
};

export type PlanFixtures = ReturnType<typeof createPlanFixtures>;
