import { describe, expect } from 'vitest';
import { customerApiTest } from '#test/support/customer-api-test.ts';
import { eventually } from '#test/support/eventually.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { OpenCustomerApi, SignedInPerson } from '#test/support/open-customer-api.ts';
import { createCaller, type Answer } from '#test/support/caller.ts';
import { runPurges } from '#test/support/run-purges.ts';
import { otherCode } from '#test/support/session-calls.ts';
import { createIdentityPurges } from '../identity/index.ts';
import { createFormerBuyerPurge } from '../referrals/index.ts';
import { registerPushToken } from '../identity/push-tokens.store.ts';

const it = customerApiTest();

const daySeconds = 24 * 60 * 60;

const requestCode = async (
  open: OpenCustomerApi,
  { call, phone }: SignedInPerson,
): Promise<string> => {
  expect((await call('POST', '/users/me/deletion/request')).status).toBe(200);
  return open.codeOf(phone);
};
const confirm = ({ call }: SignedInPerson, otp: string, more: object = {}): Promise<Answer> =>
  call('POST', '/users/me/deletion/confirm', { otp, confirmation: 'DELETE', ...more });
const remove = async (
  open: OpenCustomerApi,
  person: SignedInPerson,
  more: object = {},
): Promise<Answer> => confirm(person, await requestCode(open, person), more);
describe('the code', () => {
  it('is required with the word DELETE, and a third wrong code locks', async ({ open }) => {
    const person = await open.person();
    const otp = await requestCode(open, person);
    const wrong = otherCode(otp);
    const unconfirmed = await person.call('POST', '/users/me/deletion/confirm', { otp });
    expect(unconfirmed).toMatchObject({ status: 400, field: 'confirmation' });
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await confirm(person, wrong)).toMatchObject({ status: 401, code: 'INVALID_OTP' });
    }
    expect(await confirm(person, otp)).toMatchObject({ status: 429, code: 'OTP_LOCKED' });
    const status = await person.call('GET', '/users/me/deletion/status');
    expect(status.body).toEqual({ status: 'none' });
  });

  it('is sent three times in 15 minutes, and each send is a security event', async ({ open }) => {
    const person = await open.person();
    for (let sends = 0; sends < 3; sends += 1) await requestCode(open, person);
    const fourth = await person.call('POST', '/users/me/deletion/request');
    expect(fourth).toMatchObject({ status: 429, code: 'OTP_SEND_LIMIT' });
    expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0);
    const where = { userId: person.userId, kind: 'deletion_requested' };
    expect(await open.system.db.securityEvent.count({ where })).toBe(3);
  });

  it('is sent three times in 15 minutes, even to different addresses', async ({ open }) => {
    const person = await open.person();
    const statuses: number[] = [];
    for (let n = 1; n <= 4; n += 1) {
      const headers = {
        authorization: `Bearer ${person.token}`,
        'x-forwarded-for': `198.51.100.${n}`,
      };
      const call = createCaller(open.url, headers);
      statuses.push((await call('POST', '/users/me/deletion/request')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('of a sign-in does not delete the account', async ({ open }) => {
    const person = await open.person();
    await open.as()('POST', '/auth/send-otp', { phone: person.phone });
    const answer = await confirm(person, await open.codeOf(person.phone));
    expect(answer).toMatchObject({ status: 401, code: 'INVALID_OTP' });
  });
});

describe('a deleted account', () => {
  it('admits its token only to its status', async ({ open }) => {
    const person = await open.person();
    const deleted = await remove(open, person);
    const { deletedAt } = deleted.body;
    expect(deleted).toMatchObject({ status: 200, body: { status: 'deleted' } });
    const status = await person.call('GET', '/users/me/deletion/status');
    expect(status).toMatchObject({ status: 200, body: { status: 'deleted', deletedAt } });
    expect((await person.call('GET', '/users/me')).status).toBe(401);
    expect((await confirm(person, '123456')).status).toBe(401);
    const { refreshToken } = person;
    expect(await open.as()('POST', '/auth/refresh', { refreshToken })).toMatchObject({
      status: 401,
      code: 'INVALID_REFRESH_TOKEN',
    });
    await open.system.advance(16 * 60);
    expect((await person.call('GET', '/users/me/deletion/status')).status).toBe(401);
  });

  it('keeps its phone from signing in only during the cool-down', async ({ open }) => {
    const person = await open.person();
    const { db } = open.system;
    await remove(open, person);
    expect(await open.signIn(person.phone)).toMatchObject({
      status: 401,
      code: 'ACCOUNT_UNAVAILABLE',
    });
    await open.system.advance(30 * daySeconds - 60);
    expect((await open.signIn(person.phone)).status).toBe(401);
    await open.system.advance(120);
    await runPurges(createIdentityPurges(open.system));
    expect(await db.deletedPhone.count()).toBe(0);
    const again = await open.signIn(person.phone);
    expect(again).toMatchObject({ status: 200, body: { isNewUser: true } });
    expect(Object(again.body['user'])['id']).not.toBe(person.userId);
  });
});

it('the phone of a deleted account can open a new one, which is the same user of the provider', async ({
  open,
}) => {
  const person = await open.knownPerson();
  const { db } = open.system;
  await remove(open, person);
  await open.system.advance(31 * daySeconds);
  const again = await open.knownPerson(person.phone);
  const [gone, here] = await Promise.all(
    [person, again].map(({ userId: id }) => db.user.findUniqueOrThrow({ where: { id } })),
  );
  expect(here?.providerUserId).toBe(gone?.providerUserId);
  await open.buy(again, '1000');
});

it('the phone of a deleted account can open a new one even if forfeited gold remains', async ({
  open,
}) => {
  const person = await open.knownPerson();
  await open.buy(person, '1000');
  const { db } = open.system;
  const { userId } = person;
  // Sells all gold except for a remainder that is too small to sell.
  const { balance } = await db.holding.findUniqueOrThrow({ where: { userId } });
  await open.sell(person, balance.minus('0.0005').toFixed(4));
  expect(await remove(open, person, { forfeitGold: true })).toMatchObject({ status: 200 });
  expect(await db.holdingMovement.count({ where: { userId, kind: 'FORFEITED' } })).toBe(1);
  await open.system.advance(31 * daySeconds);
  const again = await open.knownPerson(person.phone);
  await open.buy(again, '1000');
});

it('a deleted account that bought gold leaves a hash of its PAN, and earns no referrer a reward', async ({
  open,
}) => {
  const { db } = open.system;
  const referrer = await open.person();
  const { body: own } = await referrer.call('GET', '/referrals/me');
  const gone = await open.knownPerson();
  await open.buy(gone, '1000');
  const { userId } = gone;
  const { balance } = await db.holding.findUniqueOrThrow({ where: { userId } });
  await open.sell(gone, balance.toFixed(4));
  const { panHash } = await db.kycRecord.findUniqueOrThrow({ where: { userId } });
  await remove(open, gone);
  expect(await db.formerBuyer.count({ where: { panHash: panHash ?? '' } })).toBe(1);

  const again = await open.knownPerson();
  await db.kycRecord.update({
    where: { userId: again.userId },
    data: { panHash, panSealed: null },
  });
  await again.call('POST', '/referrals/apply', { code: own['code'] });
  await open.buy(again, '1000');
  const rewards = await referrer.call('GET', '/referrals/rewards');
  expect(rewards.body).toMatchObject({ items: [{ status: 'REVERSED', rewardPaise: null }] });

  await open.system.advance(31 * daySeconds);
  await runPurges([createFormerBuyerPurge(open.system)]);
  expect(await db.formerBuyer.count()).toBe(0);
});

it('a deleted account leaves no hash of its PAN if it bought nothing', async ({ open }) => {
  const { db } = open.system;
  const before = await db.formerBuyer.count();
  await remove(open, await open.knownPerson());
  expect(await db.formerBuyer.count()).toBe(before);
});

describe('is refused', () => {
  it('while the customer has gold, until all of it is sold', async ({ open }) => {
    const person = await open.knownPerson();
    await open.buy(person, '1000');
    const refused = await remove(open, person, { forfeitGold: true });
    expect(refused).toMatchObject({ status: 409, code: 'HOLDING_NOT_EMPTY' });
    const { db } = open.system;
    const { userId } = person;
    const { balance } = await db.holding.findUniqueOrThrow({ where: { userId } });
    await open.sell(person, balance.toFixed(4));
    expect(await remove(open, person)).toMatchObject({ status: 200 });
  });

  it('while a purchase can still be paid, even a failed one', async ({ open }) => {
    const person = await open.knownPerson();
    const body = { unit: 'INR', amount: '500', idempotency_key: `open-${person.userId}` };
    const placed = (await person.call('POST', '/gold/buy', body)).body;
    const otp = await requestCode(open, person);
    expect(await confirm(person, otp)).toMatchObject({ status: 409, code: 'ACCOUNT_BUSY' });
    const id = String(Object(placed['order'])['id']);
    const { db, sandbox } = open.system;
    const gatewayOrderId = String(Object(placed['payment'])['gateway_order_id']);
    await sandbox.control('POST', `/payments/${gatewayOrderId}`, { outcome: 'failed' });
    const orderNow = () => db.goldOrder.findUniqueOrThrow({ where: { id } });
    await eventually(async () => (await orderNow()).status === 'FAILED');
    // The earlier code is still valid, since it deleted nothing.
    expect(await confirm(person, otp)).toMatchObject({ status: 409, code: 'ACCOUNT_BUSY' });
    const leftMs = Number((await orderNow()).lockEndsAt) - Number(open.system.clock.now());
    await open.system.advance(Math.ceil(leftMs / 1000));
    expect(await confirm(person, otp)).toMatchObject({ status: 200 });
    // Money that arrives nevertheless waits for an operator, who can only refund it.
    await sandbox.control('POST', `/payments/${gatewayOrderId}`, { outcome: 'captured' });
    await eventually(async () => (await orderNow()).status === 'MANUAL_REVIEW');
    expect(await orderNow()).toMatchObject({
      manualReviewCode: 'LATE_CAPTURE',
      manualReviewReason: expect.stringContaining('deleted their account'),
    });
    const allocate = { resolution: 'ALLOCATE', reference: 'r-1', note: 'asked for' };
    const resolved = await open.operator('POST', `/orders/${id}/resolve`, allocate);
    expect(resolved.status).toBe(409);
    expect(resolved.body['error']).toMatchObject({
      message: expect.stringContaining('deleted their account'),
    });
    expect(await db.notification.count({ where: { userId: person.userId } })).toBe(0);
  });

  it('while a payout is not PAID', async ({ open }) => {
    const person = await open.knownPerson();
    await open.buy(person, '1000');
    const { db } = open.system;
    const { userId } = person;
    const { balance } = await db.holding.findUniqueOrThrow({ where: { userId } });
    await open.sell(person, balance.toFixed(4));
    const otp = await requestCode(open, person);
    for (const status of ['PENDING', 'PROCESSING', 'FAILED', 'REVERSED']) {
      await db.payout.updateMany({ where: { userId }, data: { status } });
      const refused = await confirm(person, otp);
      expect({ ...refused, payout: status }).toMatchObject({
        payout: status,
        status: 409,
        code: 'ACCOUNT_BUSY',
      });
    }
    await db.payout.updateMany({ where: { userId }, data: { status: 'PAID' } });
  });

  it('while a plan is active or jewellery is on its way', async ({ open }) => {
    const person = await open.person();
    const { db, clock, random } = open.system;
    const { userId } = person;
    const at = clock.now();
    const planId = random.uuid();
    await db.sipPlan.create({
      data: {
        id: planId,
        userId,
        status: 'ACTIVE',
        amountPaise: 100_000n,
        frequency: 'MONTHLY',
        durationInstallments: 12,
        startDate: at,
        createdAt: at,
        updatedAt: at,
      },
    });
    const otp = await requestCode(open, person);
    expect(await confirm(person, otp)).toMatchObject({ status: 409, code: 'ACCOUNT_BUSY' });
    await db.sipPlan.update({
      where: { id: planId },
      data: { status: 'PAUSED', pausedAt: at, nextDueAt: at },
    });
    expect(await confirm(person, otp)).toMatchObject({ status: 409, code: 'ACCOUNT_BUSY' });
    await db.sipPlan.update({
      where: { id: planId },
      data: { status: 'CANCELLED', cancelledAt: at },
    });
    const productOrderId = await open.orderJewellery(person);
    const statuses = ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED'];
    for (const status of statuses) {
      expect(await confirm(person, otp)).toMatchObject({ status: 409, code: 'ACCOUNT_BUSY' });
      const path = `/product-orders/${productOrderId}/status`;
      expect((await open.operator('PATCH', path, { status })).status).toBe(200);
    }
    expect(await confirm(person, otp)).toMatchObject({ status: 200 });
  });
});

describe('gold below the smallest sale', () => {
  it("is forfeited only with the customer's consent, to a house figure of both books", async ({
    open,
  }) => {
    const person = await open.knownPerson();
    await open.buy(person, '1000');
    const { db } = open.system;
    const { userId } = person;
    const held = await db.holding.findUniqueOrThrow({ where: { userId } });
    // Leaves gold worth about four rupees.
    await open.sell(person, held.balance.minus('0.0004').toFixed(4));
    const otp = await requestCode(open, person);
    expect(await confirm(person, otp)).toMatchObject({ status: 409, code: 'HOLDING_NOT_EMPTY' });
    expect(await confirm(person, otp, { forfeitGold: true })).toMatchObject({ status: 200 });
    const left = await db.holding.findUniqueOrThrow({ where: { userId } });
    expect([left.balance.toFixed(4), left.investedPaise]).toEqual(['0.0000', 0n]);
    const [movement] = await db.holdingMovement.findMany({
      where: { userId },
      orderBy: { version: 'desc' },
    });
    expect(movement).toMatchObject({ kind: 'FORFEITED', orderId: null });
    expect(movement?.grams.toFixed(4)).toBe('-0.0004');
  });
});

const holdHolding = (open: OpenCustomerApi, { userId }: SignedInPerson) =>
  lockRows(
    open.system.addresses.databaseUrl,
    'SELECT user_id FROM holding WHERE user_id = $1::uuid FOR UPDATE',
    [userId],
  );
const standing = (open: OpenCustomerApi, count: number) =>
  untilBlocked(open.system.addresses.databaseUrl, count);
const ordersOf = (open: OpenCustomerApi, { userId }: SignedInPerson) =>
  open.system.db.goldOrder.count({ where: { userId } });
const buy = ({ call, userId }: SignedInPerson) =>
  call('POST', '/gold/buy', { unit: 'INR', amount: '500', idempotency_key: `race-${userId}` });

describe('the deletion during another request of the customer', () => {
  it('is refused if a purchase came first', async ({ open }) => {
    const person = await open.knownPerson();
    const otp = await requestCode(open, person);
    const held = await holdHolding(open, person);
    const bought = buy(person);
    await standing(open, 1);
    const deleted = confirm(person, otp);
    await standing(open, 2);
    await held.release();
    expect((await bought).status).toBe(201);
    expect(await deleted).toMatchObject({ status: 409, code: 'ACCOUNT_BUSY' });
    expect(await ordersOf(open, person)).toBe(1);
  });

  it('refuses a purchase that came second, which writes nothing', async ({ open }) => {
    const person = await open.knownPerson();
    const otp = await requestCode(open, person);
    const held = await holdHolding(open, person);
    const deleted = confirm(person, otp);
    await standing(open, 1);
    const bought = buy(person);
    await standing(open, 2);
    await held.release();
    expect((await deleted).status).toBe(200);
    expect(await bought).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await ordersOf(open, person)).toBe(0);
  });

  it('refuses a bank account, a document and a token that came second', async ({ open }) => {
    const person = await open.person();
    const { userId, call } = person;
    const otp = await requestCode(open, person);
    const held = await holdHolding(open, person);
    const deleted = confirm(person, otp);
    await standing(open, 1);
    const account = { accountNumber: '123456789012', ifsc: 'HDFC0001234', holderName: 'Asha Rao' };
    const added = call('POST', '/bank-accounts', account);
    await standing(open, 2);
    await held.release();
    expect((await deleted).status).toBe(200);
    expect((await added).status).toBe(401);
    const { db, inTransaction, clock, random } = open.system;
    expect(await db.bankAccount.count({ where: { userId } })).toBe(0);
    const token = { id: random.uuid(), userId, token: 'late', platform: 'ios' } as const;
    await expect(
      inTransaction((tx) => registerPushToken(tx, token, clock.now())),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is made once by two confirmations', async ({ open }) => {
    const person = await open.person();
    const otp = await requestCode(open, person);
    const answers = await Promise.all([confirm(person, otp), confirm(person, otp)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });
});
