import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { assertInvariants } from '../../../test/support/invariants.ts';
import { openGold, type Answer, type OpenGold } from '../../../test/support/open-gold.ts';
import { createSellers, newSellKey, type Seller } from '../../../test/support/sellers.ts';

/** A process that dies at one of its calls: nothing after it happens, not even letting go. */
const death: { at: string | undefined; died: (() => void) | undefined } = {
  at: undefined,
  died: undefined,
};
const dieAt = async (point: string): Promise<void> => {
  if (death.at !== point) return;
  death.died?.();
  await new Promise<never>(() => {});
};
const mortal = (provider: GoldProvider): GoldProvider => ({
  ...provider,
  async verifySell(request) {
    await dieAt('before the verify');
    const outcome = await provider.verifySell(request);
    await dieAt('after the verify');
    return outcome;
  },
  async confirmSell(request) {
    await dieAt('before the confirm');
    const outcome = await provider.confirmSell(request);
    await dieAt('after the confirm');
    return outcome;
  },
  async sellStatus(question) {
    const outcome = await provider.sellStatus(question);
    await dieAt('after the status');
    return outcome;
  },
});

let open: OpenGold;
let sellers: ReturnType<typeof createSellers>;
let seller: Seller;
beforeAll(async () => {
  open = await openGold({ wrapProvider: mortal });
  sellers = createSellers(open);
});
afterAll(() => open.close());
beforeEach(async () => {
  seller = await sellers.newSeller();
});
afterEach(async () => {
  death.at = undefined;
  await open.sandbox.control('DELETE', '/faults');
  await assertInvariants({ databaseUrl: open.databaseUrl, sandboxUrl: open.sandbox.url });
});

const codeOf = (answer: Answer) => [answer.status, answer.body.error.code];
const sell = (key = newSellKey()) => sellers.sell(seller, '0.02', { idempotency_key: key });
const theSell = async () => {
  const [order, ...more] = await sellers.sellsOf(seller.id);
  expect(more).toEqual([]);
  if (order === undefined) throw new Error('no sell was written');
  return order;
};
const confirmsOf = async (txId: string | null): Promise<number> => {
  const entries = await open.journal('sell-confirm');
  return entries.filter(({ body }) => String(body['tx_id']) === txId).length;
};
const toldOf = async (): Promise<string[]> => {
  const rows = await open.database.db.notification.findMany({ where: { userId: seller.id } });
  return rows.map(({ type }) => type).filter((type) => type !== 'buy_success');
};

/** Nothing was sold, and the gold is free. */
const expectFree = async (): Promise<void> => {
  const holding = await sellers.holdingOf(seller.id);
  expect(holding).toMatchObject({ balance: seller.grams, reserved: '0.0000' });
  expect(await theSell()).toMatchObject({ status: 'FAILED', manualReviewCode: null });
};
/** Sold once, here and there. */
const expectSold = async (): Promise<void> => {
  const order = await theSell();
  expect(order).toMatchObject({ status: 'CONFIRMED', manualReviewCode: null });
  const { balance, reserved } = await sellers.holdingOf(seller.id);
  expect(reserved).toBe('0.0000');
  expect(Number(balance)).toBeCloseTo(Number(seller.grams) - 0.02, 6);
  expect(Number(await sellers.atProvider(seller))).toBe(Number(balance));
  expect(await open.database.db.payout.count({ where: { orderId: order.id } })).toBe(1);
  expect(await confirmsOf(order.providerTxId)).toBe(1);
  expect(await toldOf()).toEqual(['sell_confirmed']);
};
/** Nobody can say: the grams stay reserved, and a person is asked. */
const expectUnderReview = async (code = 'SELL_UNKNOWN_OUTCOME'): Promise<void> => {
  const order = await theSell();
  expect(order).toMatchObject({ status: 'VERIFIED', manualReviewCode: code });
  expect(order.manualReviewReason).toContain('grams stay reserved');
  expect((await sellers.holdingOf(seller.id)).reserved).toBe('0.0200');
  expect(await open.database.db.payout.count({ where: { orderId: order.id } })).toBe(0);
};

describe('a verify that promises nothing', () => {
  it.each([
    ['error', {}, 'PROVIDER_UNAVAILABLE'],
    ['error', { status: 400 }, 'PROVIDER_REFUSED'],
    ['timeout', {}, 'PROVIDER_UNAVAILABLE'],
    ['reset', {}, 'PROVIDER_UNAVAILABLE'],
    ['slow', { delayMs: 900 }, 'PROVIDER_UNAVAILABLE'],
    ['accept_then_timeout', {}, 'PROVIDER_UNAVAILABLE'],
    ['malformed', {}, 'PROVIDER_UNAVAILABLE'],
    ['wrong_amount', {}, 'PROVIDER_MISMATCH'],
  ])('%s %o fails the sell as %s, for its repeat too', async (fault, more, code) => {
    await open.fault('sell-verify', fault, more);
    const key = newSellKey();
    expect(codeOf(await sell(key))).toEqual([502, code]);
    await expectFree();
    expect(await theSell()).toMatchObject({ failureCode: code });
    expect(codeOf(await sell(key))).toEqual([502, code]);
    await expectFree();
    expect(await open.journal('sell-confirm')).toHaveLength(0);
    expect(await toldOf()).toEqual([]);
  });

  it('of a rate that has lapsed is made again at a new one', async () => {
    const quote = { unit: 'GRAMS', amount: '0.02' };
    const { id } = (await seller.call('POST', '/gold/quote/sell', quote)).body;
    await open.database.db.goldQuote.update({ where: { id }, data: { providerRateId: '1' } });
    const before = (await open.journal('sell-verify')).length;
    expect((await sellers.sell(seller, '0.02', { quote_id: id })).status).toBe(201);
    expect((await open.journal('sell-verify')).length).toBe(before + 2);
    await expectSold();
  });
});

describe('a confirm', () => {
  it.each(['error', 'timeout', 'reset'])(
    'that ends in %s without having been made is under review, and not made again',
    async (fault) => {
      await open.fault('sell-confirm', fault);
      const key = newSellKey();
      const answer = await sell(key);
      expect(codeOf(answer)).toEqual([503, 'SELL_UNDER_REVIEW']);
      expect(answer.body.error.message).toMatch(/not cancelled/iu);
      await expectUnderReview();
      const { providerTxId } = await theSell();
      const confirms = await confirmsOf(providerTxId);
      expect(codeOf(await sell(key))).toEqual([503, 'SELL_UNDER_REVIEW']);
      await open.advance(3600);
      await sellers.janitor('gold-ask-undecided-sells');
      await expectUnderReview();
      expect(await confirmsOf(providerTxId)).toBe(confirms);
      expect(await toldOf()).toEqual([]);
    },
  );

  it.each(['accept_then_timeout', 'malformed'])(
    'that went through but ended in %s is found by the status',
    async (fault) => {
      await open.fault('sell-confirm', fault);
      expect((await sell()).status).toBe(201);
      await expectSold();
    },
  );

  it('that arrives after its status was asked is found by the janitor', async () => {
    await open.fault('sell-confirm', 'slow', { delayMs: 700 });
    expect(codeOf(await sell())).toEqual([503, 'SELL_UNDER_REVIEW']);
    await eventually(async () => {
      await open.advance(61);
      await sellers.janitor('gold-ask-undecided-sells');
      await expectSold();
    });
  });

  it('that the provider refuses after its verify is under review as that', async () => {
    await open.fault('sell-confirm', 'error', { status: 400 });
    expect(codeOf(await sell())).toEqual([503, 'SELL_UNDER_REVIEW']);
    await expectUnderReview('SELL_REFUSED_AFTER_VERIFY');
  });

  it('that the provider says has failed ends by the janitor, and the customer is told', async () => {
    await open.fault('sell-confirm', 'error', { status: 400 });
    await sell();
    const { providerTxId } = await theSell();
    await open.sandbox.control('POST', `/transactions/${providerTxId}`, { status: 2 });
    await open.advance(61);
    await sellers.janitor('gold-ask-undecided-sells');
    await expectFree();
    expect(await toldOf()).toEqual(['sell_failed']);
  });

  it('whose status nobody answers is under review until somebody does', async () => {
    const key = newSellKey();
    await open.fault('sell-status', 'timeout', { times: 2 });
    expect(codeOf(await sell(key))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await expectUnderReview();
    expect(codeOf(await sell(key))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await expectUnderReview();
    expect((await sell(key)).status).toBe(201);
    await expectSold();
  });

  it.each(['error', 'reset', 'malformed', 'accept_then_timeout'])(
    'whose status ends in %s is sold once the janitor has asked',
    async (fault) => {
      // As often as it is asked within the request, and more.
      await open.fault('sell-status', fault, { times: 50 });
      expect(codeOf(await sell())).toEqual([503, 'SELL_UNDER_REVIEW']);
      await expectUnderReview();
      await open.sandbox.control('DELETE', '/faults');
      await open.advance(31);
      await sellers.janitor('gold-ask-undecided-sells');
      await expectSold();
    },
  );

  it('that is in progress at the provider waits for its end', async () => {
    await open.fault('sell-confirm', 'error');
    expect(codeOf(await sell())).toEqual([503, 'SELL_UNDER_REVIEW']);
    const { providerTxId } = await theSell();
    const path = `/transactions/${providerTxId}`;
    await open.sandbox.control('POST', path, { status: 3 });
    await open.advance(61);
    await sellers.janitor('gold-ask-undecided-sells');
    await expectUnderReview();
    await open.sandbox.control('POST', path, { status: 1 });
    await open.advance(31);
    await sellers.janitor('gold-ask-undecided-sells');
    await expectSold();
  });
});

/** A sell whose process dies at a point; what it held runs out. */
const sellAndDie = async (point: string, key: string): Promise<void> => {
  const died = new Promise<void>((resolve) => {
    death.died = resolve;
  });
  death.at = point;
  void sell(key).catch(() => undefined);
  await died;
  death.at = undefined;
  await sellers.letLeasesLapse();
};
const points = [
  'before the verify',
  'after the verify',
  'before the confirm',
  'after the confirm',
  'after the status',
];

describe('a process killed', () => {
  it.each(points)('%s is followed by a repeat of the key that sells once', async (point) => {
    const key = newSellKey();
    await sellAndDie(point, key);
    const answer = await sell(key);
    expect(answer.status).toBe(201);
    expect(answer.body.order.status).toBe('CONFIRMED');
    await expectSold();
    expect((await sell(key)).status).toBe(200);
    await expectSold();
  });

  it.each(['before the verify', 'after the verify'])(
    '%s is given up by the janitor after a minute, and the gold is free',
    async (point) => {
      const key = newSellKey();
      await sellAndDie(point, key);
      await open.advance(59);
      await sellers.janitor('gold-release-lost-sells');
      expect((await theSell()).status).toBe('PENDING');
      await open.advance(2);
      await sellers.janitor('gold-release-lost-sells');
      await expectFree();
      expect(codeOf(await sell(key))).toEqual([502, 'PROVIDER_UNAVAILABLE']);
      await expectFree();
    },
  );

  it.each(['after the confirm', 'after the status'])(
    '%s is found by the janitor to have sold',
    async (point) => {
      const key = newSellKey();
      await sellAndDie(point, key);
      await open.advance(61);
      await sellers.janitor('gold-release-lost-sells');
      await sellers.janitor('gold-ask-undecided-sells');
      await expectSold();
      const answer = await sell(key);
      expect(answer.status).toBe(201);
      await expectSold();
    },
  );

  it('before the confirm is under review once the janitor has asked', async () => {
    await sellAndDie('before the confirm', newSellKey());
    await open.advance(61);
    await sellers.janitor('gold-ask-undecided-sells');
    await expectUnderReview();
  });

  it('and still holding its lease is left alone, by a repeat and by the janitor', async () => {
    const died = new Promise<void>((resolve) => {
      death.died = resolve;
    });
    const key = newSellKey();
    death.at = 'before the confirm';
    void sell(key).catch(() => undefined);
    await died;
    death.at = undefined;
    await open.database.db.$executeRaw`
      UPDATE idempotency_key SET lease_until = now() - interval '1 second' WHERE key = ${key}`;
    expect(codeOf(await sell(key))).toEqual([409, 'REQUEST_IN_PROGRESS']);
    await open.advance(61);
    await sellers.janitor('gold-ask-undecided-sells');
    expect(await theSell()).toMatchObject({ status: 'VERIFIED', manualReviewCode: null });
    await sellers.letLeasesLapse();
    expect((await sell(key)).status).toBe(201);
    await expectSold();
  });

  it('after its lock has ended confirms nothing more', async () => {
    const key = newSellKey();
    await sellAndDie('before the confirm', key);
    await open.advance(480);
    expect(codeOf(await sell(key))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await expectUnderReview();
    expect(await confirmsOf((await theSell()).providerTxId)).toBe(0);
  });
});
