import { describe, expect } from 'vitest';
import { reviewTest } from '#test/support/review-test.ts';
import { formatGrams, gramsFromDatabase, subtractGrams } from '../../money/index.ts';
import { eventually } from '#test/support/eventually.ts';
import { codeOf } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { operatorId, type ReviewedBuy, type ReviewedBuys } from '#test/support/reviewed-buys.ts';
import type { Seller, Sellers } from '#test/support/sellers.ts';

const it = reviewTest();

const notFit = [409, 'ILLEGAL_TRANSITION'];
const movementsOf = (open: OpenGold, { userId }: ReviewedBuy) =>
  open.database.db.holdingMovement.findMany({ where: { userId }, orderBy: { version: 'asc' } });
const recovered = async (open: OpenGold, buy: ReviewedBuy) =>
  (await movementsOf(open, buy))
    .filter(({ kind }) => kind === 'RECOVERED')
    .map(({ grams }) => grams.toFixed(4));
const reverse = async (
  buys: ReviewedBuys,
  buy: ReviewedBuy,
  paymentId: string,
): Promise<string> => {
  const reference = await buys.loseDispute(paymentId);
  await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
  return reference;
};
const sellerOf = async (sellers: Sellers, buy: ReviewedBuy): Promise<Seller> => ({
  id: buy.userId,
  providerUserId: '',
  call: buy.call,
  bankAccountId: await sellers.bankAccount(buy.userId),
  grams: buy.grams,
  investedPaise: 100_000n,
});
const less = (grams: string, part: string): string =>
  formatGrams(subtractGrams(gramsFromDatabase(grams), gramsFromDatabase(part)));

describe('RECOVER', () => {
  it('transfers the grams to the house, fails the order and refunds its payment order', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    const reference = await reverse(buys, buy, paymentId);
    const answer = await buys.resolve(buy.id, 'RECOVER', { reference: 'case 12' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'FAILED',
      manual_review_code: null,
      refund_reference: reference,
      payments: [{ status: 'REFUNDED' }],
    });
    expect(answer.body.events.at(-1)).toMatchObject({
      cause: 'resolve.recover',
      actor: `admin:${operatorId}`,
    });
    expect(await buys.paymentDispositions(buy)).toEqual(['REFUNDED']);
    const holding = await sellers.holdingOf(buy.userId);
    expect(holding).toEqual({ balance: '0.0000', reserved: '0.0000', investedPaise: 0n });
    expect(await movementsOf(open, buy)).toMatchObject([
      { kind: 'CREDIT' },
      { kind: 'RECOVERED', orderId: buy.id, investedPaise: -100_000n },
    ]);
    expect(await recovered(open, buy)).toEqual([`-${buy.grams}`]);
    const audit = await open.database.db.auditLog.findMany({ where: { targetId: buy.id } });
    expect(audit).toMatchObject([
      {
        before: { status: 'MANUAL_REVIEW', manual_review_code: 'PAYMENT_REVERSED' },
        after: { status: 'FAILED', resolution: 'RECOVER' },
      },
    ]);
    for (const again of ['RECOVER', 'KEEP']) {
      expect(codeOf(await buys.resolve(buy.id, again))).toEqual(notFit);
    }
  });

  it('is refused until all of the money was reversed', async ({ open, buys, sellers }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId, { amountPaise: 40_000 });
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    expect(codeOf(await buys.resolve(buy.id, 'RECOVER'))).toEqual(notFit);
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: buy.grams });
    await buys.gatewayFault('*', 'error', 20);
    expect(codeOf(await buys.resolve(buy.id, 'RECOVER'))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await open.sandbox.control('DELETE', '/faults');
    await buys.payBack(paymentId, { deliver: 'none' });
    await eventually(async () => {
      expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
    });
  });

  it('is refused for an order whose payment was not reversed', async ({ buys }) => {
    const { buy, paymentId } = await buys.allocated();
    expect(codeOf(await buys.resolve(buy.id, 'RECOVER'))).toEqual(notFit);
    await buys.failPayment(buy, paymentId);
    expect(codeOf(await buys.resolve(buy.id, 'RECOVER'))).toEqual(notFit);
    const { buy: late } = await buys.late();
    expect(codeOf(await buys.resolve(late.id, 'RECOVER'))).toEqual(notFit);
    const twice = await buys.paidTwice();
    await buys.payBack(twice.paymentId);
    expect(codeOf(await buys.resolve(twice.buy.id, 'RECOVER'))).toEqual(notFit);
  });

  it('is refused while a payment is held that no event has reported', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    await reverse(buys, buy, paymentId);
    const secondId = await buys.pay(buy, { deliver: 'none' });
    await buys.gatewayFault('list-payments', 'error', 20);
    expect(codeOf(await buys.resolve(buy.id, 'RECOVER'))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await open.sandbox.control('DELETE', '/faults');
    expect(codeOf(await buys.resolve(buy.id, 'RECOVER'))).toEqual(notFit);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: buy.grams });
    const reference = await buys.payBack(secondId, { deliver: 'none' });
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference })).status).toBe(200);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
  });

  it('fails an order for which another payment may arrive, and which then fails again', async ({
    buys,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    await reverse(buys, buy, paymentId);
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
    const again = await buys.pay(buy);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    expect(codeOf(await buys.resolve(buy.id, 'KEEP'))).toEqual(notFit);
    const reference = await buys.payBack(again);
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference })).body.status).toBe('FAILED');
  });
});

describe('KEEP', () => {
  it('accepts the loss, releases the grams, and resolves the same money only once', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    const reference = await buys.payBack(paymentId, { amountPaise: 40_000 });
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    const answer = await buys.resolve(buy.id, 'KEEP');
    expect(answer.body).toMatchObject({ status: 'ALLOCATED', manual_review_code: null });
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: '0.0000' });
    const same = { gateway_payment_id: paymentId, reference, amount_paise: 40_000 };
    await open.advance(1);
    await buys.sendEvent('refund.processed', { ...same, gateway_order_id: buy.gatewayOrderId });
    await buys.becomes(buy, 'ALLOCATED');
    expect(await buys.paymentOrderStatus(buy)).toBe('PAID');
    const seller = await sellerOf(sellers, buy);
    expect((await sellers.sell(seller, '0.01')).status).toBe(201);
    // The rest is also reversed, and must be added to the first part.
    await buys.payBack(paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    const left = less(buy.grams, '0.01');
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: left, reserved: left });
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
    expect(await recovered(open, buy)).toEqual([`-${left}`]);
  });
});

describe('gold that was partly sold', () => {
  it('is reserved and recovered if it was not sold', async ({ open, buys, sellers }) => {
    const { buy, paymentId } = await buys.allocated();
    const seller = await sellerOf(sellers, buy);
    expect((await sellers.sell(seller, '0.02')).status).toBe(201);
    await reverse(buys, buy, paymentId);
    const left = less(buy.grams, '0.02');
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: left, reserved: left });
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
    expect(await recovered(open, buy)).toEqual([`-${left}`]);
  });

  it.for([
    ['KEEP', 'ALLOCATED'],
    ['RECOVER', 'FAILED'],
  ] as const)(
    'completely leaves an order that %s ends as %s',
    async ([resolution, status], { open, buys, sellers }) => {
      const { buy, paymentId } = await buys.allocated();
      expect((await sellers.sell(await sellerOf(sellers, buy), buy.grams)).status).toBe(201);
      await reverse(buys, buy, paymentId);
      expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: '0.0000', reserved: '0.0000' });
      expect((await buys.resolve(buy.id, resolution)).body.status).toBe(status);
      expect(await recovered(open, buy)).toEqual([]);
    },
  );

  it('does not affect the gold of another order', async ({ buys, sellers }) => {
    const { buy, paymentId } = await buys.allocated();
    await sellers.buy(buy.call, '2000');
    const before = await sellers.holdingOf(buy.userId);
    await reverse(buys, buy, paymentId);
    expect(await sellers.gramsOf(buy.userId)).toEqual({
      balance: before.balance,
      reserved: buy.grams,
    });
    const rest = less(before.balance, buy.grams);
    expect((await sellers.sell(await sellerOf(sellers, buy), rest)).status).toBe(201);
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: '0.0000', reserved: '0.0000' });
  });
});

/** Places a sale of all grams with an unknown outcome, and then reverses the payment. */
const underway = async (open: OpenGold, buys: ReviewedBuys, sellers: Sellers) => {
  const { buy, paymentId } = await buys.allocated();
  const seller = await sellerOf(sellers, buy);
  await open.fault('sell-confirm', 'error');
  await sellers.sell(seller, buy.grams);
  const [sale] = await sellers.salesOf(buy.userId);
  await reverse(buys, buy, paymentId);
  expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: buy.grams });
  const says = (status: number) =>
    open.sandbox.control('POST', `/transactions/${sale?.providerTxId}`, { status });
  return { buy, saleId: sale?.id ?? '', says };
};

describe('a sale that has reserved the grams of a reversed payment', () => {
  it('leaves the grams to the review if it fails', async ({ open, buys, sellers }) => {
    const { buy, saleId, says } = await underway(open, buys, sellers);
    await says(2);
    expect((await buys.resolve(saleId, 'RELEASE_SELL')).body.status).toBe('FAILED');
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: buy.grams });
    expect((await sellers.sell(await sellerOf(sellers, buy), '0.01')).status).toBe(400);
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
    expect(await recovered(open, buy)).toEqual([`-${buy.grams}`]);
  });

  it('debits the grams if it is confirmed', async ({ open, buys, sellers }) => {
    const { buy, saleId, says } = await underway(open, buys, sellers);
    await says(1);
    expect((await buys.resolve(saleId, 'CONFIRM_SELL')).body.status).toBe('CONFIRMED');
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: '0.0000', reserved: '0.0000' });
    expect((await buys.resolve(buy.id, 'KEEP')).body.status).toBe('ALLOCATED');
  });

  it('releases gold that was bought later, and not to the review', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy, saleId, says } = await underway(open, buys, sellers);
    await says(1);
    expect((await buys.resolve(saleId, 'CONFIRM_SELL')).body.status).toBe('CONFIRMED');
    await open.advance(1);
    await sellers.buy(buy.call, '1000');
    const bought = await sellers.holdingOf(buy.userId);
    await open.fault('sell-confirm', 'error');
    await sellers.sell(await sellerOf(sellers, buy), '0.01');
    const later = (await sellers.salesOf(buy.userId)).at(-1);
    await open.sandbox.control('POST', `/transactions/${later?.providerTxId}`, { status: 2 });
    expect((await buys.resolve(later?.id ?? '', 'RELEASE_SELL')).body.status).toBe('FAILED');
    expect(await sellers.gramsOf(buy.userId)).toEqual({
      balance: bought.balance,
      reserved: '0.0000',
    });
  });
});

describe('two concurrent operators', () => {
  it.for([
    ['KEEP', 'RECOVER'],
    ['RECOVER', 'KEEP'],
    ['RECOVER', 'RECOVER'],
    ['KEEP', 'KEEP'],
  ] as const)('%s and %s end the review once', async (both, { open, buys, sellers }) => {
    const { buy, paymentId } = await buys.allocated();
    await reverse(buys, buy, paymentId);
    const answers = await Promise.all(both.map((resolution) => buys.resolve(buy.id, resolution)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const winner = both[answers.findIndex(({ status }) => status === 200)];
    const { balance, reserved } = await sellers.gramsOf(buy.userId);
    expect(reserved).toBe('0.0000');
    expect(balance).toBe(winner === 'KEEP' ? buy.grams : '0.0000');
    expect(await open.database.db.auditLog.count({ where: { targetId: buy.id } })).toBe(1);
  });

  it.for([
    ['KEEP', [201, 400]],
    ['RECOVER', [400]],
  ] as const)(
    '%s and a concurrent sale never dispose of a gram twice',
    async ([resolution, sales], { buys, sellers }) => {
      const { buy, paymentId } = await buys.allocated();
      const seller = await sellerOf(sellers, buy);
      await reverse(buys, buy, paymentId);
      const [resolved, sold] = await Promise.all([
        buys.resolve(buy.id, resolution),
        sellers.sell(seller, buy.grams),
      ]);
      expect(resolved.status).toBe(200);
      expect(sales).toContain(sold.status);
      expect((await sellers.gramsOf(buy.userId)).reserved).toBe('0.0000');
    },
  );

  it('of whom one resolves while the event arrives end in one of two correct states', async ({
    open,
    buys,
  }) => {
    for (let round = 0; round < 4; round += 1) {
      const { buy, paymentId } = await buys.allocated();
      const first = await buys.payBack(paymentId, { amountPaise: 60_000 });
      await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
      const keep = () => buys.resolve(buy.id, 'KEEP');
      const rest = () => buys.payBack(paymentId);
      await Promise.all(round % 2 === 0 ? [keep(), rest()] : [rest(), keep()]);
      const isKept = async () => {
        const rows = await open.database.db.paymentReversal.findMany({
          where: { gatewayPaymentId: paymentId },
        });
        expect(rows).toHaveLength(2);
        return rows.every(({ resolvedAt }) => resolvedAt !== null);
      };
      await eventually(async () => {
        const [status, code] = (await isKept()) ? kept : reopened;
        await buys.becomes(buy, status, code);
      });
      expect(first).not.toBe('');
    }
  });
});

const kept = ['ALLOCATED', null] as const;
const reopened = ['MANUAL_REVIEW', 'PAYMENT_REVERSED'] as const;
