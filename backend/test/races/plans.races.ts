import type { OpenGold } from '#test/support/open-gold.ts';
import { createPlanFixtures, type TestPlan } from '#test/support/plan-fixtures.ts';
import { deliver, payUnheard, signedEvent } from '#test/support/checkouts.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { answerOf, createRace, type Operation } from './race.ts';
import { settleGold } from './buys.races.ts';

type PlanOperation = Operation<OpenGold, TestPlan>;

const planRow = ({ id }: TestPlan): readonly [string, string] => [
  'SELECT 1 FROM sip_plan WHERE id = $1::uuid FOR UPDATE',
  id,
];
const cancel: PlanOperation = async (_open, { call, id }) =>
  answerOf(await call('POST', `/gold/sip/${id}/cancel`));
const skip: PlanOperation = async (_open, { call, id }) =>
  answerOf(await call('POST', `/gold/sip/${id}/installments/1/skip`));
const pause: PlanOperation = async (_open, { call, id }) =>
  answerOf(await call('POST', `/gold/sip/${id}/pause`));
const resume: PlanOperation = async (_open, { call, id }) =>
  answerOf(await call('POST', `/gold/sip/${id}/resume`));
/** Names the date that the plan was at when the race began. */
const skipNext: PlanOperation = async (_open, { call, id }) =>
  answerOf(await call('POST', `/gold/sip/${id}/skip-next`, { due_at: '2026-01-05T03:30:00.000Z' }));
const planSweep =
  (name: string): PlanOperation =>
  async (open) => {
    await runSweeps([...open.plans.sweeps, ...open.gold.sweeps], name);
    return 'done';
  };
const firstOf = async (open: OpenGold, sipPlanId: string) =>
  open.database.db.goldOrder.findFirst({
    where: { sipPlanId, installmentNo: 1 },
    include: { paymentOrders: { orderBy: { createdAt: 'asc' } } },
  });
const pay: PlanOperation = async (open, { call, id }) => {
  const order = await firstOf(open, id);
  return answerOf(await call('POST', `/gold/sip/${id}/installments/${order?.id ?? 'none'}/pay`));
};
/** Tells of a payment of the first installment, which is made once. */
const tellOfFirst =
  (event: string): PlanOperation =>
  async (open, plan) => {
    const order = await firstOf(open, plan.id);
    const gatewayOrderId = order?.paymentOrders[0]?.gatewayOrderId ?? '';
    const paymentId = `${gatewayOrderId}-paid`;
    const amount = { amountPaise: 50_000 };
    return String(
      (await deliver(open, signedEvent(event, gatewayOrderId, paymentId, amount))).status,
    );
  };
const captureOfFirst: PlanOperation = async (open, plan) => {
  const order = await firstOf(open, plan.id);
  const gatewayOrderId = order?.paymentOrders[0]?.gatewayOrderId ?? '';
  const { gateway_payment_id: paymentId } = await payUnheard(open, { gatewayOrderId });
  const amount = { amountPaise: 50_000 };
  const signed = signedEvent('payment.captured', gatewayOrderId, paymentId, amount);
  return String((await deliver(open, signed)).status);
};

const skipped = (dates: number): string => (dates === 0 ? '' : `, ${dates} passed over`);

const stateOfPlan = async (open: OpenGold, { id, userId }: TestPlan): Promise<string> => {
  const { db } = open.database;
  const plan = await db.sipPlan.findUniqueOrThrow({ where: { id } });
  const orders = await db.goldOrder.findMany({
    where: { sipPlanId: id },
    orderBy: { installmentNo: 'asc' },
    include: { paymentOrders: { orderBy: { createdAt: 'asc' } } },
  });
  const ids = new Set<unknown>(
    orders.flatMap(({ paymentOrders }) => paymentOrders.map((p) => p.id)),
  );
  const debits = (await open.gatewayJournal('debit')).filter(({ body }) =>
    ids.has(body['reference']),
  );
  const told = await db.notification.groupBy({
    by: ['type'],
    where: { userId },
    _count: true,
    orderBy: { type: 'asc' },
  });
  return [
    `${plan.status}, ${plan.installmentsRaised} raised${skipped(plan.passedOver)}`,
    ...orders.map(({ installmentNo, status, paymentOrders }) => {
      // Two of one millisecond have no order of their own.
      const payments = paymentOrders.map((payment) => payment.status).toSorted();
      return `no. ${installmentNo} ${status} (${payments.join('+')})`;
    }),
    `${debits.length} debits`,
    told.map(({ type, _count: count }) => `${type} x${count}`).join(' ') || 'nothing told',
  ].join('; ');
};

/** Ends the plan, so that the sweeps of the next race meet its own rows alone. */
const rest = async (open: OpenGold, { call, id, userId }: TestPlan): Promise<void> => {
  await call('POST', `/gold/sip/${id}/cancel`);
  await settleGold(open);
  await open.database.db.paymentOrder.findMany({ where: { userId } });
};

const planRace = (
  name: string,
  prepare: (open: OpenGold) => Promise<TestPlan>,
  operations: Readonly<Record<string, PlanOperation>>,
  also: Readonly<Record<string, readonly string[]>> = {},
) =>
  createRace<OpenGold, TestPlan>('plans', {
    name,
    prepare,
    row: planRow,
    operations,
    settle: settleGold,
    state: stateOfPlan,
    also,
    rest,
  });

const due = '2026-01-05T06:00:05.000Z';
const withMandate = { mandate_token: 'token-stuck', frequency: 'WEEKLY' };

const atDue = async (open: OpenGold, more: object): Promise<TestPlan> => {
  const fixtures = createPlanFixtures(open);
  await fixtures.setClock('2026-01-05T06:00:00.000Z');
  const plan = await fixtures.newPlan(more);
  await fixtures.setClock(due);
  return plan;
};
const raised = async (open: OpenGold, more: object): Promise<TestPlan> => {
  const plan = await atDue(open, more);
  const fixtures = createPlanFixtures(open);
  await fixtures.sweep();
  await fixtures.runJobs();
  return plan;
};
/** Its day has come, and the debit was not sent yet. */
const atDebit = async (open: OpenGold): Promise<TestPlan> => {
  const plan = await raised(open, withMandate);
  await createPlanFixtures(open).setClock('2026-01-06T06:00:10.000Z');
  return plan;
};

const paused = async (open: OpenGold): Promise<TestPlan> => {
  const plan = await atDue(open, withMandate);
  await pause(open, plan);
  return plan;
};

const sweepsOfPlans = {
  raise: planSweep('plans-raise-installments'),
  announce: planSweep('plans-announce-debits'),
};

/** A sweep passes over a plan whose row somebody holds, and takes it in its next pass. */
const passedOver = 'done, done: ACTIVE, 0 raised; 0 debits; nothing told';
const announced = 'done, done: ACTIVE, 0 raised; 0 debits; sip_debit_notice x1';

export const planRaces = [
  planRace(
    'a plan that is due',
    (open) => atDue(open, {}),
    {
      cancel,
      ...sweepsOfPlans,
      complete: planSweep('plans-complete'),
      pause,
      'skip the next': skipNext,
    },
    {
      'raise + raise': [passedOver],
      'raise + announce': [passedOver],
      'raise + complete': [passedOver],
    },
  ),
  planRace(
    'a plan under a mandate that is due',
    (open) => atDue(open, withMandate),
    {
      cancel,
      ...sweepsOfPlans,
      'plan anew': planSweep('plans-replan-debits'),
      pause,
      'skip the next': skipNext,
    },
    {
      'raise + raise': [passedOver],
      'raise + announce': [passedOver, announced],
      'raise + plan anew': [passedOver],
      'announce + announce': [passedOver],
      'announce + plan anew': [passedOver],
    },
  ),
  planRace('a plan that is paused', paused, { pause, resume, cancel, ...sweepsOfPlans }),
  planRace('a debit whose day has come', atDebit, {
    cancel,
    skip,
    pause,
    debit: planSweep('buying-debit-installments'),
    'plan anew': planSweep('plans-replan-debits'),
    pay,
  }),
  planRace('an installment at its checkout', (open) => raised(open, {}), {
    capture: captureOfFirst,
    failure: tellOfFirst('payment.failed'),
    pay,
    cancel,
    'open the checkout again': planSweep('buying-open-installment-checkouts'),
  }),
];
