import { describe, expect } from 'vitest';
import { askUntilDecided } from '#test/support/ask-until-decided.ts';
import { codeOf } from '#test/support/caller.ts';
import { goldTest } from '#test/support/gold-test.ts';
import {
  createSellers,
  newIdempotencyKey,
  type Seller,
  type Sellers,
} from '#test/support/sellers.ts';
import { parseGrams, paise } from '../../money/index.ts';

const it = goldTest()
  .extend('sellers', { scope: 'file' }, ({ open }) => createSellers(open))
  .extend('seller', ({ sellers }) => sellers.newSeller());

/** Requests a sell quote. */
const ask = (seller: Seller, unit: string, amount: string) =>
  seller.call('POST', '/gold/quote/sell', { unit, amount });
/** Returns the quote that a sale of 0.01 g has consumed. */
const usedQuote = async (sellers: Sellers, seller: Seller): Promise<string> =>
  (await sellers.sell(seller, '0.01')).body.order.quote_id;

describe('a sell quote', () => {
  it('shows the proceeds, with nothing withheld, for 120 seconds', async ({ open, seller }) => {
    const body = { unit: 'GRAMS', amount: '0.05' };
    const made = await seller.call('POST', '/gold/quote/sell', body);
    expect(made.status).toBe(201);
    const { proceedsPaise, pricePerGramPaise } = made.body;
    expect(made.body).toMatchObject({
      kind: 'SELL',
      unit: 'GRAMS',
      amount: '0.0500',
      grams: '0.0500',
      withheldPaise: 0,
      status: 'ACTIVE',
    });
    expect(made.body).not.toHaveProperty('totalPaise');
    expect(proceedsPaise).toBe(Math.round(pricePerGramPaise * 0.05));
    const life = Date.parse(made.body.expiresAt) - Date.parse(made.body.createdAt);
    expect(life).toBe(120_000);
    expect(await open.journal('sell-verify')).toEqual([]);
    const read = await seller.call('GET', `/gold/quote/${made.body.id}`);
    expect(read.body).toEqual(made.body);
    const { call } = await open.newCustomer();
    expect((await call('GET', `/gold/quote/${made.body.id}`)).status).toBe(404);
    await open.advance(121);
    const late = await seller.call('GET', `/gold/quote/${made.body.id}`);
    expect(late.body.status).toBe('EXPIRED');
  });

  it("is refused without KYC, outside the limits, and below the provider's minimum", async ({
    open,
    seller,
  }) => {
    expect(codeOf(await ask(seller, 'INR', '9.99'))).toEqual([400, 'AMOUNT_TOO_SMALL']);
    expect(codeOf(await ask(seller, 'GRAMS', '0.0001'))).toEqual([400, 'AMOUNT_TOO_SMALL']);
    expect(codeOf(await ask(seller, 'INR', '500000.01'))).toEqual([400, 'LIMIT_EXCEEDED']);
    // A high limit of the operators does not help, because one payout can't be larger.
    await open.setLimits({ maxSellPaise: paise(100_000_000n) });
    const tooMuch = await ask(seller, 'INR', '500000.01');
    expect(codeOf(tooMuch)).toEqual([400, 'LIMIT_EXCEEDED']);
    expect(tooMuch.body.error.details).toMatchObject({ limitPaise: 50_000_000 });
    await open.setLimits();
    await open.setLimits({ minSellPaise: paise(20_000n) });
    const small = await ask(seller, 'INR', '199.99');
    expect(codeOf(small)).toEqual([400, 'LIMIT_EXCEEDED']);
    expect(small.body.error.details).toEqual({ limit: 'minSellPaise', limitPaise: 20_000 });
    await open.setKyc('PENDING');
    expect(codeOf(await ask(seller, 'INR', '1'))).toEqual([403, 'KYC_REQUIRED']);
  });
});

describe('a sale', () => {
  it('leads from the quote to the payout', async ({ open, sellers, seller }) => {
    const portfolio = await seller.call('GET', '/portfolio');
    expect(portfolio.body.balance).toBe(seller.grams);
    const body = { unit: 'GRAMS', amount: '0.03' };
    const quote = (await seller.call('POST', '/gold/quote/sell', body)).body;
    const sold = await sellers.sell(seller, '0.0300', { quote_id: quote.id });
    expect(sold.status).toBe(201);
    const { order, payout } = sold.body;
    expect(order).toMatchObject({
      type: 'SELL',
      status: 'CONFIRMED',
      grams: '0.0300',
      price_per_gram_paise: quote.pricePerGramPaise,
      proceeds_paise: quote.proceedsPaise,
      gold_value_paise: null,
      gst_paise: null,
      rounding_paise: null,
      quote_id: quote.id,
      manual_review_code: null,
    });
    expect(order.sg_tx_id).not.toBeNull();
    expect(payout).toMatchObject({
      orderId: order.id,
      bankAccountId: seller.bankAccountId,
      amountPaise: quote.proceedsPaise,
      status: 'PENDING',
    });
    const history = ['PENDING', 'VERIFIED', 'CONFIRMED'];
    expect(await sellers.historyOf(order.id)).toEqual(history);
    const left = BigInt(seller.grams.replace('.', '')) - 300n;
    const holding = await sellers.holdingOf(seller.id);
    expect(holding.balance).toBe(`0.${left.toString().padStart(4, '0')}`);
    expect(holding.reserved).toBe('0.0000');
    const whole = left + 300n;
    const leaving = (2n * 100_000n * 300n + whole) / (2n * whole);
    expect(holding.investedPaise).toBe(100_000n - leaving);
    expect((await seller.call('GET', '/portfolio')).body.balance).toBe(holding.balance);
    expect((await seller.call('GET', `/gold/quote/${quote.id}`)).body.status).toBe('CONSUMED');
    const told = await open.database.db.notification.findMany({
      where: { userId: seller.id },
      orderBy: { id: 'asc' },
    });
    expect(told.map(({ type }) => type)).toEqual(['buy_success', 'sell_confirmed']);
    const operator = await open.as('operator')('GET', `/orders/${order.id}`);
    expect(operator.body).toMatchObject({ payout: { id: payout.id }, payments: [] });
    expect(operator.body.events.map((event: { actor: string }) => event.actor)).toEqual(
      Array.from({ length: 3 }, () => `customer:${seller.id}`),
    );
  });

  it('of all grams leaves no balance and no invested amount', async ({ sellers, seller }) => {
    const sold = await sellers.sell(seller, seller.grams);
    expect(sold.status).toBe(201);
    const nothing = { balance: '0.0000', reserved: '0.0000', investedPaise: 0n };
    expect(await sellers.holdingOf(seller.id)).toEqual(nothing);
    expect(await sellers.atProvider(seller)).toBe('0');
  });

  it('of all available grams is exempt from our minimum', async ({ open, sellers, seller }) => {
    await open.setLimits({ minSellPaise: paise(1_000_000n) });
    expect(codeOf(await sellers.sell(seller, '0.05'))).toEqual([400, 'LIMIT_EXCEEDED']);
    expect((await sellers.sell(seller, seller.grams)).status).toBe(201);
  });

  it('by rupees sells the grams of that value', async ({ sellers, seller }) => {
    const sold = await sellers.sell(seller, '200', { unit: 'INR' });
    expect(sold.status).toBe(201);
    const { grams, proceeds_paise: proceeds, price_per_gram_paise: price } = sold.body.order;
    const units = BigInt(grams.replace('.', ''));
    expect(units).toBe((20_000n * 10_000n) / BigInt(price));
    expect(proceeds).toBeLessThanOrEqual(20_000);
    expect(sold.body.payout.amountPaise).toBe(proceeds);
  });

  it('is replayed for the same key, and refused for another payload', async ({
    open,
    sellers,
    seller,
  }) => {
    const key = { idempotency_key: newIdempotencyKey() };
    const first = await sellers.sell(seller, '0.02', key);
    const again = await sellers.sell(seller, '0.0200', key);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const other = await sellers.sell(seller, '0.03', key);
    expect(codeOf(other)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    open.setGate('sell', false);
    expect((await sellers.sell(seller, '0.02', key)).status).toBe(200);
    expect(codeOf(await sellers.sell(seller, '0.02'))).toEqual([503, 'SELL_DISABLED']);
    // The gate is also checked before an invalid body.
    const nothing = await seller.call('POST', '/gold/sell', {});
    expect(codeOf(nothing)).toEqual([503, 'SELL_DISABLED']);
    expect(await sellers.salesOf(seller.id)).toHaveLength(1);
  });

  it('is made once by ten concurrent requests with one key', async ({ sellers, seller }) => {
    const key = { idempotency_key: newIdempotencyKey() };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => askUntilDecided(() => sellers.sell(seller, '0.02', key))),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 9 }, () => 200),
      201,
    ]);
    expect(new Set(answers.map(({ body }) => body.order.id)).size).toBe(1);
    expect(await sellers.salesOf(seller.id)).toHaveLength(1);
  });

  it('is refused in the order of refusals, and does not use up its key', async ({
    open,
    sellers,
    seller,
  }) => {
    const key = { idempotency_key: newIdempotencyKey() };
    const nowhere = '018f0000-0000-7000-8000-ffffffffffff';
    const ask = (amount: string, more: object = {}) =>
      sellers.sell(seller, amount, { ...key, ...more });
    expect((await ask('0.00001')).body.error.code).toBe('VALIDATION_FAILED');
    await open.setKyc('PENDING');
    expect(codeOf(await ask('0.0001', { bank_account_id: nowhere }))).toEqual([
      403,
      'KYC_REQUIRED',
    ]);
    await open.setKyc('APPROVED');
    const small = await ask('0.0001', { bank_account_id: nowhere });
    expect(codeOf(small)).toEqual([400, 'AMOUNT_TOO_SMALL']);
    expect(codeOf(await ask('900', { bank_account_id: nowhere }))).toEqual([400, 'LIMIT_EXCEEDED']);
    // The second id has no valid version of a UUID, but is accepted as an id.
    for (const unknown of [nowhere, '11111111-1111-1111-1111-111111111111']) {
      expect(codeOf(await ask('2', { bank_account_id: unknown }))).toEqual([404, 'NOT_FOUND']);
    }
    const pending = await sellers.bankAccount(seller.id, { status: 'PENDING' });
    const early = await ask('2', { bank_account_id: pending });
    expect(codeOf(early)).toEqual([400, 'BANK_ACCOUNT_NOT_VERIFIED']);
    expect(codeOf(await ask('2'))).toEqual([400, 'INSUFFICIENT_BALANCE']);
    expect(await sellers.salesOf(seller.id)).toEqual([]);
    expect((await ask('0.02')).status).toBe(201);
  });

  it('is refused to an account of another customer, and to a deleted or failed account', async ({
    open,
    sellers,
    seller,
  }) => {
    const { id: stranger } = await open.newCustomer();
    const foreign = await sellers.bankAccount(stranger);
    const deleted = await sellers.bankAccount(seller.id, { deletedAt: open.clock.now() });
    const failed = await sellers.bankAccount(seller.id, { status: 'FAILED' });
    const to = async (bankAccountId: string) =>
      codeOf(await sellers.sell(seller, '0.02', { bank_account_id: bankAccountId }));
    expect(await to(foreign)).toEqual([404, 'NOT_FOUND']);
    expect(await to(deleted)).toEqual([404, 'NOT_FOUND']);
    expect(await to(failed)).toEqual([400, 'BANK_ACCOUNT_NOT_VERIFIED']);
    expect((await sellers.holdingOf(seller.id)).reserved).toBe('0.0000');
  });

  it('consumes a quote once, and not after its time', async ({ open, sellers, seller }) => {
    const body = { unit: 'GRAMS', amount: '0.02' };
    const quote = async () => (await seller.call('POST', '/gold/quote/sell', body)).body.id;
    const used = await quote();
    expect((await sellers.sell(seller, '0.02', { quote_id: used })).status).toBe(201);
    expect(codeOf(await sellers.sell(seller, '0.02', { quote_id: used }))).toEqual([
      409,
      'QUOTE_USED',
    ]);
    // The quote is refused before the account and the balance are checked.
    const nowhere = '018f0000-0000-7000-8000-ffffffffffff';
    const early = { quote_id: used, bank_account_id: nowhere };
    expect(codeOf(await sellers.sell(seller, '0.02', early))).toEqual([409, 'QUOTE_USED']);
    const other = await sellers.sell(seller, '0.01', { quote_id: await quote() });
    expect(other.body.error).toMatchObject({ code: 'VALIDATION_FAILED', field: 'quote_id' });
    const late = await quote();
    await open.advance(120);
    expect(codeOf(await sellers.sell(seller, '0.02', { quote_id: late }))).toEqual([
      409,
      'QUOTE_EXPIRED',
    ]);
    const buy = (await seller.call('POST', '/gold/quote', { unit: 'INR', amount: '100' })).body;
    expect((await sellers.sell(seller, '0.02', { quote_id: buy.id })).status).toBe(404);
  });

  it('without a quote_id uses the newest quote of the amount, or a new quote', async ({
    open,
    sellers,
    seller,
  }) => {
    const older = (await ask(seller, 'GRAMS', '0.01')).body.id;
    await ask(seller, 'GRAMS', '0.02');
    const newer = (await ask(seller, 'GRAMS', '0.01')).body.id;
    expect(await usedQuote(sellers, seller)).toBe(newer);
    expect(await usedQuote(sellers, seller)).toBe(older);
    const own = await usedQuote(sellers, seller);
    expect([older, newer]).not.toContain(own);
    const row = await open.database.db.goldQuote.findUniqueOrThrow({ where: { id: own } });
    expect(row).toMatchObject({ kind: 'SELL', status: 'CONSUMED' });
  });
});

describe('ten concurrent sales of a whole balance', () => {
  it('lead to one sale and nine refusals, and a concurrent buy loses nothing', async ({
    sellers,
    seller,
  }) => {
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => sellers.sell(seller, seller.grams))),
      sellers.buy(seller.call, '500'),
    ]);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(1);
    expect(new Set(refused.map((answer) => codeOf(answer).join()))).toEqual(
      new Set(['400,INSUFFICIENT_BALANCE']),
    );
    const holding = await sellers.holdingOf(seller.id);
    expect(holding.reserved).toBe('0.0000');
    // In either sequence, the remaining invested amount is proportional.
    expect(holding.investedPaise).toBeGreaterThan(0n);
    expect(parseGrams(await sellers.atProvider(seller))).toBe(parseGrams(holding.balance));
  });

  it('all succeed if their sum is available, each with a separate quote', async ({
    sellers,
    seller,
  }) => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => sellers.sell(seller, '0.01')),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const quotes = new Set(answers.map(({ body }) => body.order.quote_id));
    expect(quotes.size).toBe(5);
  });
});
