import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromSafePaise } from '../../src/money/index.ts';
import { startAdapterFixture, valueOf, type AdapterFixture } from './adapter-fixture.ts';
import { newPayout, nextKey, openRazorpayx } from './razorpayx-fixture.ts';

let fixture: AdapterFixture;
let provider: ReturnType<typeof openRazorpayx>;

const play = (path: string, outcome: string): Promise<unknown> =>
  fixture.control('POST', path, { outcome, deliver: 'none' });

beforeAll(async () => {
  fixture = await startAdapterFixture('razorpayx');
});
afterAll(() => fixture.sandbox.stop());
beforeEach(async () => {
  await fixture.control('DELETE', '/faults');
  // A new one for each test, so that no circuit is left open.
  provider = openRazorpayx(fixture);
});
afterEach(() => provider.close());

describe('a payout', () => {
  test('is asked for with its key and the body that the provider wants', async () => {
    const asked = await newPayout(provider);
    const made = valueOf(await provider.createPayout(asked));
    expect(made).toEqual({
      providerPayoutId: expect.stringMatching(/^pout_/),
      referenceId: asked.referenceId,
      fundAccountId: asked.fundAccountId,
      amountPaise: 123_456n,
      status: 'PROCESSING',
      providerStatus: 'processing',
      mode: 'IMPS',
    });
    const [entry] = (await fixture.calls('create-payout')).slice(-1);
    expect(entry).toMatchObject({
      idempotencyKey: asked.idempotencyKey,
      body: {
        account_number: '7878780080316316',
        fund_account_id: asked.fundAccountId,
        amount: 123_456,
        currency: 'INR',
        mode: 'IMPS',
        purpose: 'payout',
        queue_if_low_balance: true,
        reference_id: asked.referenceId,
        narration: 'Gold sale 12 thank you very mu',
      },
    });
  });

  test('is the same for the same key, however often it is sent', async () => {
    const asked = await newPayout(provider);
    const first = valueOf(await provider.createPayout(asked));
    const sends = Array.from({ length: 5 }, () => provider.createPayout(asked));
    for (const again of await Promise.all(sends)) expect(valueOf(again)).toEqual(first);
    expect(valueOf(await provider.findPayoutByReference(asked.referenceId))).toEqual(first);
    expect(valueOf(await provider.getPayout(first.providerPayoutId))).toEqual(first);
  });

  test('that was made for another amount is no refusal: it exists', async () => {
    const asked = await newPayout(provider);
    valueOf(await provider.createPayout(asked));
    const other = { ...asked, amountPaise: fromSafePaise(1_000) };
    expect(await provider.createPayout(other)).toEqual({
      kind: 'unknown',
      reason: 'ANSWER_ABOUT_ANOTHER',
    });
    const reworded = await provider.createPayout({ ...asked, narration: 'Other words' });
    expect(valueOf(reworded).amountPaise).toBe(asked.amountPaise);
  });

  test('that the provider refuses certainly does not exist', async () => {
    const asked = { ...(await newPayout(provider)), fundAccountId: 'fa_of_nobody' };
    expect(await provider.createPayout(asked)).toMatchObject({ code: 'PAYOUT_REFUSED' });
    expect(valueOf(await provider.findPayoutByReference(asked.referenceId))).toBeUndefined();
  });

  test('whose refusal cannot be confirmed is undecided', async () => {
    const asked = { ...(await newPayout(provider)), fundAccountId: 'fa_of_nobody' };
    await fixture.fault('list-payouts', 'error', { times: 3 });
    expect(await provider.createPayout(asked)).toMatchObject({ kind: 'unknown' });
  });

  test.each([
    ['amountPaise', fromSafePaise(99)],
    ['amountPaise', fromSafePaise(50_000_001)],
    ['idempotencyKey', 'k'.repeat(37)],
    ['referenceId', 'r'.repeat(41)],
  ])('with %s %s is never sent', async (name, value) => {
    const before = (await fixture.calls('create-payout')).length;
    const asked = { ...(await newPayout(provider)), [name]: value };
    expect(await provider.createPayout(asked)).toMatchObject({ code: 'PAYOUT_REFUSED' });
    expect(await fixture.calls('create-payout')).toHaveLength(before);
  });

  test.each([
    ['processed', 'PAID'],
    ['failed', 'FAILED'],
    ['rejected', 'FAILED'],
    ['reversed', 'REVERSED'],
  ])('that is %s is %s', async (outcome, status) => {
    const asked = await newPayout(provider);
    const { providerPayoutId } = valueOf(await provider.createPayout(asked));
    await play(`/payouts/${providerPayoutId}`, outcome);
    const now = valueOf(await provider.getPayout(providerPayoutId));
    expect(now).toMatchObject({ status, providerStatus: outcome });
    expect(now.utr !== undefined).toBe(status === 'PAID');
    expect(now.failureReason !== undefined).toBe(status !== 'PAID');
  });

  test('that nobody made is told from one that nobody can tell about', async () => {
    expect(await provider.getPayout('pout_of_nobody')).toMatchObject({ code: 'PAYOUT_NOT_FOUND' });
    expect(await provider.findPayoutByReference('none')).toEqual({
      kind: 'done',
      value: undefined,
    });
    await fixture.fault('get-payout', 'error', { times: 3 });
    expect(await provider.getPayout('pout_of_nobody')).toMatchObject({ kind: 'unknown' });
    await fixture.fault('list-payouts', 'malformed', { times: 3 });
    expect(await provider.findPayoutByReference('none')).toMatchObject({ kind: 'unknown' });
  });
});

test('payouts of a stretch of time are listed page by page', async () => {
  const from = new Date(fixture.clock.now().getTime() - 3_600_000);
  const to = new Date(fixture.clock.now().getTime() + 3_600_000);
  const asked = await newPayout(provider);
  for (let count = 0; count < 101; count += 1) {
    const key = nextKey();
    valueOf(await provider.createPayout({ ...asked, idempotencyKey: key, referenceId: key }));
  }
  const first = valueOf(await provider.listPayouts({ from, to, page: 1 }));
  expect(first).toMatchObject({ hasMore: true });
  const second = valueOf(await provider.listPayouts({ from, to, page: 2 }));
  expect(second.hasMore).toBe(false);
  const ids = [...first.payouts, ...second.payouts].map((payout) => payout.providerPayoutId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(100);
  const before = { from: new Date(from.getTime() - 3_600_000), to: from, page: 1 };
  expect(valueOf(await provider.listPayouts(before))).toEqual({
    payouts: [],
    unreadable: 0,
    hasMore: false,
  });
});
