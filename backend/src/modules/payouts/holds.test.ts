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

const listShown = async (open: OpenPayouts, userId: string) => {
  // Each call signs in again, because the tests move the clock past the life of a token.
  const { call } = await open.operator('SUPPORT');
  const { body } = await call('GET', `/payouts?userId=${userId}`);
  // The response was checked against the route's schema.
  const items = body['items'] as { id: string; status: string; hold: string | null }[];
  return Object.fromEntries(items.map(({ id, status, hold }) => [id, [status, hold]]));
};
const ashaRao = { registeredName: 'ASHA RAO', nameMatchScore: 100 };
const setScore = (open: OpenPayouts, id: string, nameMatchScore: number | null) =>
  open.system.db.bankAccount.update({ where: { id }, data: { nameMatchScore } });

/** Places a sale for INR 50, and returns its payout. */
const place = async (open: OpenPayouts, userId: string, bankAccountId: string) => {
  const { payoutId } = await open.sales.place({ userId, bankAccountId, amountPaise: 5000n });
  return payoutRow(open, payoutId);
};

/** Runs the jobs and the sweeps as a worker does. */
const runWorker = async (open: OpenPayouts) => {
  await open.drain();
  open.system.clock.advance(120_000);
  await open.runSweeps();
  await open.drain();
};

describe('a payout', () => {
  it('is sent automatically while no hold is set', async ({ open }) => {
    const { payoutId, userId } = await open.payout();
    await open.drain();
    expect(await listShown(open, userId)).toEqual({ [payoutId]: ['PROCESSING', null] });
  });

  it('to a new account waits for an operator, whose approval releases it', async ({ open }) => {
    rules.newAccountHours = 24;
    const { payoutId, userId, call } = await open.payout();
    await runWorker(open);
    expect(await listShown(open, userId)).toEqual({ [payoutId]: ['PENDING', 'NEW_ACCOUNT'] });
    expect(await payoutRow(open, payoutId)).toMatchObject({ attempt: 0, approvalRequired: true });
    expect((await call('GET', `/payouts/${payoutId}`)).body).not.toHaveProperty('hold');
    // The operator signs in here, because the clock was moved past the life of a token.
    const admin = (await open.operator('ADMIN')).call;
    expect(await admin('POST', `/payouts/${payoutId}/approve`)).toMatchObject({
      status: 200,
      body: { status: 'PROCESSING', hold: null },
    });
    await open.drain();
    expect((await payoutRow(open, payoutId)).providerPayoutId).not.toBeNull();
  });

  it('to an account that is old enough is sent', async ({ open }) => {
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    rules.newAccountHours = 24;
    open.system.clock.advance(24 * hourMs);
    const { payoutId } = await open.sales.place({ userId, bankAccountId, amountPaise: 5000n });
    await open.drain();
    expect(await listShown(open, userId)).toEqual({ [payoutId]: ['PROCESSING', null] });
  });

  it('to an account whose name match is too low or unknown waits', async ({ open }) => {
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
    ['belongs to somebody else', 'Asha Rao', 'VIKRAM SINGH', 'NAME_MATCH'],
    ['shares only the family name', 'Asha Rao', 'VIKRAM RAO', 'NAME_MATCH'],
    ['is unknown', 'Asha Rao', undefined, 'NAME_MATCH'],
  ])('is compared with the KYC name if the name at the bank %s', async (row, { open }) => {
    const [, fullName, registeredName, hold] = row;
    const { userId } = await open.factories.approvedCustomer({ fullName });
    // The provider compares the bank's name with the name that the customer entered.
    const bank = { nameMatchScore: 100, registeredName };
    const bankAccountId = await open.account(userId, undefined, bank);
    rules.nameMatchFloor = 70;
    expect((await place(open, userId, bankAccountId)).hold).toBe(hold);
  });

  it('is held if the KYC of its customer is no longer approved', async ({ open }) => {
    const { userId } = await open.factories.approvedCustomer({ fullName: 'Asha Rao' });
    const bankAccountId = await open.account(userId, undefined, ashaRao);
    rules.nameMatchFloor = 70;
    await open.system.db.kycRecord.update({ where: { userId }, data: { status: 'PENDING' } });
    expect((await place(open, userId, bankAccountId)).hold).toBe('NAME_MATCH');
  });

  it('above the daily sum of a customer on an IST day waits, and does not count towards it', async ({
    open,
  }) => {
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    const other = await open.payout(9000n);
    expect((await payoutRow(open, other.payoutId)).hold).toBeNull();
    rules.dailyAutoPaise = paise(10_000n);
    // It is 20:00 in India. The IST day ends four hours later, in the middle of a UTC day.
    const ist = new Date(open.system.clock.now());
    ist.setUTCHours(38, 30, 0, 0);
    open.system.clock.set(ist);
    const holdOf = async (amountPaise: bigint) => {
      const sale = await open.sales.place({ userId, bankAccountId, amountPaise });
      return (await payoutRow(open, sale.payoutId)).hold;
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

  it('above the daily number of a customer on an IST day waits, and does not count towards it', async ({
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
    expect((await listShown(open, userId))[id]).toEqual(['PENDING', 'DAILY_COUNT']);
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

  it('above the cap is approved only by a SUPER_ADMIN, even if it is held', async ({
    open,
    admin,
  }) => {
    rules.newAccountHours = 1;
    const { payoutId, userId } = await open.payout(10_000_001n);
    expect(await listShown(open, userId)).toEqual({ [payoutId]: ['PENDING', 'NEW_ACCOUNT'] });
    expect(await admin('POST', `/payouts/${payoutId}/approve`)).toMatchObject({
      status: 403,
      code: 'PAYOUT_CAP_EXCEEDED',
    });
  });
});

/** Creates a FAILED payout, and another bank account of its customer. */
const createFailedPayout = async (open: OpenPayouts, bank: { registeredName: string }) => {
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
  it('to another account is held like a new payout to it, until it is approved', async ({
    open,
  }) => {
    const { id, other } = await createFailedPayout(open, { registeredName: 'VIKRAM SINGH' });
    rules.nameMatchFloor = 70;
    const admin = (await open.operator('ADMIN')).call;
    const answer = await admin('POST', `/payouts/${id}/retry`, { bankAccountId: other });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'PENDING', hold: 'NAME_MATCH', bankAccountId: other, approvedBy: null },
    });
    await runWorker(open);
    expect(await payoutRow(open, id)).toMatchObject({ status: 'PENDING', attempt: 1 });
    expect(await admin('POST', `/payouts/${id}/approve`)).toMatchObject({
      status: 200,
      body: { status: 'PROCESSING', hold: null },
    });
    await open.drain();
    expect((await payoutRow(open, id)).providerPayoutId).not.toBeNull();
  });

  it('to a new account is held, and to the earlier account it is not', async ({ open }) => {
    const [one, two] = [
      await createFailedPayout(open, { registeredName: 'ASHA RAO' }),
      await createFailedPayout(open, { registeredName: 'ASHA RAO' }),
    ];
    rules.newAccountHours = 24;
    const admin = (await open.operator('ADMIN')).call;
    const held = await admin('POST', `/payouts/${one.id}/retry`, { bankAccountId: one.other });
    expect(held.body).toMatchObject({ status: 'PENDING', hold: 'NEW_ACCOUNT' });
    const same = await admin('POST', `/payouts/${two.id}/retry`, { bankAccountId: two.first });
    expect(same.body).toMatchObject({ status: 'PENDING', hold: null });
    expect((await payoutRow(open, two.id)).approvedAt).not.toBeNull();
  });

  it('to another account without a hold is sent', async ({ open }) => {
    const { id, other } = await createFailedPayout(open, { registeredName: 'ASHA R' });
    rules.nameMatchFloor = 70;
    const admin = (await open.operator('ADMIN')).call;
    await admin('POST', `/payouts/${id}/retry`, { bankAccountId: other });
    await open.drain();
    expect((await payoutRow(open, id)).providerPayoutId).not.toBeNull();
  });
});
