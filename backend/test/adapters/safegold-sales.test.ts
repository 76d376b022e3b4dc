import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import type { ConfirmRequest, GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import { parseGrams } from '../../src/money/index.ts';
import { startAdapterFixture, valueOf, type AdapterFixture } from './adapter-fixture.ts';

let fixture: AdapterFixture;
let provider: GoldProvider & Closable;
let providerUserId: string;

const grams = parseGrams('0.5');
const step = { reference: 'order-1', rateId: 'unused by two steps', pincode: '560001' };

/** A customer with 0.5 g. */
const registerHolder = async (): Promise<string> => {
  const customer = { phone: '+919876543210', name: 'Asha Rao', pincode: '560001' };
  const user = valueOf(await provider.register(customer)).providerUserId;
  const { buyRateId, buyPaise, buyTaxBps } = valueOf(await provider.price());
  const bought = await provider.verifyBuy({
    providerUserId: user,
    reference: 'order-0',
    rateId: buyRateId,
    rateBuyPaise: buyPaise,
    rateTaxBps: buyTaxBps,
    grams,
  });
  valueOf(await provider.confirmBuy({ ...valueOf(bought), ...step, providerUserId: user }));
  return user;
};

const verify = async () => {
  const { sellRateId, sellPaise } = valueOf(await provider.price());
  const rate = { rateId: sellRateId, rateSellPaise: sellPaise };
  return provider.verifySell({ providerUserId, reference: 'order-1', grams, ...rate });
};

const verified = async (): Promise<ConfirmRequest> => ({
  ...valueOf(await verify()),
  ...step,
  providerUserId,
});

const say = (request: ConfirmRequest, status: number) =>
  fixture.control('POST', `/transactions/${request.providerTxId}`, { status });

beforeAll(async () => {
  fixture = await startAdapterFixture('safegold');
});
afterAll(() => fixture.sandbox.stop());

beforeEach(async () => {
  await fixture.control('POST', '/reset');
  await fixture.control('PUT', '/price', { buyPaise: 1_234_567, sellPaise: 1_200_001 });
  // A new one for each test, so that no circuit is left open.
  provider = createGoldProvider(fixture.env, fixture.deps);
  providerUserId = await registerHolder();
});
afterEach(() => provider.close());

describe("a sale's verify", () => {
  test.each(['error', 'timeout', 'reset', 'malformed', 'accept_then_timeout'])(
    'is undecided after %s and asked for once',
    async (fault) => {
      const before = (await fixture.calls('sell-verify')).length;
      await fixture.fault('sell-verify', fault);
      expect(await verify()).toMatchObject({ kind: 'unknown' });
      expect(await fixture.calls('sell-verify')).toHaveLength(before + 1);
    },
  );
});

describe("a sale's confirm", () => {
  test.each([
    ['error', {}, 'NOT_CONFIRMED'],
    ['error', { status: 200 }, 'NOT_CONFIRMED'],
    ['timeout', {}, 'NOT_CONFIRMED'],
    ['reset', {}, 'NOT_CONFIRMED'],
    ['malformed', {}, 'SUCCESS'],
    ['accept_then_timeout', {}, 'SUCCESS'],
  ])(
    'is undecided after %s %j and not sent twice; its status is %s',
    async (fault, more, status) => {
      const request = await verified();
      await fixture.fault('sell-confirm', fault, more);
      expect(await provider.confirmSell(request)).toMatchObject({ kind: 'unknown' });
      expect(await fixture.calls('sell-confirm')).toHaveLength(1);
      expect(valueOf(await provider.sellStatus(request))).toBe(status);
      expect(await provider.confirmSell(request)).toMatchObject({ kind: 'done' });
      expect(valueOf(await provider.getUser(providerUserId)).goldBalanceGrams).toBe(0n);
    },
  );

  test('of gold that is gone is refused, and stays unconfirmed', async () => {
    const first = await verified();
    const second = await verified();
    valueOf(await provider.confirmSell(first));
    expect(await provider.confirmSell(second)).toMatchObject({ code: 'PROVIDER_REFUSED' });
    expect(valueOf(await provider.sellStatus(second))).toBe('NOT_CONFIRMED');
  });

  test('past the window is undecided, and its status final', async () => {
    const request = await verified();
    await fixture.control('POST', '/clock', { advanceSeconds: 601 });
    expect(await provider.confirmSell(request)).toEqual({
      kind: 'unknown',
      reason: 'BLANK_ANSWER',
    });
    expect(valueOf(await provider.sellStatus(request))).toBe('FAILED');
  });
});

describe("a sale's status", () => {
  test.each([
    [0, 'NOT_CONFIRMED'],
    [1, 'SUCCESS'],
    [2, 'FAILED'],
    [3, 'IN_PROGRESS'],
  ])('%s is %s', async (status, word) => {
    const request = await verified();
    await say(request, status);
    expect(valueOf(await provider.sellStatus(request))).toBe(word);
  });

  test.each(['error', 'malformed', 'reset'])('is unknown while asking meets %s', async (fault) => {
    const request = await verified();
    await fixture.fault('sell-status', fault, { times: 3 });
    expect(await provider.sellStatus(request)).toMatchObject({ kind: 'unknown' });
    await fixture.control('DELETE', '/faults');
    expect(valueOf(await provider.sellStatus(request))).toBe('NOT_CONFIRMED');
  });

  test('is not "unknown transaction" where the question was refused for another reason', async () => {
    const request = await verified();
    await fixture.fault('sell-status', 'error', { status: 400 });
    expect(await provider.sellStatus(request)).toMatchObject({ code: 'PROVIDER_REFUSED' });
  });

  test("of another's transaction is a refusal", async () => {
    expect(await provider.sellStatus({ providerTxId: '999' })).toMatchObject({
      code: 'UNKNOWN_TRANSACTION',
    });
  });
});
