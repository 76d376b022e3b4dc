import { describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { eventually } from '#test/support/eventually.ts';
import { codeOf } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createSaleOutcomes } from '#test/support/sale-outcomes.ts';
import {
  createSellers,
  newIdempotencyKey,
  type Seller,
  type Sellers,
} from '#test/support/sellers.ts';

/** The provider's responses time out after 2 s, so that some tests can delay them. */
const env = { SAFEGOLD_TIMEOUT_MS: '2000' };

const it = goldTest({ env })
  .extend('sellers', { scope: 'file' }, ({ open }) => createSellers(open))
  .extend('seller', ({ sellers }) => sellers.newSeller())
  .extend('outcomes', ({ open, sellers, seller }) =>
    createSaleOutcomes(open, sellers, () => seller),
  );

const sell = (sellers: Sellers, seller: Seller, key = newIdempotencyKey()) =>
  sellers.sell(seller, '0.02', { idempotency_key: key });
/** Lists the calls of one operation that the provider received for a seller. */
const callsAbout = async (open: OpenGold, { providerUserId }: Seller, operation: string) =>
  (await open.journal(operation)).filter(({ path }) => path.includes(`/users/${providerUserId}/`));

describe('a verify that fails', () => {
  it.for([
    ['error', {}, 'PROVIDER_UNAVAILABLE'],
    ['error', { status: 400 }, 'PROVIDER_REFUSED'],
    ['timeout', {}, 'PROVIDER_UNAVAILABLE'],
    ['reset', {}, 'PROVIDER_UNAVAILABLE'],
    ['slow', { delayMs: 3000 }, 'PROVIDER_UNAVAILABLE'],
    ['accept_then_timeout', {}, 'PROVIDER_UNAVAILABLE'],
    ['malformed', {}, 'PROVIDER_UNAVAILABLE'],
    ['wrong_amount', {}, 'PROVIDER_MISMATCH'],
  ] as const)(
    'by %s %o fails the sale as %s, also for its repeat',
    async ([fault, more, code], { open, sellers, outcomes, seller }) => {
      await open.fault('sell-verify', fault, more);
      const key = newIdempotencyKey();
      expect(codeOf(await sell(sellers, seller, key))).toEqual([502, code]);
      await outcomes.expectAvailable();
      expect(await outcomes.theSale()).toMatchObject({ failureCode: code });
      expect(codeOf(await sell(sellers, seller, key))).toEqual([502, code]);
      await outcomes.expectAvailable();
      expect(await callsAbout(open, seller, 'sell-verify')).not.toEqual([]);
      expect(await callsAbout(open, seller, 'sell-confirm')).toEqual([]);
      expect(await outcomes.notificationTypes()).toEqual([]);
    },
  );

  it('because of an expired rate is repeated at a new rate', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    const quote = { unit: 'GRAMS', amount: '0.02' };
    const { id } = (await seller.call('POST', '/gold/quote/sell', quote)).body;
    await open.database.db.goldQuote.update({ where: { id }, data: { providerRateId: '1' } });
    const before = (await open.journal('sell-verify')).length;
    expect((await sellers.sell(seller, '0.02', { quote_id: id })).status).toBe(201);
    expect((await open.journal('sell-verify')).length).toBe(before + 2);
    await outcomes.expectSold();
  });
});

describe('a confirm', () => {
  it.for(['error', 'timeout', 'reset'])(
    'that did not arrive and ended in %s leads to a review, and is not repeated',
    async (fault, { open, sellers, outcomes, seller }) => {
      await open.fault('sell-confirm', fault);
      const key = newIdempotencyKey();
      const answer = await sell(sellers, seller, key);
      expect(codeOf(answer)).toEqual([503, 'SELL_UNDER_REVIEW']);
      expect(answer.body.error.message).toMatch(/not cancelled/iu);
      await outcomes.expectUnderReview();
      const { providerTxId } = await outcomes.theSale();
      const confirms = await outcomes.confirmsOf(providerTxId);
      expect(codeOf(await sell(sellers, seller, key))).toEqual([503, 'SELL_UNDER_REVIEW']);
      await open.advance(3600);
      await sellers.runSweep('selling-poll-undecided-sales');
      await outcomes.expectUnderReview();
      expect(await outcomes.confirmsOf(providerTxId)).toBe(confirms);
      expect(await outcomes.notificationTypes()).toEqual([]);
    },
  );

  it.for(['accept_then_timeout', 'malformed'])(
    'that succeeded but ended in %s is found by the order status',
    async (fault, { open, sellers, outcomes, seller }) => {
      await open.fault('sell-confirm', fault);
      expect((await sell(sellers, seller)).status).toBe(201);
      await outcomes.expectSold();
    },
  );

  it('that arrives after the query of its status is found by the sweep', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    // The delay is so long that the status is queried before the confirm arrives.
    await open.fault('sell-confirm', 'slow', { delayMs: 4000 });
    expect(codeOf(await sell(sellers, seller))).toEqual([503, 'SELL_UNDER_REVIEW']);
    const { providerTxId } = await outcomes.theSale();
    await eventually(async () => {
      const confirms = await open.journal('sell-confirm');
      const own = confirms.filter(({ body }) => String(body['tx_id']) === providerTxId);
      expect(own.map(({ status }) => status)).toEqual([200]);
    });
    await open.advance(61);
    await sellers.runSweep('selling-poll-undecided-sales');
    await outcomes.expectSold();
  });

  it('that the provider refuses after its verify leads to a review for that reason', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    await open.fault('sell-confirm', 'error', { status: 400 });
    expect(codeOf(await sell(sellers, seller))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await outcomes.expectUnderReview('SELL_REFUSED_AFTER_VERIFY');
  });

  it('that the provider reports as failed is ended by the sweep, and the customer is notified', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    await open.fault('sell-confirm', 'error', { status: 400 });
    await sell(sellers, seller);
    const { providerTxId } = await outcomes.theSale();
    await open.sandbox.control('POST', `/transactions/${providerTxId}`, { status: 2 });
    await open.advance(61);
    await sellers.runSweep('selling-poll-undecided-sales');
    await outcomes.expectAvailable();
    expect(await outcomes.notificationTypes()).toEqual(['sell_failed']);
  });

  it('whose status gets no answer leads to a review until the provider answers', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    const key = newIdempotencyKey();
    await open.fault('sell-status', 'timeout', { times: 1000 });
    expect(codeOf(await sell(sellers, seller, key))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await outcomes.expectUnderReview();
    expect(codeOf(await sell(sellers, seller, key))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await outcomes.expectUnderReview();
    await open.sandbox.control('DELETE', '/faults');
    expect((await sell(sellers, seller, key)).status).toBe(201);
    await outcomes.expectSold();
  });

  it.for(['error', 'reset', 'malformed', 'accept_then_timeout'])(
    'whose status ends in %s is completed by a query of the sweep',
    async (fault, { open, sellers, outcomes, seller }) => {
      // The fault lasts for more queries than one request sends.
      await open.fault('sell-status', fault, { times: 50 });
      expect(codeOf(await sell(sellers, seller))).toEqual([503, 'SELL_UNDER_REVIEW']);
      await outcomes.expectUnderReview();
      await open.sandbox.control('DELETE', '/faults');
      await open.advance(31);
      await sellers.runSweep('selling-poll-undecided-sales');
      await outcomes.expectSold();
    },
  );

  it('that is in progress at the provider stays undecided until it has ended', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    await open.fault('sell-confirm', 'error');
    expect(codeOf(await sell(sellers, seller))).toEqual([503, 'SELL_UNDER_REVIEW']);
    const { providerTxId } = await outcomes.theSale();
    const path = `/transactions/${providerTxId}`;
    await open.sandbox.control('POST', path, { status: 3 });
    await open.advance(61);
    await sellers.runSweep('selling-poll-undecided-sales');
    await outcomes.expectUnderReview();
    await open.sandbox.control('POST', path, { status: 1 });
    await open.advance(31);
    await sellers.runSweep('selling-poll-undecided-sales');
    await outcomes.expectSold();
  });
});
