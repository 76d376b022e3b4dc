import { describe, expect } from 'vitest';
import { paise } from '../../money/index.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = goldTest();

const setPrice = async (open: OpenGold, buyPaise: number) => {
  await open.sandbox.control('PUT', '/price', {
    buyPaise,
    sellPaise: 680_000,
    spotPaise: 690_000,
  });
};
const halfUp = (a: number, b: number) => Math.floor((2 * a + b) / (2 * b));
const quotes = (open: OpenGold) => open.database.db.goldQuote.count();

describe('POST /gold/quote', () => {
  it('returns the breakdown of a buy by rupees, including tax', async ({ open }) => {
    const { call } = await open.newCustomer();
    const { status, body } = await call('POST', '/gold/quote', { unit: 'INR', amount: '1000' });
    expect(status).toBe(201);
    const { pricePerGramPaise, goldValuePaise, grams } = body;
    expect(body).toEqual({
      id: expect.any(String),
      kind: 'BUY',
      unit: 'INR',
      amount: '1000.00',
      grams: expect.stringMatching(/^0\.\d{4}$/),
      pricePerGramPaise: expect.any(Number),
      goldValuePaise: 97_087,
      gstPaise: 2913,
      totalPaise: 100_000,
      status: 'ACTIVE',
      expiresAt: new Date(open.clock.now().getTime() + 420_000).toISOString(),
      createdAt: open.clock.now().toISOString(),
    });
    const units = (97_087n * 10_000n) / BigInt(pricePerGramPaise);
    expect(grams.replace('.', '')).toBe(String(units).padStart(5, '0'));
    expect(goldValuePaise + body.gstPaise).toBe(body.totalPaise);
  });

  it('returns the breakdown of a buy by grams', async ({ open }) => {
    const { call } = await open.newCustomer();
    const { status, body } = await call('POST', '/gold/quote', { unit: 'GRAMS', amount: 0.5 });
    expect(status).toBe(201);
    expect(body).toMatchObject({ unit: 'GRAMS', amount: '0.5000', grams: '0.5000' });
    const goldValue = halfUp(5000 * body.pricePerGramPaise, 10_000);
    expect(body.goldValuePaise).toBe(goldValue);
    expect(body.gstPaise).toBe(halfUp(goldValue * 300, 10_000));
    expect(body.totalPaise).toBe(body.goldValuePaise + body.gstPaise);
  });

  it("stores the provider's transaction, its price and its lock", async ({ open }) => {
    const { call } = await open.newCustomer();
    const { body } = await call('POST', '/gold/quote', { unit: 'GRAMS', amount: '1' });
    const row = await open.database.db.goldQuote.findUniqueOrThrow({ where: { id: body.id } });
    const now = open.clock.now().getTime();
    expect(row.lockStartedAt?.getTime()).toBe(now);
    expect(row.lockEndsAt?.getTime()).toBe(now + 480_000);
    const asked = (await open.journal('buy-verify')).at(-1);
    expect(asked?.body).toMatchObject({ gold_amount: 1 });
    expect(row.providerTxId).toMatch(/^\d+$/);
    // SafeGold rounds its rate and its rupees up, so its amount is at most two paise above ours.
    const more = (row.providerAmountPaise ?? 0n) - (row.totalPaise ?? 0n);
    expect(more >= 0n && more <= 2n).toBe(true);
  });

  it.for([
    ['no unit', { amount: '100' }, 'unit'],
    ['an unknown unit', { unit: 'OUNCES', amount: '1' }, 'unit'],
    ['no amount', { unit: 'INR' }, 'amount'],
    ['three decimals of a rupee', { unit: 'INR', amount: '10.001' }, 'amount'],
    ['thirteen digits', { unit: 'INR', amount: '1000000000000' }, 'amount'],
    ['a negative amount', { unit: 'INR', amount: -5 }, 'amount'],
    ['an exponent', { unit: 'INR', amount: '1e3' }, 'amount'],
    ['a number that prints as an exponent', { unit: 'INR', amount: 1e21 }, 'amount'],
    ['five decimals of a gram', { unit: 'GRAMS', amount: '1.00001' }, 'amount'],
    ['zero grams', { unit: 'GRAMS', amount: '0.0000' }, 'amount'],
    ['an object', { unit: 'INR', amount: { gt: 1 } }, 'amount'],
    ['a very long text', { unit: 'INR', amount: '1'.repeat(5000) }, 'amount'],
    ['white space', { unit: 'INR', amount: ' 100' }, 'amount'],
  ] as const)('refuses %s', async ([_name, body, field], { open }) => {
    const { call } = await open.newCustomer();
    const before = await quotes(open);
    const answer = await call('POST', '/gold/quote', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'VALIDATION_FAILED', field });
    expect(await quotes(open)).toBe(before);
  });

  it('refuses a gross amount outside the limits of one buy', async ({ open }) => {
    const { call } = await open.newCustomer();
    const small = await call('POST', '/gold/quote', { unit: 'INR', amount: '9.99' });
    expect(small.status).toBe(400);
    expect(small.body.error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      field: 'amount',
      details: { limit: 'minBuyPaise', limitPaise: 1000 },
    });
    const large = await call('POST', '/gold/quote', { unit: 'INR', amount: '200000.01' });
    expect(large.body.error.details).toEqual({ limit: 'maxBuyPaise', limitPaise: 20_000_000 });
    const grams = await call('POST', '/gold/quote', { unit: 'GRAMS', amount: '999999999.9999' });
    expect(grams.body.error.details).toEqual({ limit: 'maxBuyPaise', limitPaise: 20_000_000 });
  });

  it('refuses an amount that buys less than 0.0001 g', async ({ open }) => {
    const { call } = await open.newCustomer();
    // One paisa is the smallest limit that operators can set.
    await open.setLimits({ minBuyPaise: paise(1n) });
    const answer = await call('POST', '/gold/quote', { unit: 'INR', amount: '0.5' });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'AMOUNT_TOO_SMALL', field: 'amount' });
  });

  it('refuses without KYC, before the limits', async ({ open }) => {
    const { call } = await open.newCustomer();
    await open.setKyc('PENDING');
    const answer = await call('POST', '/gold/quote', { unit: 'INR', amount: '1' });
    await open.setKyc('APPROVED');
    expect(answer.status).toBe(403);
    expect(answer.body.error.code).toBe('KYC_REQUIRED');
  });

  it.for([
    ['error', 'PROVIDER_UNAVAILABLE'],
    ['timeout', 'PROVIDER_UNAVAILABLE'],
    ['reset', 'PROVIDER_UNAVAILABLE'],
    ['malformed', 'PROVIDER_UNAVAILABLE'],
    ['accept_then_timeout', 'PROVIDER_UNAVAILABLE'],
    ['wrong_amount', 'PROVIDER_MISMATCH'],
  ] as const)('writes nothing if the verify ends in %s', async ([fault, code], { open }) => {
    const { call } = await open.newCustomer();
    await call('GET', '/price/current');
    const before = await quotes(open);
    await open.fault('buy-verify', fault);
    const answer = await call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    expect(answer.status).toBe(502);
    expect(answer.body.error.code).toBe(code);
    expect(await quotes(open)).toBe(before);
  });

  it('distinguishes a refusal of the provider from its silence', async ({ open }) => {
    const { id, call } = await open.newCustomer();
    await open.database.db.user.update({ where: { id }, data: { providerUserId: '1' } });
    const answer = await call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    expect(answer.status).toBe(502);
    expect(answer.body.error.code).toBe('PROVIDER_REFUSED');
  });

  it('fetches a new price once if the rate has expired in the meantime', async ({ open }) => {
    const { call } = await open.newCustomer();
    await call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    // The sandbox's time is moved before the service's time.
    await open.sandbox.control('POST', '/clock', { advanceSeconds: 500 });
    await setPrice(open, 720_000);
    const answer = await call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    open.clock.advance(500_000);
    expect(answer.status).toBe(201);
    expect(answer.body.pricePerGramPaise).toBe(720_000);
  });

  it('does not use a rate that has expired by the business clock', async ({ open }) => {
    const { call } = await open.newCustomer();
    await call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    const before = (await open.journal('buy-verify')).length;
    await open.advance(430);
    const answer = await call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    expect(answer.status).toBe(201);
    expect((await open.journal('buy-verify')).length).toBe(before + 1);
  });
});

describe('GET /gold/quote/:id', () => {
  it("shows the customer's own quote, and that it has expired", async ({ open }) => {
    const { call } = await open.newCustomer();
    const { body: made } = await call('POST', '/gold/quote', { unit: 'GRAMS', amount: '0.1234' });
    expect((await call('GET', `/gold/quote/${made.id}`)).body).toEqual(made);
    await open.advance(420);
    expect((await call('GET', `/gold/quote/${made.id}`)).body.status).toBe('EXPIRED');
    await runSweeps(open.gold.expirySweeps, 'buying-expire-quotes');
    const row = await open.database.db.goldQuote.findUniqueOrThrow({ where: { id: made.id } });
    expect(row.status).toBe('EXPIRED');
  });

  it("is 404 for another customer's quote and an unknown quote", async ({ open }) => {
    const one = await open.newCustomer();
    const other = await open.newCustomer();
    const { body: made } = await one.call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    for (const path of [made.id, crypto.randomUUID(), 'not-an-id']) {
      const answer = await other.call('GET', `/gold/quote/${path}`);
      expect(answer.status).toBe(404);
      expect(answer.body.error.code).toBe('NOT_FOUND');
    }
  });
});

/** Uses up a customer's quotes except the given number. */
const leaveQuotes = async (open: OpenGold, subjectId: string, left: number): Promise<void> => {
  const window = { name: 'quotes', subjectId, startedAt: open.clock.now(), uses: 60 - left };
  await open.database.db.useWindow.create({ data: window });
};

describe('sixty quotes of a customer in ten minutes', () => {
  const buy = { unit: 'INR', amount: '1000' };
  const limited = { status: 429, body: { error: { code: 'QUOTE_LIMIT' } } };

  it('are the maximum, and the next request does not call the provider', async ({ open }) => {
    const { id, call } = await open.newCustomer();
    await leaveQuotes(open, id, 1);
    expect((await call('POST', '/gold/quote', buy)).status).toBe(201);
    const asked = (await open.journal('buy-verify')).length;
    const refused = await call('POST', '/gold/quote', buy);
    expect(refused).toMatchObject(limited);
    expect(Number(refused.headers.get('retry-after'))).toBe(600);
    const order = { ...buy, idempotency_key: 'beyond-the-quotes' };
    expect(await call('POST', '/gold/buy', order)).toMatchObject(limited);
    const sell = { unit: 'GRAMS', amount: '0.02' };
    expect(await call('POST', '/gold/quote/sell', sell)).toMatchObject(limited);
    expect((await open.journal('buy-verify')).length).toBe(asked);
    expect(await open.metrics()).toMatch(/bound_reached_total\{[^}]*bound="quotes"[^}]*\} 3/u);
    const other = await open.newCustomer();
    expect((await other.call('POST', '/gold/quote', buy)).status).toBe(201);
    open.clock.advance(599_999);
    expect(await call('POST', '/gold/quote', buy)).toMatchObject(limited);
    open.clock.advance(1);
    expect((await call('POST', '/gold/quote', buy)).status).toBe(201);
    expect((await call('POST', '/gold/buy', order)).status).toBe(201);
  });

  it('are counted exactly if they are concurrent', async ({ open }) => {
    const { id, call } = await open.newCustomer();
    await leaveQuotes(open, id, 3);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('POST', '/gold/quote', buy)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
  });

  it('can begin again after the clock was set back', async ({ open }) => {
    const { id, call } = await open.newCustomer();
    const startedAt = new Date(open.clock.now().getTime() + 3_600_000);
    const window = { name: 'quotes', subjectId: id, startedAt, uses: 60 };
    await open.database.db.useWindow.create({ data: window });
    expect((await call('POST', '/gold/quote', buy)).status).toBe(201);
  });
});
