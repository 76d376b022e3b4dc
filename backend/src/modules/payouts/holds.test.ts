import { describe, expect } from 'vitest';
import type { OpenPayouts } from '#test/support/open-payouts.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { paise } from '../../money/index.ts';
import type { PayoutHolds } from './index.ts';

const hourMs = 3_600_000;
const none: PayoutHolds = {
  newAccountHours: undefined,
  nameMatchFloor: undefined,
  dailyAutoPaise: undefined,
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

const row = (open: OpenPayouts, id: string) =>
  open.system.db.payout.findUniqueOrThrow({ where: { id } });
const shown = async (open: OpenPayouts, userId: string) => {
  // A new one each time: a token does not outlive the times that pass here.
  const { call } = await open.operator('SUPPORT');
  const { body } = await call('GET', `/payouts?userId=${userId}`);
  // The route's own schema was checked.
  const items = body['items'] as { id: string; status: string; hold: string | null }[];
  return Object.fromEntries(items.map(({ id, status, hold }) => [id, [status, hold]]));
};
const setScore = (open: OpenPayouts, id: string, nameMatchScore: number | null) =>
  open.system.db.bankAccount.update({ where: { id }, data: { nameMatchScore } });

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
    expect(await row(open, payoutId)).toMatchObject({ attempt: 0, approvalRequired: true });
    expect((await call('GET', `/payouts/${payoutId}`)).body).not.toHaveProperty('hold');
    // A new one: a token does not outlive the times that pass here.
    const admin = (await open.operator('ADMIN')).call;
    expect(await admin('POST', `/payouts/${payoutId}/approve`)).toMatchObject({
      status: 200,
      body: { status: 'PROCESSING', hold: null },
    });
    await open.drain();
    expect((await row(open, payoutId)).providerPayoutId).not.toBeNull();
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
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    rules.nameMatchFloor = 70;
    const holds: (string | null)[] = [];
    for (const score of [69, null, 70, 100]) {
      await setScore(open, bankAccountId, score);
      const sell = await open.sales.place({ userId, bankAccountId, amountPaise: 5000n });
      holds.push((await row(open, sell.payoutId)).hold);
    }
    expect(holds).toEqual(['NAME_MATCH', 'NAME_MATCH', null, null]);
  });

  it('beyond what goes out for a customer on one IST day waits, and counts no more', async ({
    open,
  }) => {
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    const other = await open.payout(9000n);
    expect((await row(open, other.payoutId)).hold).toBeNull();
    rules.dailyAutoPaise = paise(10_000n);
    // 20:00 in India: the day ends four hours later, in the middle of a UTC day.
    const ist = new Date(open.system.clock.now());
    ist.setUTCHours(38, 30, 0, 0);
    open.system.clock.set(ist);
    const place = async (amountPaise: bigint) => {
      const sell = await open.sales.place({ userId, bankAccountId, amountPaise });
      return (await row(open, sell.payoutId)).hold;
    };
    expect(await place(6000n)).toBeNull();
    expect(await place(4001n)).toBe('DAILY_SUM');
    expect(await place(4000n)).toBeNull();
    expect(await place(1n)).toBe('DAILY_SUM');
    open.system.clock.advance(4 * hourMs - 1);
    expect(await place(1n)).toBe('DAILY_SUM');
    open.system.clock.advance(1);
    expect(await place(10_000n)).toBeNull();
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
