import { describe, expect } from 'vitest';
import type { OpenPayouts } from '#test/support/open-payouts.ts';
import { payoutRow } from '#test/support/payout-calls.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { paise } from '../../money/index.ts';
import type { PayoutHolds } from './index.ts';

const hourMs = 3_600_000;
const none: PayoutHolds = {
  newAccountHours: undefined,
  nameMatchFloor: undefined,
  dailyAutoPaise: undefined,
  dailyAutoCount: undefined,
};
/** The rules of the process under test, which the tests change. */
const rules: { -readonly [Name in keyof PayoutHolds]: PayoutHolds[Name] } = { ...none };

const it = payoutTest({ holds: rules }).extend(
  'admin',
  async ({ open }) => (await open.operator('ADMIN')).call,
);
it.beforeEach(() => {
  Object.assign(rules, none);
});
it.afterEach(({ open }) => open.drain());

const shown = async (open: OpenPayouts, userId: string) => {
  // A new one each time: a token does not outlive the times that pass here.
  const { call } = await open.operator('SUPPORT');
  const { body } = await call('GET', `/payouts?userId=${userId}`);
  // The route's own schema was checked.
  const items = body['items'] as { id: string; status: string; hold: string | null }[];
  return Object.fromEntries(items.map(({ id, status, hold }) => [id, [status, hold]]));
};
const ashaRao = { registeredName: 'ASHA RAO', nameMatchScore: 100 };
const setScore = (open: OpenPayouts, id: string, nameMatchScore: number | null) =>
  open.system.db.bankAccount.update({ where: { id }, data: { nameMatchScore } });

/** A sale for INR 50, and its payout. */
const place = async (open: OpenPayouts, userId: string, bankAccountId: string) => {
  const { payoutId } = await open.sales.place({ userId, bankAccountId, amountPaise: 5000n });
  return payoutRow(open, payoutId);
};

/** Lets a worker do whatever it would do with what waits. */
const letWorkersTry = async (open: OpenPayouts) => {
  await open.drain();
  open.system.clock.advance(120_000);
  await open.runSweeps();
  await open.drain();
};

describe('a payout', () => {
  it('goes out by itself while no hold is set', async ({ open }) => {
    const { payoutId, userId } = await open.payout();
    await open.drain();
    expect(await shown(open, userId)).toEqual({ [payoutId]: ['PROCESSING', null] });
  });

  it('to a new account waits for an operator, whose approval releases it', async ({ open }) => {
    rules.newAccountHours = 24;
    const { payoutId, userId, call } = await open.payout();
    await letWorkersTry(open);
    expect(await shown(open, userId)).toEqual({ [payoutId]: ['PENDING', 'NEW_ACCOUNT'] });
    expect(await payoutRow(open, payoutId)).toMatchObject({ attempt: 0, approvalRequired: true });
    expect((await call('GET', `/payouts/${payoutId}`)).body).not.toHaveProperty('hold');
    // A new one: a token does not outlive the times that pass here.
    const admin = (await open.operator('ADMIN')).call;
    expect(await admin('POST', `/payouts/${payoutId}/approve`)).toMatchObject({
      status: 200,
      body: { status: 'PROCESSING', hold: null },
    });
    await open.drain();
    expect((await payoutRow(open, payoutId)).providerPayoutId).not.toBeNull();
  });

  it('to an account that is old enough goes out', async ({ open }) => {
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    rules.newAccountHours = 24;
    open.system.clock.advance(24 * hourMs);
    const { payoutId } = await open.sales.place({ userId, bankAccountId, amountPaise: 5000n });
    await open.drain();
    expect(await shown(open, userId)).toEqual({ [payoutId]: ['PROCESSING', null] });
  });

  it('to an account whose name matches too little, or unknown, waits', async ({ open }) => {
    const { userId } = await open.factories.approvedCustomer({ fullName: 'Asha Rao' });
    const bankAccountId = await open.account(userId);
    rules.nameMatchFloor = 70;
    const holds: (string | null)[] = [];
    for (const score of [69, null, 70, 100]) {
      await setScore(open, bankAccountId, score);
      holds.push((await place(open, userId, bankAccountId)).hold);
    }
    expect(holds).toEqual(['NAME_MATCH', 'NAME_MATCH', null, null]);
  });

  it.for<[string, string, string | undefined, string | null]>([
    ['is the same', 'Asha Rao', 'ASHA RAO', null],
    ['has an initial and a title', 'Asha Rao', 'MRS. A RAO', null],
    ['is that of somebody else', 'Asha Rao', 'VIKRAM SINGH', 'NAME_MATCH'],
    ['shares the family name alone', 'Asha Rao', 'VIKRAM RAO', 'NAME_MATCH'],
    ['is unknown', 'Asha Rao', undefined, 'NAME_MATCH'],
  ])('is held by the name of the KYC, where the one of the bank %s', async (row, { open }) => {
    const [, fullName, registeredName, hold] = row;
    const { userId } = await open.factories.approvedCustomer({ fullName });
    // The provider compares the bank's name with the one that the customer gave for the account.
    const bank = { nameMatchScore: 100, registeredName };
    const bankAccountId = await open.account(userId, undefined, bank);
    rules.nameMatchFloor = 70;
    expect((await place(open, userId, bankAccountId)).hold).toBe(hold);
  });

  it('is held where the KYC of its customer is not approved any more', async ({ open }) => {
    const { userId } = await open.factories.approvedCustomer({ fullName: 'Asha Rao' });
    const bankAccountId = await open.account(userId, undefined, ashaRao);
    rules.nameMatchFloor = 70;
    await open.system.db.kycRecord.update({ where: { userId }, data: { status: 'PENDING' } });
    expect((await place(open, userId, bankAccountId)).hold).toBe('NAME_MATCH');
  });

  it('beyond what goes out for a customer on one IST day waits, and counts no more', async ({
    open,
  }) => {
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    const other = await open.payout(9000n);
    expect((await payoutRow(open, other.payoutId)).hold).toBeNull();
    rules.dailyAutoPaise = paise(10_000n);
    // 20:00 in India: the day ends four hours later, in the middle of a UTC day.
    const ist = new Date(open.system.clock.now());
    ist.setUTCHours(38, 30, 0, 0);
    open.system.clock.set(ist);
    const holdOf = async (amountPaise: bigint) => {
      const sell = await open.sales.place({ userId, bankAccountId, amountPaise });
      return (await payoutRow(open, sell.payoutId)).hold;
    };
    expect(await holdOf(6000n)).toBeNull();
    expect(await holdOf(4001n)).toBe('DAILY_SUM');
    expect(await holdOf(4000n)).toBeNull();
    expect(await holdOf(1n)).toBe('DAILY_SUM');
    open.system.clock.advance(4 * hourMs - 1);
    expect(await holdOf(1n)).toBe('DAILY_SUM');
    open.system.clock.advance(1);
    expect(await holdOf(10_000n)).toBeNull();
  });

  it('beyond the number that goes out for a customer on one IST day waits, and counts no more', async ({
    open,
  }) => {
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    const other = await open.payout(9000n);
    expect((await payoutRow(open, other.payoutId)).hold).toBeNull();
    rules.dailyAutoCount = 2;
    const ist = new Date(open.system.clock.now());
    ist.setUTCHours(38, 30, 0, 0);
    open.system.clock.set(ist);
    const holdNow = async () => (await place(open, userId, bankAccountId)).hold;
    expect([await holdNow(), await holdNow()]).toEqual([null, null]);
    const { id } = await place(open, userId, bankAccountId);
    expect((await shown(open, userId))[id]).toEqual(['PENDING', 'DAILY_COUNT']);
    open.system.clock.advance(4 * hourMs);
    expect([await holdNow(), await holdNow(), await holdNow()]).toEqual([
      null,
      null,
      'DAILY_COUNT',
    ]);
    const admin = (await open.operator('ADMIN')).call;
    expect((await admin('POST', `/payouts/${id}/approve`)).body).toMatchObject({
      status: 'PROCESSING',
      hold: null,
    });
  });

  it('above the cap is for a SUPER_ADMIN, held or not', async ({ open, admin }) => {
    rules.newAccountHours = 1;
    const { payoutId, userId } = await open.payout(10_000_001n);
    expect(await shown(open, userId)).toEqual({ [payoutId]: ['PENDING', 'NEW_ACCOUNT'] });
    expect(await admin('POST', `/payouts/${payoutId}/approve`)).toMatchObject({
      status: 403,
      code: 'PAYOUT_CAP_EXCEEDED',
    });
  });
});

/** A payout that failed, and another account of its customer. */
const failed = async (open: OpenPayouts, bank: { registeredName: string }) => {
  const { userId } = await open.factories.approvedCustomer({ fullName: 'Asha Rao' });
  const first = await open.account(userId, undefined, ashaRao);
  const other = await open.account(userId, undefined, { ...ashaRao, ...bank });
  const { id } = await place(open, userId, first);
  await open.drain();
  const outcome = { outcome: 'failed', deliver: 'none' };
  await open.system.sandbox.control('POST', `/payouts/${id}`, outcome);
  open.system.clock.advance(120_000);
  await open.runSweeps('payouts-poll-attempts');
  expect((await payoutRow(open, id)).status).toBe('FAILED');
  return { id, first, other };
};

describe('a retry', () => {
  it('to another account is held by what holds payouts to it, until it is approved', async ({
    open,
  }) => {
    const { id, other } = await failed(open, { registeredName: 'VIKRAM SINGH' });
    rules.nameMatchFloor = 70;
    const admin = (await open.operator('ADMIN')).call;
    const answer = await admin('POST', `/payouts/${id}/retry`, { bankAccountId: other });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'PENDING', hold: 'NAME_MATCH', bankAccountId: other, approvedBy: null },
    });
    await letWorkersTry(open);
    expect(await payoutRow(open, id)).toMatchObject({ status: 'PENDING', attempt: 1 });
    expect(await admin('POST', `/payouts/${id}/approve`)).toMatchObject({
      status: 200,
      body: { status: 'PROCESSING', hold: null },
    });
    await open.drain();
    expect((await payoutRow(open, id)).providerPayoutId).not.toBeNull();
  });

  it('to a new account is held, and to the account of before it is not', async ({ open }) => {
    const [one, two] = [
      await failed(open, { registeredName: 'ASHA RAO' }),
      await failed(open, { registeredName: 'ASHA RAO' }),
    ];
    rules.newAccountHours = 24;
    const admin = (await open.operator('ADMIN')).call;
    const held = await admin('POST', `/payouts/${one.id}/retry`, { bankAccountId: one.other });
    expect(held.body).toMatchObject({ status: 'PENDING', hold: 'NEW_ACCOUNT' });
    const same = await admin('POST', `/payouts/${two.id}/retry`, { bankAccountId: two.first });
    expect(same.body).toMatchObject({ status: 'PENDING', hold: null });
    expect((await payoutRow(open, two.id)).approvedAt).not.toBeNull();
  });

  it('to another account that no hold concerns goes out', async ({ open }) => {
    const { id, other } = await failed(open, { registeredName: 'ASHA R' });
    rules.nameMatchFloor = 70;
    const admin = (await open.operator('ADMIN')).call;
    await admin('POST', `/payouts/${id}/retry`, { bankAccountId: other });
    await open.drain();
    expect((await payoutRow(open, id)).providerPayoutId).not.toBeNull();
  });
});
