import { describe, expect } from 'vitest';
import { codeOf } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { createSellers } from '#test/support/sellers.ts';

const it = reviewTest();

/** Changes the provider's price for all later purchases. */
const setPrice = (open: OpenGold, buyPaise: number) =>
  open.sandbox.control('PUT', '/price', {
    buyPaise,
    sellPaise: buyPaise - 20_000,
    spotPaise: buyPaise - 10_000,
  });

describe('ALLOCATE', () => {
  it('buys the grams at the current price, and records the price difference', async ({
    open,
    buys,
  }) => {
    const { buy } = await buys.late();
    const charged = async () => {
      const row = await open.database.db.goldOrder.findUniqueOrThrow({ where: { id: buy.id } });
      return row.providerAmountPaise ?? 0n;
    };
    const before = await charged();
    await setPrice(open, 1_300_000);
    const answer = await buys.resolve(buy.id, 'ALLOCATE', { reference: 'ticket 7' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'ALLOCATED',
      grams: buy.grams,
      amount_inr: '1000.00',
      manual_review_code: null,
    });
    expect(answer.body.sg_tx_id).not.toBe(buy.txId);
    const difference = (await charged()) - before;
    expect(difference).not.toBe(0n);
    expect(answer.body.price_difference_paise).toBe(Number(difference));
    const holding = await createSellers(open).holdingOf(buy.userId);
    expect(holding).toMatchObject({ balance: buy.grams, investedPaise: 100_000n });
    expect(await buys.paymentDispositions(buy)).toEqual(['APPLIED']);
    const causes = answer.body.events.map((event: { cause: string }) => event.cause);
    expect(causes.slice(-2)).toEqual(['resolve.allocate', 'provider.bought']);
    expect((await buys.resolve(buy.id, 'ALLOCATE')).status).toBe(409);
  });

  it('is possible for a customer whose KYC was revoked since', async ({ open, buys }) => {
    const { buy } = await buys.late();
    await open.setKyc('PENDING');
    expect((await buys.resolve(buy.id, 'ALLOCATE')).body.status).toBe('ALLOCATED');
  });

  it("needs a reference if the gateway's list of payments has an unreadable row", async ({
    buys,
  }) => {
    const { buy } = await buys.late();
    await buys.gatewayFault('list-payments', 'odd_row', 10);
    const refused = await buys.resolve(buy.id, 'ALLOCATE');
    expect(codeOf(refused)).toEqual([409, 'ILLEGAL_TRANSITION']);
    expect(refused.body.error.message).toContain('cannot say whether it has paid');
    await buys.becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    const answer = await buys.resolve(buy.id, 'ALLOCATE', { reference: 'settlement 9' });
    expect(answer.body).toMatchObject({ status: 'ALLOCATED' });
  });

  it('does not change the review if the new verify gets no answer', async ({ open, buys }) => {
    const { buy } = await buys.late();
    await open.fault('buy-verify', 'timeout');
    expect(codeOf(await buys.resolve(buy.id, 'ALLOCATE'))).toEqual([502, 'PROVIDER_UNAVAILABLE']);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    expect(await open.database.db.auditLog.count({ where: { targetId: buy.id } })).toBe(0);
    expect((await buys.resolve(buy.id, 'ALLOCATE')).body.status).toBe('ALLOCATED');
  });

  it('continues by retries if the confirm does not succeed at once', async ({ open, buys }) => {
    const { buy } = await buys.late();
    await open.fault('buy-confirm', 'error', { status: 400 });
    const answer = await buys.resolve(buy.id, 'ALLOCATE');
    expect(answer.body.status).toBe('RETRY_PENDING');
    await open.advance(5);
    await open.allocate(buy.id);
    await buys.becomes(buy, 'ALLOCATED');
  });

  it('is refused if the money was refunded, and is not possible while the gateway is silent', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.late();
    await buys.gatewayFault('get-refund', 'error', 10);
    expect(codeOf(await buys.resolve(buy.id, 'ALLOCATE'))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await open.sandbox.control('DELETE', '/faults');
    await buys.payBack(paymentId, { amountPaise: 1 });
    expect(codeOf(await buys.resolve(buy.id, 'ALLOCATE'))).toEqual([409, 'ILLEGAL_TRANSITION']);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
  });

  it('is refused while a second payment is held', async ({ buys }) => {
    const buy = await buys.place();
    await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
    await buys.pay(buy);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    expect(codeOf(await buys.resolve(buy.id, 'ALLOCATE'))).toEqual([409, 'ILLEGAL_TRANSITION']);
  });

  it('finds gold that the provider has already sold', async ({ open, buys }) => {
    const { buy } = await buys.late();
    const { providerUserId } = await open.database.db.user.findUniqueOrThrow({
      where: { id: buy.userId },
    });
    const { lockStartedAt } = await open.database.db.goldOrder.findUniqueOrThrow({
      where: { id: buy.id },
    });
    expect(lockStartedAt).not.toBeNull();
    const path = `/v1/users/${providerUserId}/buy-gold-confirm`;
    await open.sandbox.safegold('POST', path, { tx_id: buy.txId });
    const answer = await buys.resolve(buy.id, 'ALLOCATE');
    expect(answer.body).toMatchObject({
      status: 'ALLOCATED',
      sg_tx_id: buy.txId,
      price_difference_paise: null,
    });
    expect(await open.database.db.auditLog.count({ where: { targetId: buy.id } })).toBe(1);
  });
});
