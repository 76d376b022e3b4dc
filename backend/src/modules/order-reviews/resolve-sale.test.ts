import { describe, expect } from 'vitest';
import { codeOf } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { operatorId } from '#test/support/reviewed-buys.ts';
import type { Seller } from '#test/support/sellers.ts';

const it = reviewTest();

describe('a sale under review', () => {
  let seller: Seller;
  let sellId: string;
  let txId: string;
  it.beforeEach(async ({ open, sellers }) => {
    seller = await sellers.newSeller();
    await open.fault('sell-confirm', 'error');
    await sellers.sell(seller, '0.02');
    const [order] = await sellers.salesOf(seller.id);
    sellId = order?.id ?? '';
    txId = order?.providerTxId ?? '';
  });
  const says = (open: OpenGold, status: number) =>
    open.sandbox.control('POST', `/transactions/${txId}`, { status });

  it('accepts only the resolutions of a sale', async ({ buys }) => {
    for (const resolution of ['ALLOCATE', 'KEEP', 'REFUNDED']) {
      const answer = await buys.resolve(sellId, resolution, { reference: 'x' });
      expect(codeOf(answer)).toEqual([409, 'ILLEGAL_TRANSITION']);
    }
    const { buy } = await buys.late();
    expect((await buys.resolve(buy.id, 'RELEASE_SELL')).status).toBe(409);
  });

  it('is in the list of reviews with the purchases, oldest first', async ({ open, buys }) => {
    await open.advance(60);
    const { buy } = await buys.late();
    const list = async (query = '') =>
      (await open.as(operatorId)('GET', `/reviews?limit=100${query}`)).body;
    const all = await list();
    const sale = { kind: 'SELL', orderId: sellId, code: 'SELL_UNKNOWN_OUTCOME' };
    const idsOf = (body: typeof all): string[] =>
      body.items.map(({ orderId }: { orderId: string }) => orderId);
    expect(all.items).toContainEqual(
      expect.objectContaining({ ...sale, userId: seller.id, link: `/orders/${sellId}` }),
    );
    expect(idsOf(all).indexOf(sellId)).toBeLessThan(idsOf(all).indexOf(buy.id));
    const times = all.items.map(({ since }: { since: string }) => since);
    expect(times).toEqual(times.toSorted());
    expect(idsOf(await list(`&userId=${buy.userId}`))).toEqual([buy.id]);
    expect(idsOf(await list(`&userId=${seller.id}`))).toEqual([sellId]);
    for (const query of ['&kind=SELL', '&code=SELL_UNKNOWN_OUTCOME']) {
      expect(idsOf(await list(query))).toContain(sellId);
      expect(idsOf(await list(query))).not.toContain(buy.id);
    }
  });

  it('is confirmed only if the provider reports it as sold', async ({ open, sellers, buys }) => {
    expect(codeOf(await buys.resolve(sellId, 'CONFIRM_SELL'))).toEqual([409, 'OUTCOME_UNDECIDED']);
    await says(open, 1);
    expect((await buys.resolve(sellId, 'RELEASE_SELL')).status).toBe(409);
    const answer = await buys.resolve(sellId, 'CONFIRM_SELL', { reference: 'call of today' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'CONFIRMED',
      manual_review_code: null,
      payout: { orderId: sellId, status: 'PENDING' },
    });
    expect(answer.body.events.at(-1)).toMatchObject({
      cause: 'resolve.confirm-sell',
      actor: `admin:${operatorId}`,
    });
    expect((await sellers.holdingOf(seller.id)).reserved).toBe('0.0000');
    expect((await buys.resolve(sellId, 'CONFIRM_SELL')).status).toBe(409);
    const audit = await open.database.db.auditLog.findMany({ where: { targetId: sellId } });
    expect(audit).toMatchObject([
      {
        action: 'order.resolve',
        before: { status: 'VERIFIED', manual_review_code: 'SELL_UNKNOWN_OUTCOME' },
        after: { status: 'CONFIRMED', resolution: 'CONFIRM_SELL', reference: 'call of today' },
      },
    ]);
  });

  it('is released if the provider reports it as failed, and the customer is notified', async ({
    open,
    sellers,
    buys,
  }) => {
    await says(open, 2);
    expect((await buys.resolve(sellId, 'CONFIRM_SELL')).status).toBe(409);
    const answer = await buys.resolve(sellId, 'RELEASE_SELL');
    expect(answer.body).toMatchObject({ status: 'FAILED', payout: null });
    expect(await sellers.holdingOf(seller.id)).toMatchObject({
      balance: seller.grams,
      reserved: '0.0000',
    });
    const told = await open.database.db.notification.findMany({
      where: { userId: seller.id },
      orderBy: { id: 'asc' },
    });
    expect(told.map(({ type }) => type)).toEqual(['buy_success', 'sell_failed']);
  });

  it("is released without a confirm only after the provider's ten minutes", async ({
    open,
    sellers,
    buys,
  }) => {
    await open.advance(595);
    expect(codeOf(await buys.resolve(sellId, 'RELEASE_SELL'))).toEqual([409, 'OUTCOME_UNDECIDED']);
    await open.advance(10);
    expect((await buys.resolve(sellId, 'RELEASE_SELL')).body.status).toBe('FAILED');
    await sellers.runSweep('selling-poll-undecided-sales');
    expect((await buys.resolve(sellId, 'RELEASE_SELL')).status).toBe(409);
  });

  it('is never released while it is in progress', async ({ open, buys }) => {
    await says(open, 3);
    await open.advance(3600);
    expect(codeOf(await buys.resolve(sellId, 'RELEASE_SELL'))).toEqual([409, 'OUTCOME_UNDECIDED']);
    expect(codeOf(await buys.resolve(sellId, 'CONFIRM_SELL'))).toEqual([409, 'OUTCOME_UNDECIDED']);
  });

  it('cannot be resolved while the provider does not answer', async ({ open, sellers, buys }) => {
    await open.fault('sell-status', 'error', { times: 20 });
    const unavailable = [503, 'SERVICE_UNAVAILABLE'];
    expect(codeOf(await buys.resolve(sellId, 'CONFIRM_SELL'))).toEqual(unavailable);
    expect(codeOf(await buys.resolve(sellId, 'RELEASE_SELL'))).toEqual(unavailable);
    const [order] = await sellers.salesOf(seller.id);
    expect(order).toMatchObject({ status: 'VERIFIED', manualReviewCode: 'SELL_UNKNOWN_OUTCOME' });
  });

  it('is decided once if an operator and the sweep act concurrently', async ({
    open,
    sellers,
    buys,
  }) => {
    await says(open, 1);
    await open.advance(31);
    const [answer] = await Promise.all([
      buys.resolve(sellId, 'CONFIRM_SELL'),
      sellers.runSweep('selling-poll-undecided-sales'),
    ]);
    expect([200, 409]).toContain(answer.status);
    const [order] = await sellers.salesOf(seller.id);
    expect(order?.status).toBe('CONFIRMED');
    expect(await open.database.db.payout.count({ where: { orderId: sellId } })).toBe(1);
  });

  it('is 404 under another id', async ({ buys }) => {
    expect((await buys.resolve(operatorId, 'RELEASE_SELL')).status).toBe(404);
    expect((await buys.resolve(sellId, 'SELL_IT')).status).toBe(400);
  });
});
