import { describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { eventually } from '#test/support/eventually.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { addMs } from '../../platform/clock/clock.ts';

const it = goldTest();
// The next test must not find earlier customers with the same PAN.
it.afterEach(async ({ open }) => {
  await open.database.db.kycRecord.updateMany({ data: { panHash: null } });
});

type Customer = Awaited<ReturnType<OpenGold['newCustomer']>>;

let keys = 0;
/** Places and pays a buy, so that its order is PAID. */
const buyAndPay = async (open: OpenGold, { call }: Customer): Promise<string> => {
  keys += 1;
  const buy = { unit: 'INR', amount: '1000', idempotency_key: `referral-${keys}` };
  const { body } = await call('POST', '/gold/buy', buy);
  const path = `/payments/${body.payment.gateway_order_id}`;
  await open.sandbox.control('POST', path, { outcome: 'captured' });
  const { id } = body.order;
  await eventually(async () => {
    expect((await call('GET', `/gold/orders/${id}`)).body.status).toBe('PAID');
  });
  return id;
};

const codeOf = async ({ call }: Customer): Promise<string> =>
  (await call('GET', '/referrals/me')).body.code;
const apply = async ({ call }: Customer, code: unknown) => {
  const { status, body } = await call('POST', '/referrals/apply', { code });
  return { status, code: body.error?.code };
};
const rewardsOf = async ({ call }: Customer) => (await call('GET', '/referrals/rewards')).body;
const noticesOf = (open: OpenGold, { id: userId }: Customer) =>
  open.database.db.notification.findMany({ where: { userId, type: 'referral_reward' } });

/** Creates a referrer, and a customer who has applied the code. */
const createReferral = async (open: OpenGold) => {
  const [referrer, referee] = [await open.newCustomer(), await open.newCustomer()];
  expect(await apply(referee, await codeOf(referrer))).toMatchObject({ status: 200 });
  return { referrer, referee };
};

/** Runs the sweep that settles rewards. */
const settleRewards = (open: OpenGold) => open.settleRewards.run(new AbortController().signal);

const dayMs = 86_400_000;
/** Advances the clock by days and milliseconds, and runs the sweep. */
const passDays = async (open: OpenGold, days: number, ms = 0): Promise<void> => {
  open.clock.set(addMs(open.clock.now(), days * dayMs + ms));
  await settleRewards(open);
};

/** Gives the KYC records of both customers the same PAN. */
const makeOnePerson = (open: OpenGold, ...customers: readonly Customer[]) =>
  open.database.db.kycRecord.updateMany({
    where: { userId: { in: customers.map(({ id }) => id) } },
    data: { panHash: `pan-${customers[0]?.id}`, status: 'PENDING' },
  });

const isApplied = ({ status }: { readonly status: number }): boolean => status === 200;

/** Makes the gateway lose a dispute over the payment of an order. */
const loseDispute = async (open: OpenGold, orderId: string): Promise<void> => {
  const { db } = open.database;
  const payment = await db.gatewayPayment.findFirstOrThrow({
    where: { paymentOrder: { orderId } },
  });
  await open.sandbox.control('POST', `/disputes/${payment.gatewayPaymentId}`);
  await eventually(async () => {
    const { status } = await db.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
    return status === 'MANUAL_REVIEW';
  });
};

const conflict = { status: 409, code: 'CONFLICT' };
const notFound = { status: 404, code: 'NOT_FOUND' };

describe('a referral code', () => {
  it('is applied once, even by concurrent requests', async ({ open }) => {
    const referee = await open.newCustomer();
    const referrers = [await open.newCustomer(), await open.newCustomer()];
    const codes = await Promise.all(referrers.map(codeOf));
    const answers = await Promise.all(
      [...codes, ...codes, ...codes].map((code) => apply(referee, code)),
    );
    expect(answers.filter(isApplied)).toHaveLength(1);
    expect(answers.filter((answer) => !isApplied(answer))).toEqual(
      Array.from({ length: 5 }, () => conflict),
    );
    const totals = await Promise.all(referrers.map(async (each) => (await rewardsOf(each)).total));
    expect(totals).toEqual(expect.arrayContaining([0, 1]));
  });

  it('is accepted in any case, is 404 if unknown or deleted, and 400 if it is the own code', async ({
    open,
  }) => {
    const referrer = await open.newCustomer();
    const referee = await open.newCustomer();
    const code = await codeOf(referrer);
    expect(await apply(referee, await codeOf(referee))).toEqual({
      status: 400,
      code: 'VALIDATION_FAILED',
    });
    for (const unknown of ['ZZZZZZZZ', 'x', `${code}2`]) {
      expect(await apply(referee, unknown)).toEqual(notFound);
    }
    for (const wrong of ['', 7, null, 'x'.repeat(65)]) {
      expect(await apply(referee, wrong)).toMatchObject({ status: 400 });
    }
    const gone = await open.newCustomer();
    const deletedCode = await codeOf(gone);
    const deleted = { deletedAt: open.clock.now(), phone: null, phoneHash: null };
    await open.database.db.user.update({ where: { id: gone.id }, data: deleted });
    expect(await apply(referee, deletedCode)).toEqual(notFound);
    expect(await apply(referee, ` ${code.toLowerCase()} `)).toMatchObject({ status: 200 });
  });

  it('is refused after the first allocation, but not between the payment and the allocation', async ({
    open,
  }) => {
    const referrer = await open.newCustomer();
    const code = await codeOf(referrer);
    const late = await open.newCustomer();
    await open.allocate(await buyAndPay(open, late));
    expect(await apply(late, code)).toEqual(conflict);
    const timely = await open.newCustomer();
    const orderId = await buyAndPay(open, timely);
    expect(await apply(timely, code)).toMatchObject({ status: 200 });
    await open.allocate(orderId);
    await passDays(open, 7);
    expect(await rewardsOf(referrer)).toMatchObject({ total: 1, items: [{ status: 'EARNED' }] });
  });
});

describe('a reward', () => {
  it('is earned seven days after the first allocated buy, with one notification', async ({
    open,
  }) => {
    const { referrer, referee } = await createReferral(open);
    const before = await rewardsOf(referrer);
    expect(before).toMatchObject({ total: 1, page: 1, limit: 20 });
    const pending = { status: 'PENDING', rewardPaise: null, earnedAt: null };
    expect(before.items).toMatchObject([pending]);
    const orderId = await buyAndPay(open, referee);
    expect((await rewardsOf(referrer)).items).toMatchObject([pending]);
    await Promise.all([1, 2, 3].map(() => open.allocate(orderId)));
    const weekLater = addMs(open.clock.now(), 7 * dayMs);
    await passDays(open, 7, -1);
    expect((await rewardsOf(referrer)).items).toMatchObject([pending]);
    expect(await noticesOf(open, referrer)).toEqual([]);
    open.clock.set(weekLater);
    await Promise.all([settleRewards(open), settleRewards(open)]);
    const earnedAt = weekLater.toISOString();
    const after = (await rewardsOf(referrer)).items;
    expect(after).toMatchObject([{ status: 'EARNED', rewardPaise: 5000, earnedAt }]);
    expect(await noticesOf(open, referrer)).toMatchObject([
      {
        title: 'Your referral bought gold',
        body: expect.stringContaining('You earned INR 50.00.'),
      },
    ]);
    await open.allocate(await buyAndPay(open, referee));
    await passDays(open, 8);
    expect((await rewardsOf(referrer)).items).toEqual(after);
    expect(await noticesOf(open, referrer)).toHaveLength(1);
    expect(await rewardsOf(referee)).toMatchObject({ total: 0, items: [] });
  });

  it('always has its buy, even if the code is applied during the allocation', async ({ open }) => {
    const code = await codeOf(await open.newCustomer());
    for (let round = 0; round < 4; round += 1) {
      const referee = await open.newCustomer();
      const orderId = await buyAndPay(open, referee);
      const [answer] = await Promise.all([apply(referee, code), open.allocate(orderId)]);
      const where = { refereeUserId: referee.id };
      const referral = await open.database.db.referral.findUnique({
        where,
        include: { reward: true },
      });
      const reward = referral?.reward;
      expect({ status: answer.status, reward: reward?.status, orderId: reward?.orderId }).toEqual(
        answer.status === 200
          ? { status: 200, reward: 'PENDING', orderId }
          : { status: 409, reward: undefined, orderId: undefined },
      );
    }
  });

  it('is inserted under the lock of the holding, which an allocation also takes', async ({
    open,
  }) => {
    const code = await codeOf(await open.newCustomer());
    const referee = await open.newCustomer();
    const sql = 'SELECT 1 FROM holding WHERE user_id = $1::uuid FOR UPDATE';
    const held = await lockRows(open.databaseUrl, sql, [referee.id]);
    const answer = apply(referee, code);
    await untilBlocked(open.databaseUrl, 1);
    await held.release();
    expect(await answer).toMatchObject({ status: 200 });
  });

  it('is not notified to a referrer whose account was deleted', async ({ open }) => {
    const { referrer, referee } = await createReferral(open);
    const deleted = { deletedAt: open.clock.now(), phone: null, phoneHash: null };
    await open.database.db.user.update({ where: { id: referrer.id }, data: deleted });
    await open.allocate(await buyAndPay(open, referee));
    await passDays(open, 7);
    const where = { userId: referrer.id };
    expect(await open.database.db.referralReward.findMany({ where })).toMatchObject([
      { status: 'EARNED', amountPaise: 5000n },
    ]);
    expect(await noticesOf(open, referrer)).toEqual([]);
  });

  it('is not earned for a person who has bought before with another account', async ({ open }) => {
    const { referrer, referee } = await createReferral(open);
    const earlier = await open.newCustomer();
    await open.allocate(await buyAndPay(open, earlier));
    const orderId = await buyAndPay(open, referee);
    await makeOnePerson(open, earlier, referee);
    await open.allocate(orderId);
    await passDays(open, 8);
    const never = { status: 'REVERSED', rewardPaise: null, earnedAt: null };
    expect((await rewardsOf(referrer)).items).toMatchObject([never]);
    expect(await noticesOf(open, referrer)).toEqual([]);
  });

  it('is earned for a person whose other account has bought nothing', async ({ open }) => {
    const { referrer, referee } = await createReferral(open);
    const other = await open.newCustomer();
    const orderId = await buyAndPay(open, referee);
    await makeOnePerson(open, other, referee);
    await open.allocate(orderId);
    await passDays(open, 7);
    expect((await rewardsOf(referrer)).items).toMatchObject([{ status: 'EARNED' }]);
  });

  it('is reversed if the payment of the buy is reversed, before or after the seven days', async ({
    open,
  }) => {
    for (const days of [6, 7]) {
      const { referrer, referee } = await createReferral(open);
      const orderId = await buyAndPay(open, referee);
      await open.allocate(orderId);
      await passDays(open, days);
      const before = days === 6 ? 'PENDING' : 'EARNED';
      expect((await rewardsOf(referrer)).items).toMatchObject([{ status: before }]);
      await loseDispute(open, orderId);
      await passDays(open, 2);
      expect((await rewardsOf(referrer)).items).toMatchObject([
        { status: 'REVERSED', rewardPaise: days === 6 ? null : 5000 },
      ]);
      expect(await noticesOf(open, referrer)).toHaveLength(days === 6 ? 0 : 1);
    }
  });

  it('waits while the order of the buy is under review', async ({ open }) => {
    const { referrer, referee } = await createReferral(open);
    const orderId = await buyAndPay(open, referee);
    await open.allocate(orderId);
    const change = (data: object) =>
      open.database.db.goldOrder.update({ where: { id: orderId }, data });
    const review = { manualReviewCode: 'SECOND_CAPTURE', manualReviewReason: 'paid twice' };
    await change({ status: 'MANUAL_REVIEW', ...review });
    await passDays(open, 8);
    expect((await rewardsOf(referrer)).items).toMatchObject([{ status: 'PENDING' }]);
    const over = { manualReviewCode: null, manualReviewReason: null };
    await change({ status: 'ALLOCATED', ...over });
    await settleRewards(open);
    expect((await rewardsOf(referrer)).items).toMatchObject([{ status: 'EARNED' }]);
  });
});
