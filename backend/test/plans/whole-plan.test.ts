import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { assertInvariants } from '#test/support/invariants.ts';
import { openGold, type OpenGold } from '#test/support/open-gold.ts';
import {
  createPlanFixtures,
  type PlanFixtures,
  type TestPlan,
} from '#test/support/plan-fixtures.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

let open: OpenGold;
let fixtures: PlanFixtures;
beforeAll(async () => {
  open = await openGold();
  fixtures = createPlanFixtures(open);
});
afterAll(() => open.close());
afterEach(async () => {
  const at = { databaseUrl: open.databaseUrl, sandboxUrl: open.sandbox.url };
  // A webhook of the sandbox may still be in progress when a test ends.
  await eventually(() => assertInvariants(at), { everyMs: 50 });
});

const dayMs = 24 * 60 * 60_000;

const orderOf = ({ id: sipPlanId }: TestPlan, installmentNo: number) =>
  open.database.db.goldOrder.findFirstOrThrow({ where: { sipPlanId, installmentNo } });
const paymentOf = (orderId: string) =>
  open.database.db.paymentOrder.findFirstOrThrow({ where: { orderId } });
/** The day of the next installment, and the clock of everybody, as much before it as is given. */
const goToNext = async ({ id }: TestPlan, earlierMs = 0): Promise<Date> => {
  const { nextDueAt } = await fixtures.planRow(id);
  if (nextDueAt === null) throw new Error('every installment is raised');
  await fixtures.setClock(new Date(nextDueAt.getTime() - earlierMs).toISOString());
  return nextDueAt;
};
/** Waits until the gateway's event of a payment was applied to the order. */
const untilPaymentEnds = async (plan: TestPlan, installmentNo: number): Promise<void> => {
  await eventually(async () => (await orderOf(plan, installmentNo)).status !== 'PENDING');
};
/** Whatever waits to be tried again is, as some minutes and a restart later. */
const tryAgain = async (): Promise<void> => {
  await open.advance(200);
  await open.lapseLeases();
  await runSweeps(open.gold.sweeps);
  await fixtures.runJobs();
};
const typesOf = async ({ userId }: TestPlan): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { type } of await fixtures.notifications(userId)) {
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
};
/** Checks that the plan's gold is the customer's, all of it and no more. */
const expectGoldOf = async (plan: TestPlan, count: number): Promise<void> => {
  const { db } = open.database;
  const { userId } = plan;
  const orders = await db.goldOrder.findMany({ where: { userId, status: 'ALLOCATED' } });
  expect(orders).toHaveLength(count);
  expect(orders.every(({ sipPlanId }) => sipPlanId === plan.id)).toBe(true);
  expect(new Set(orders.map(({ installmentNo }) => installmentNo)).size).toBe(count);
  expect(new Set(orders.map(({ providerTxId }) => providerTxId)).size).toBe(count);
  const { balance, investedPaise } = await db.holding.findUniqueOrThrow({ where: { userId } });
  expect(investedPaise).toBe(BigInt(count) * 50_000n);
  const left = orders.reduce((rest, { grams }) => rest.minus(grams ?? 0), balance);
  expect(left.isZero()).toBe(true);
};

const months = 240;
/** Every so many installments something goes wrong at a collaborator. */
const faults = [
  { every: 7, collaborator: 'sandbox-gateway', operation: 'create-order', fault: 'error' },
  { every: 11, collaborator: 'safegold', operation: 'buy-verify', fault: 'error' },
  { every: 13, collaborator: 'safegold', operation: 'buy-confirm', fault: 'reset' },
  { every: 17, collaborator: 'safegold', operation: 'buy-confirm', fault: 'malformed' },
  { every: 80, collaborator: 'safegold', operation: 'buy-confirm', fault: 'accept_then_timeout' },
] as const;

/** A month: the installment is raised, paid for at the checkout and allocated. */
const playMonth = async (plan: TestPlan, installmentNo: number): Promise<void> => {
  await goToNext(plan);
  for (const { every, ...fault } of faults) {
    if (installmentNo % every !== 0) continue;
    await open.sandbox.control('POST', '/faults', { ...fault, times: 1 });
  }
  await fixtures.sweep('plans-raise-installments');
  await fixtures.runJobs();
  const { id } = await orderOf(plan, installmentNo);
  let payment = await paymentOf(id);
  for (let tries = 0; tries < 10 && payment.gatewayOrderId === null; tries += 1) {
    await tryAgain();
    payment = await paymentOf(id);
  }
  const path = `/payments/${payment.gatewayOrderId}`;
  await open.sandbox.control('POST', path, { outcome: 'captured' });
  await untilPaymentEnds(plan, installmentNo);
  await fixtures.runJobs();
  for (let tries = 0; tries < 10; tries += 1) {
    if ((await orderOf(plan, installmentNo)).status === 'ALLOCATED') return;
    await tryAgain();
  }
  expect(await orderOf(plan, installmentNo)).toMatchObject({ installmentNo, status: 'ALLOCATED' });
};

it(
  'raises, is paid for and allocates 240 monthly installments, with faults on',
  { timeout: 900_000 },
  async () => {
    await fixtures.setClock('2026-01-31T04:30:00.000Z');
    const plan = await fixtures.newPlan({ duration_installments: months });
    for (let no = 1; no <= months; no += 1) await playMonth(plan, no);
    await fixtures.sweep('plans-complete');
    expect(await fixtures.plan(plan)).toMatchObject({
      status: 'COMPLETED',
      installments_raised: months,
      next_due_at: null,
    });
    const last = await orderOf(plan, months);
    expect(last.dueAt?.toISOString()).toBe('2045-12-31T03:30:00.000Z');
    await expectGoldOf(plan, months);
    expect(await typesOf(plan)).toEqual({
      sip_installment_due: months,
      buy_success: months,
      sip_completed: 1,
    });
    for (const { every, collaborator, operation, fault } of faults) {
      const calls = await (collaborator === 'safegold'
        ? open.journal(operation)
        : open.gatewayJournal(operation));
      const fired = calls.filter((call) => call.fault === fault).length;
      expect({ fault, operation, fired }).toEqual({
        fault,
        operation,
        fired: Math.floor(months / every),
      });
    }
  },
);

/** A day of a mandate: announced the day before, raised and debited on its day. */
const playDebit = async (plan: TestPlan, installmentNo: number): Promise<void> => {
  const dueAt = await goToNext(plan, dayMs);
  await fixtures.sweep();
  const notices = (await fixtures.notifications(plan.userId)).filter(
    ({ type }) => type === 'sip_debit_notice',
  );
  expect(notices).toHaveLength(installmentNo);
  expect(notices.at(-1)).toMatchObject({ data: { installmentNo, debitAt: dueAt.toISOString() } });
  expect(await fixtures.raised(plan.id)).toHaveLength(installmentNo - 1);
  await goToNext(plan);
  await fixtures.sweep();
  const { id, status } = await orderOf(plan, installmentNo);
  expect(status).toBe('PENDING');
  expect(await paymentOf(id)).toMatchObject({ debitStatus: 'SCHEDULED', debitDueAt: dueAt });
  await runSweeps(open.gold.sweeps, 'buying-debit-installments');
  await untilPaymentEnds(plan, installmentNo);
  await fixtures.runJobs();
};

/** The requests for a debit that the gateway received for a plan, by their references. */
const debitsOf = async ({ userId }: TestPlan): Promise<unknown[]> => {
  const rows = await open.database.db.paymentOrder.findMany({ where: { userId } });
  const ids = new Set<unknown>(rows.map(({ id }) => id));
  const references = (await open.gatewayJournal('debit')).map(({ body }) => body['reference']);
  return references.filter((reference) => ids.has(reference));
};

it('announces, debits and allocates 12 installments under a mandate', async () => {
  await fixtures.setClock('2026-01-05T06:00:00.000Z');
  const plan = await fixtures.newPlan({
    frequency: 'WEEKLY',
    start_date: '2026-01-10',
    mandate_token: 'token-of-asha',
  });
  for (let no = 1; no <= 12; no += 1) {
    await playDebit(plan, no);
    expect((await orderOf(plan, no)).status).toBe('ALLOCATED');
  }
  await fixtures.sweep('plans-complete');
  expect(await fixtures.plan(plan)).toMatchObject({ status: 'COMPLETED', has_mandate: true });
  await expectGoldOf(plan, 12);
  const debits = await debitsOf(plan);
  expect(debits).toHaveLength(12);
  expect(new Set(debits).size).toBe(12);
  expect(await typesOf(plan)).toEqual({
    sip_debit_notice: 12,
    sip_debited: 12,
    buy_success: 12,
    sip_completed: 1,
  });
});

it('a plan fails the installments of a mandate that yields no money, and tells their customer', async () => {
  await fixtures.setClock('2026-01-05T06:00:00.000Z');
  const plan = await fixtures.newPlan({
    frequency: 'WEEKLY',
    start_date: '2026-01-10',
    duration_installments: 2,
    mandate_token: 'token-fail',
  });
  for (const no of [1, 2]) {
    await playDebit(plan, no);
    expect((await orderOf(plan, no)).status).toBe('FAILED');
  }
  await fixtures.sweep('plans-complete');
  expect((await fixtures.plan(plan)).status).toBe('COMPLETED');
  await expectGoldOf(plan, 0);
  expect(await debitsOf(plan)).toHaveLength(2);
  expect(await typesOf(plan)).toEqual({
    sip_debit_notice: 2,
    sip_installment_failed: 2,
    sip_completed: 1,
  });
});
