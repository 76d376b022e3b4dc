import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import type {
  ConfirmRequest,
  GoldProvider,
  ProviderPrice,
} from '../../src/adapters/gold-provider/port.ts';
import { divideCeiling, parseGrams, parseRupees } from '../../src/money/index.ts';
import { forEver, startAdapterFixture, valueOf, type AdapterFixture } from './adapter-fixture.ts';

let fixture: AdapterFixture;
let provider: GoldProvider & Closable;
let phones = 9_000_000_000;

const grams = parseGrams('1.2345');

const register = async (): Promise<string> => {
  phones += 1;
  const customer = { phone: `+91${phones}`, name: 'Asha Rao', pincode: '560001' };
  return valueOf(await provider.register(customer)).providerUserId;
};

const price = async (): Promise<ProviderPrice> => valueOf(await provider.price());

const verifyBuy = async (providerUserId: string, quoted?: ProviderPrice) => {
  const { buyRateId, buyPaise, buyTaxBps } = quoted ?? (await price());
  return provider.verifyBuy({
    providerUserId,
    reference: 'order-1',
    rateId: buyRateId,
    rateBuyPaise: buyPaise,
    rateTaxBps: buyTaxBps,
    grams,
  });
};

const verifySell = async (providerUserId: string) => {
  const { sellRateId, sellPaise } = await price();
  const rate = { rateId: sellRateId, rateSellPaise: sellPaise };
  return provider.verifySell({ providerUserId, reference: 'order-2', grams, ...rate });
};

const toConfirm = async (
  providerUserId: string,
  verify: typeof verifyBuy | typeof verifySell,
): Promise<ConfirmRequest> => ({
  ...valueOf(await verify(providerUserId)),
  providerUserId,
  reference: 'order-1',
  rateId: 'unused by two steps',
  pincode: '560001',
});

const buy = async (providerUserId: string): Promise<ConfirmRequest> => {
  const request = await toConfirm(providerUserId, verifyBuy);
  valueOf(await provider.confirmBuy(request));
  return request;
};

beforeAll(async () => {
  fixture = await startAdapterFixture('safegold');
});
afterAll(() => fixture.sandbox.stop());

beforeEach(async () => {
  await fixture.control('DELETE', '/faults');
  await fixture.control('PUT', '/price', {
    buyPaise: 1_234_567,
    sellPaise: 1_200_001,
    spotPaise: 1_222_222,
  });
  // A new one for each test, so that no circuit is left open.
  provider = createGoldProvider(fixture.env, fixture.deps);
});
afterEach(() => provider.close());

describe('a buy', () => {
  test("verifies our grams at the provider's own arithmetic, and confirms once", async () => {
    const user = await register();
    const request = await buy(user);
    const rate = divideCeiling(1_234_567n * 103n, 100n);
    expect(request).toMatchObject({
      grams,
      providerAmountPaise: divideCeiling(12_345n * rate, 10_000n),
    });
    expect(await provider.buyStatus(request)).toEqual({ kind: 'done', value: 'SUCCESS' });
    expect(valueOf(await provider.getUser(user)).goldBalanceGrams).toBe(grams);
    expect(valueOf(await provider.invoiceLink(request))).toMatch(/^http/);
    expect(valueOf(await provider.listTransactions(user, 1))).toEqual({
      transactions: [
        {
          providerTxId: request.providerTxId,
          kind: 'BUY',
          grams,
          amountPaise: request.providerAmountPaise,
        },
      ],
      unreadable: 0,
      hasMore: false,
    });
  });

  test('is agreed on whatever the price and the weight', async () => {
    const user = await register();
    for (const rupees of ['1.01', '777.77', '9999.99', '12345.67', '99999.01']) {
      const buyPaise = Number(parseRupees(rupees));
      await fixture.control('PUT', '/price', { buyPaise, sellPaise: buyPaise });
      const { buyRateId, buyPaise: rateBuyPaise, buyTaxBps: rateTaxBps } = await price();
      for (const text of ['0.0001', '0.0037', '1', '12.3457', '999.9999']) {
        const verified = await provider.verifyBuy({
          providerUserId: user,
          reference: 'order-1',
          rateId: buyRateId,
          rateBuyPaise,
          rateTaxBps,
          grams: parseGrams(text),
        });
        expect(verified).toMatchObject({ kind: 'done', value: { grams: parseGrams(text) } });
      }
    }
  });

  test('is refused when the verify answers other grams', async () => {
    await fixture.fault('buy-verify', 'wrong_amount');
    expect(await verifyBuy(await register())).toMatchObject({
      kind: 'refused',
      code: 'GRAMS_MISMATCH',
    });
  });

  test("is refused with the provider's words when it says no", async () => {
    const user = await register();
    const quoted = await price();
    expect(await verifyBuy(user, { ...quoted, buyRateId: '17' })).toEqual({
      kind: 'refused',
      code: 'RATE_LAPSED',
      message: '8: Invalid rate',
    });
    expect(await verifyBuy('0', quoted)).toMatchObject({ code: 'PROVIDER_REFUSED' });
  });

  test.each(['error', 'timeout', 'reset', 'malformed', 'accept_then_timeout'])(
    'is undecided when the verify ends in %s, which is not asked twice',
    async (fault) => {
      const user = await register();
      const before = (await fixture.calls('buy-verify')).length;
      await fixture.fault('buy-verify', fault);
      expect(await verifyBuy(user)).toMatchObject({ kind: 'unknown' });
      expect(await fixture.calls('buy-verify')).toHaveLength(before + 1);
    },
  );

  test.each([
    ['error', {}, 'NOT_CONFIRMED'],
    ['error', { status: 200 }, 'NOT_CONFIRMED'],
    ['timeout', {}, 'NOT_CONFIRMED'],
    ['reset', {}, 'NOT_CONFIRMED'],
    ['malformed', {}, 'SUCCESS'],
    ['accept_then_timeout', {}, 'SUCCESS'],
  ])(
    'is undecided when the confirm ends in %s %j, and the status tells',
    async (fault, more, expected) => {
      const request = await toConfirm(await register(), verifyBuy);
      const before = (await fixture.calls('buy-confirm')).length;
      await fixture.fault('buy-confirm', fault, more);
      expect(await provider.confirmBuy(request)).toMatchObject({ kind: 'unknown' });
      expect(await fixture.calls('buy-confirm')).toHaveLength(before + 1);
      expect(await provider.buyStatus(request)).toEqual({ kind: 'done', value: expected });
    },
  );

  test('that is slow but in time is done', async () => {
    const request = await toConfirm(await register(), verifyBuy);
    await fixture.fault('buy-confirm', 'slow', { delayMs: 50 });
    expect(await provider.confirmBuy(request)).toMatchObject({ kind: 'done' });
  });

  test('confirmed too late answers blank, and the status says failed', async () => {
    const request = await toConfirm(await register(), verifyBuy);
    await fixture.control('POST', '/clock', { advanceSeconds: 601 });
    expect(await provider.confirmBuy(request)).toEqual({ kind: 'unknown', reason: 'BLANK_ANSWER' });
    expect(await provider.buyStatus(request)).toEqual({ kind: 'done', value: 'FAILED' });
  });

  test("of somebody else is refused at the confirm, with the provider's code", async () => {
    const request = await toConfirm(await register(), verifyBuy);
    const other = { ...request, providerUserId: await register() };
    expect(await provider.confirmBuy(other)).toMatchObject({
      kind: 'refused',
      code: 'PROVIDER_REFUSED',
      message: expect.stringMatching(/^3: /),
    });
  });
});

describe('the status', () => {
  test('of a transaction that the provider does not know is a refusal of its own', async () => {
    expect(await provider.buyStatus({ providerTxId: '1' })).toMatchObject({
      kind: 'refused',
      code: 'UNKNOWN_TRANSACTION',
    });
  });

  test('is not "unknown transaction" where the question was refused for another reason', async () => {
    const request = await toConfirm(await register(), verifyBuy);
    await fixture.fault('buy-status', 'error', { status: 400 });
    expect(await provider.buyStatus(request)).toMatchObject({
      kind: 'refused',
      code: 'PROVIDER_REFUSED',
    });
  });

  test.each(['error', 'timeout', 'reset', 'malformed'])('is unknown after %s', async (fault) => {
    const request = await toConfirm(await register(), verifyBuy);
    await fixture.fault('buy-status', fault, { times: 3 });
    expect(await provider.buyStatus(request)).toMatchObject({ kind: 'unknown' });
  });

  test('that does not come in time is unknown', async () => {
    const impatient = createGoldProvider(
      { ...fixture.env, SAFEGOLD_TIMEOUT_MS: '200' },
      fixture.deps,
    );
    await fixture.fault('buy-status', 'timeout', { times: 1000, delayMs: forEver });
    const answer = await impatient.buyStatus({ providerTxId: '1' });
    expect(answer).toEqual({ kind: 'unknown', reason: 'TIMED_OUT' });
    await impatient.close();
  });
});

describe('a sale', () => {
  test('takes the gold away once it is confirmed', async () => {
    const user = await register();
    await buy(user);
    const request = await toConfirm(user, verifySell);
    expect(request.providerAmountPaise).toBe(divideCeiling(12_345n * 1_200_001n, 10_000n));
    expect(await provider.sellStatus(request)).toEqual({ kind: 'done', value: 'NOT_CONFIRMED' });
    expect(await provider.confirmSell(request)).toMatchObject({ kind: 'done' });
    expect(await provider.sellStatus(request)).toEqual({ kind: 'done', value: 'SUCCESS' });
    expect(valueOf(await provider.getUser(user)).goldBalanceGrams).toBe(0n);
  });

  test('of more than the provider holds is refused', async () => {
    expect(await verifySell(await register())).toMatchObject({
      kind: 'refused',
      code: 'PROVIDER_REFUSED',
    });
  });

  test('is refused when the verify answers other grams', async () => {
    const user = await register();
    await buy(user);
    await fixture.fault('sell-verify', 'wrong_amount');
    expect(await verifySell(user)).toMatchObject({ kind: 'refused', code: 'GRAMS_MISMATCH' });
  });

  test('is undecided after a cut connection, and the status tells', async () => {
    const user = await register();
    await buy(user);
    const request = await toConfirm(user, verifySell);
    await fixture.fault('sell-confirm', 'accept_then_timeout');
    expect(await provider.confirmSell(request)).toMatchObject({ kind: 'unknown' });
    expect(await provider.sellStatus(request)).toEqual({ kind: 'done', value: 'SUCCESS' });
  });
});
