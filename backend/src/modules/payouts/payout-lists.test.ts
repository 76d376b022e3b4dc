import { describe, expect } from 'vitest';
import type { OpenPayouts } from '#test/support/open-payouts.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import type { PayoutHolds } from './index.ts';

const rules: { -readonly [Name in keyof PayoutHolds]: PayoutHolds[Name] } = {
  newAccountHours: undefined,
  nameMatchFloor: undefined,
  dailyAutoPaise: undefined,
  dailyAutoCount: undefined,
};
const it = payoutTest({ holds: rules });
it.beforeEach(() => {
  rules.newAccountHours = undefined;
});
it.afterEach(({ open }) => open.drain());

/** Returns the ids of a list that an operator requests right after signing in. */
const list = async (open: OpenPayouts, query: string): Promise<string[]> => {
  const { call } = await open.operator('SUPPORT');
  const { status, body } = await call('GET', `/payouts?limit=100&${query}`);
  expect(status).toBe(200);
  // The response was checked against the route's schema.
  const items = body['items'] as { id: string }[];
  expect(body['total']).toBe(items.length);
  return items.map(({ id }) => id);
};

describe('GET /payouts of operators', () => {
  it('filters by hold, and by the cap without a hold', async ({ open }) => {
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    const big = await open.sales.place({ userId, bankAccountId, amountPaise: 10_000_001n });
    rules.newAccountHours = 24;
    const held = await open.sales.place({ userId, bankAccountId, amountPaise: 5000n });
    expect(await list(open, `userId=${userId}&hold=NEW_ACCOUNT`)).toEqual([held.payoutId]);
    expect(await list(open, `userId=${userId}&hold=CAP`)).toEqual([big.payoutId]);
    const { call } = await open.operator('SUPER_ADMIN');
    await call('POST', `/payouts/${held.payoutId}/approve`);
    expect(await list(open, `userId=${userId}&hold=NEW_ACCOUNT`)).toEqual([]);
  });

  it('filters by amount and by time of creation', async ({ open }) => {
    const { userId } = await open.customer();
    const bankAccountId = await open.account(userId);
    const place = async (amountPaise: bigint) =>
      (await open.sales.place({ userId, bankAccountId, amountPaise })).payoutId;
    const small = await place(5000n);
    open.system.clock.advance(60_000);
    const later = open.system.clock.now().toISOString();
    const large = await place(7000n);
    const mine = `userId=${userId}&status=PENDING`;
    expect(await list(open, `${mine}&minPaise=5001`)).toEqual([large]);
    expect(await list(open, `${mine}&maxPaise=5000`)).toEqual([small]);
    expect(await list(open, `${mine}&minPaise=5000&maxPaise=7000`)).toEqual([large, small]);
    expect(await list(open, `${mine}&from=${later}`)).toEqual([large]);
    expect(await list(open, `${mine}&to=${later}`)).toEqual([small]);
    const { call } = await open.operator('SUPPORT');
    const refused = await call('GET', '/payouts?minPaise=1.5');
    expect(refused).toMatchObject({ status: 400, field: 'minPaise' });
  });

  it('shows one payout with every attempt', async ({ open }) => {
    const { payoutId, key, userId } = await open.payout();
    await open.drain();
    const { call } = await open.operator('SUPPORT');
    const { status, body } = await call('GET', `/payouts/${payoutId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: payoutId,
      userId,
      status: 'PROCESSING',
      attempts: [{ attempt: 1, status: 'PROCESSING', contradictedAt: null }],
    });
    expect(key).toContain('-1');
    expect((await call('GET', `/payouts/${userId}`)).status).toBe(404);
  });
});
