import { ApiError, type CustomerSchemas } from '@digital-gold/client';
import { payAtCheckout, placeBuy, waitForOrder } from '../buys.ts';
import type { Demo, DemoCustomer, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { approvedCustomer, signInOperator } from '../people.ts';
import { showGrams } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

const buyFirst = async (demo: Demo, code: string) => {
  const friend = await approvedCustomer(demo, 'Ishaan Menon');
  await friend.api.post('/v1/referrals/apply', { body: { code } });
  const key = `demo-${demo.random.uuid()}`;
  const buy = await placeBuy(friend, { amount: '500', idempotency_key: key });
  await payAtCheckout(demo, buy.gatewayOrderId, { deliver: 'webhook' });
  await waitForOrder(demo, friend, buy.order.id, 'ALLOCATED');
  return { friend, order: buy.order };
};

/** A friend's first buy makes a reward, which is earned when the payment can't be taken back. */
export const shareCode: Step = {
  title: 'A friend buys with the customer’s code: a reward waits for its days',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { code } = (await api.get('/v1/referrals/me')).body;
    const { friend, order } = await buyFirst(demo, code);
    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const rewards = await until({
      timers: demo.timers,
      seconds: 60,
      look: async () => (await operator.api.get('/v1/referrals/rewards')).body.items,
      isThere: (items) => items.some(({ orderId }) => orderId === order.id),
      otherwise: () => 'no reward names the order',
    });
    const reward = expectPresent(
      rewards.find(({ refereeUserId }) => refereeUserId === friend.userId),
      'reward of the friend',
    );
    expectThat(reward.status === 'PENDING', `the reward is ${reward.status}`);
    const path = { id: reward.id };
    const approve = operator.api.post('/v1/referrals/rewards/{id}/approve', { path });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', approve);
    return [
      `code ${code}, applied before the friend's first buy`,
      'a reward for it: PENDING; an operator can’t approve it before it is earned, 409',
    ];
  },
};

/** Every process follows the sandbox's clock within it (contract: collaborators > Time). */
const followMs = 1000;

/** Returns true while the access token is valid, and false if it has expired. */
const hasGoodToken = async ({ api }: DemoCustomer): Promise<boolean> => {
  try {
    await api.get('/v1/users/me');
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
};

/** Moves everybody's clock, and waits until the customer's token shows that the API's has moved. */
const moveClock = async (
  { sandbox, timers }: Demo,
  customer: DemoCustomer,
  { seconds, isGoodThen }: { readonly seconds: number; readonly isGoodThen: boolean },
): Promise<void> => {
  await sandbox.post('/_control/clock', { body: { advanceSeconds: seconds } });
  await timers.sleep(followMs);
  await until({
    timers,
    seconds: 60,
    look: () => hasGoodToken(customer),
    isThere: (isGood) => isGood === isGoodThen,
    otherwise: () => "the customer API does not follow the sandbox's clock",
  });
};

/**
 * Plays `act` so many seconds later, longer than an access token lives, with the customer's session
 * refreshed. Then sets the clock back, however `act` ended, and signs the operator in again: a shift
 * is shorter than a day.
 */
const playLater = async <T>(
  demo: Demo,
  { customer, seconds }: { readonly customer: DemoCustomer; readonly seconds: number },
  act: (customer: DemoCustomer) => Promise<T>,
): Promise<T> => {
  await moveClock(demo, customer, { seconds, isGoodThen: false });
  try {
    const visitor = demo.visitor.customer(customer.numbers.ip);
    const { refreshToken } = customer;
    const { body } = await visitor.post('/v1/auth/refresh', { body: { refreshToken } });
    return await act({ ...customer, ...body, api: customer.api.with({ token: body.accessToken }) });
  } finally {
    await moveClock(demo, customer, { seconds: -seconds, isGoodThen: true });
    demo.saveState('operator', (await signInOperator(demo, 'ADMIN')).operator);
  }
};

type Plan = CustomerSchemas['SipPlan'];
type Installment = CustomerSchemas['Installment'];

/** A day: a debit that was announced before is due then, and an installment of today is raised. */
const laterSeconds = 24 * 3600;

const isNotice = ({ type }: { readonly type: string }): boolean => type === 'sip_debit_notice';
const hasCheckout = (seen: Installment | undefined): boolean =>
  seen?.payment?.checkout !== undefined;
const isAllocated = (seen: Installment | undefined): boolean => seen?.status === 'ALLOCATED';

const startPlan = (
  { random }: Demo,
  { api }: DemoCustomer,
  more: { readonly duration_installments: number; readonly mandate_token?: string },
): Promise<Plan> => {
  const idempotency_key = `demo-${random.uuid()}`;
  const body = { amount_inr: '500', frequency: 'MONTHLY', idempotency_key, ...more } as const;
  return expectStatus(201, api.post('/v1/gold/sip', { body }));
};

/** The worker writes it within seconds: what is due in less than a day is announced at once. */
const waitForNotice = async ({ timers }: Demo, { api }: DemoCustomer): Promise<string> => {
  const notices = await until({
    timers,
    seconds: 60,
    look: async () => (await api.get('/v1/notifications')).body.items.filter(isNotice),
    isThere: ({ length }) => length > 0,
    otherwise: () => 'the debit is not announced',
  });
  expectThat(notices.length === 1, `the debit is announced ${notices.length} times`);
  return expectPresent(notices[0], 'notice of the debit').body;
};

/** Waits until the plan's one installment reads so. */
const waitForInstallment = async (
  { timers }: Demo,
  { api }: DemoCustomer,
  { id }: Plan,
  isThere: (installment: Installment | undefined) => boolean,
): Promise<Installment> => {
  const items = await until({
    timers,
    seconds: 60,
    look: async () => {
      const { body } = await api.get('/v1/gold/sip/{id}/installments', { path: { id } });
      return body.items;
    },
    isThere: (seen) => isThere(seen[0]),
    otherwise: ([first]) => `the installment of plan ${id} is ${first?.status ?? 'not raised'}`,
  });
  expectThat(items.length === 1, `${items.length} installments are raised`);
  return expectPresent(items[0], 'installment');
};

/** The customer pays the first installment of a plan of a year, and ends the plan. */
const payAndCancel = async (demo: Demo, customer: DemoCustomer, plan: Plan): Promise<string> => {
  const raised = await waitForInstallment(demo, customer, plan, hasCheckout);
  expectThat(raised.grams === null, 'an installment has grams before it is paid');
  const gatewayOrderId = raised.payment?.checkout?.gateway_order_id ?? '';
  await payAtCheckout(demo, gatewayOrderId, { deliver: 'webhook' });
  const { grams } = await waitForOrder(demo, customer, raised.id, 'ALLOCATED');
  const { api } = customer;
  const path = { id: plan.id };
  const { body: seen } = await api.get('/v1/gold/sip/{id}', { path });
  const due_at = expectPresent(seen.next_due_at, 'date of the next installment');
  const { body: skipped } = await api.post('/v1/gold/sip/{id}/skip-next', {
    path,
    body: { due_at },
  });
  expectThat((skipped.next_due_at ?? '') > due_at, 'the next installment is not skipped');
  const { body: paused } = await api.post('/v1/gold/sip/{id}/pause', { path });
  expectThat(paused.status === 'PAUSED', `the plan reads ${paused.status}`);
  await api.post('/v1/gold/sip/{id}/resume', { path });
  const { body } = await api.post('/v1/gold/sip/{id}/cancel', { path });
  expectThat(body.status === 'CANCELLED', `the plan reads ${body.status}`);
  return showGrams(expectPresent(grams, 'weight of the installment'));
};

/** The mandate pays, without a checkout. */
const waitForDebit = async (demo: Demo, customer: DemoCustomer, plan: Plan): Promise<string> => {
  const { grams, payment } = await waitForInstallment(demo, customer, plan, isAllocated);
  expectThat(payment?.status === 'PAID', `its payment order reads ${payment?.status ?? 'nothing'}`);
  const path = { id: plan.id };
  await until({
    timers: demo.timers,
    seconds: 60,
    look: async () => (await customer.api.get('/v1/gold/sip/{id}', { path })).body,
    isThere: ({ status }) => status === 'COMPLETED',
    otherwise: ({ status }) => `the plan is still ${status}`,
  });
  return showGrams(expectPresent(grams, 'weight of the installment'));
};

/**
 * Shows a plan whose customer pays each installment, and a plan whose mandate is debited a day
 * later.
 */
export const followPlans: Step = {
  title: 'Two gold plans: one paid at the checkout, one by a mandate',
  async run(demo) {
    const customer = await approvedCustomer(demo, 'Kavya Menon');
    const paid = await startPlan(demo, customer, { duration_installments: 12 });
    const mandate_token = `demo-mandate-${demo.random.uuid()}`;
    const terms = { duration_installments: 1, mandate_token };
    const debited = await startPlan(demo, customer, terms);
    expectThat(debited.has_mandate && !paid.has_mandate, "the mandate is not the plan's");
    const { api: operator } = demo.readState('operator');
    const query = { userId: customer.userId };
    const { body: plans } = await operator.get('/v1/plans', { query });
    expectThat(plans.total === 2, `the operator sees ${plans.total} plans`);
    const notice = await waitForNotice(demo, customer);
    const seconds = laterSeconds;
    return playLater(demo, { customer, seconds }, async (later) => [
      `₹500 a month, 12 times; the first is paid: ${await payAndCancel(demo, later, paid)};` +
        ' the next one is skipped, the plan paused, resumed and cancelled',
      `"${notice}"`,
      'the clock moves on by a day, and back at the end of this step',
      `debited without a checkout: ${await waitForDebit(demo, later, debited)}; the plan is COMPLETED`,
    ]);
  },
};
