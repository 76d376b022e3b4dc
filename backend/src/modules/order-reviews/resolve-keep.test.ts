import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { codeOf, type UntypedAnswer } from '#test/support/caller.ts';
import { reviewTest } from '#test/support/review-test.ts';
import type { ReviewedBuy, ReviewedBuys } from '#test/support/reviewed-buys.ts';

const it = reviewTest();

const keep = (buys: ReviewedBuys, { id }: ReviewedBuy): Promise<UntypedAnswer> =>
  buys.resolve(id, 'KEEP');
const notFit = [409, 'ILLEGAL_TRANSITION'];
const isAllocated = { status: 'ALLOCATED', manual_review_code: null };
const noted = (buys: ReviewedBuys, buy: ReviewedBuy, reference: string) =>
  eventually(async () => (await buys.reasonOf(buy)).includes(reference));

describe('KEEP with a second payment that is held', () => {
  it.for(['REFUND', 'DISPUTE'])(
    'makes the second payment replace the first, which was reversed by a %s',
    async (kind, { open, buys }) => {
      const { buy, paymentId, secondId } = await buys.paidTwice();
      expect(codeOf(await keep(buys, buy))).toEqual(notFit);
      const back = kind === 'REFUND' ? buys.payBack : buys.loseDispute;
      await noted(buys, buy, await back(paymentId));
      const answer = await keep(buys, buy);
      expect(answer.body).toMatchObject({ ...isAllocated, payments: [{ status: 'PAID' }] });
      expect(await buys.paymentDispositions(buy)).toEqual(['REFUNDED', 'APPLIED']);
      const { capturedPayment } = await open.database.db.paymentOrder.findFirstOrThrow({
        where: { orderId: buy.id },
        include: { capturedPayment: true },
      });
      expect(capturedPayment?.gatewayPaymentId).toBe(secondId);
      // A later reversal concerns the payment that is held now.
      await buys.payBack(secondId);
      await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
      expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
    },
  );

  it("uses the gateway's report, even if no event arrived", async ({ open, buys }) => {
    const { buy, paymentId } = await buys.paidTwice();
    await buys.payBack(paymentId, { deliver: 'none' });
    await buys.gatewayFault('get-refund', 'error', 10);
    expect(codeOf(await keep(buys, buy))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    await open.sandbox.control('DELETE', '/faults');
    await eventually(async () => {
      expect((await keep(buys, buy)).body).toMatchObject(isAllocated);
    });
    expect(await buys.paymentDispositions(buy)).toEqual(['REFUNDED', 'APPLIED']);
  });

  it('is refused while the gateway lists the second payment as an unreadable row', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.paidTwice();
    await noted(buys, buy, await buys.payBack(paymentId));
    await buys.gatewayFault('list-payments', 'odd_row', 10);
    const refused = await keep(buys, buy);
    expect(codeOf(refused)).toEqual(notFit);
    expect(refused.body.error.message).toContain('cannot say whether the other payment is held');
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    await open.sandbox.control('DELETE', '/faults');
    expect((await keep(buys, buy)).body).toMatchObject(isAllocated);
  });

  it('is refused if only a part of the first payment was reversed', async ({ buys }) => {
    const { buy, paymentId } = await buys.paidTwice();
    await noted(buys, buy, await buys.payBack(paymentId, { amountPaise: 99_999 }));
    expect(codeOf(await keep(buys, buy))).toEqual(notFit);
    expect(await buys.paymentDispositions(buy)).toEqual(['APPLIED', 'SECOND']);
  });

  it('is refused if the second payment is of another amount or not the only one', async ({
    buys,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    const wrong = await buys.pay(buy, { amountPaise: 99_999 });
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    await noted(buys, buy, await buys.payBack(paymentId));
    expect(codeOf(await keep(buys, buy))).toEqual(notFit);
    const right = await buys.pay(buy);
    await eventually(async () => (await buys.paymentDispositions(buy)).length === 3);
    expect(codeOf(await keep(buys, buy))).toEqual(notFit);
    await buys.payBack(wrong);
    await eventually(async () => {
      expect((await keep(buys, buy)).body).toMatchObject(isAllocated);
    });
    expect(await buys.paymentDispositions(buy)).toEqual(['REFUNDED', 'REFUNDED', 'APPLIED']);
    expect(right).not.toBe('');
  });

  it('ends the review if the second payment was refunded', async ({ buys }) => {
    const { buy, secondId } = await buys.paidTwice();
    await noted(buys, buy, await buys.payBack(secondId));
    expect((await keep(buys, buy)).body).toMatchObject(isAllocated);
    expect(await buys.paymentDispositions(buy)).toEqual(['APPLIED', 'REFUNDED']);
  });

  it('ends the review once if another operator concurrently refunds the second payment', async ({
    buys,
  }) => {
    for (let round = 0; round < 4; round += 1) {
      const { buy, secondId } = await buys.paidTwice();
      const reference = await buys.payBack(secondId);
      await noted(buys, buy, reference);
      const refund = () => buys.resolve(buy.id, 'REFUNDED', { reference });
      const both = round % 2 === 0 ? [keep(buys, buy), refund()] : [refund(), keep(buys, buy)];
      const statuses = (await Promise.all(both)).map(({ status }) => status);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
      await buys.becomes(buy, 'ALLOCATED');
    }
  });
});

describe('REFUNDED of the second payment, if the first was also reversed', () => {
  it('leaves the order under review for its first payment', async ({ buys }) => {
    const { buy, paymentId, secondId } = await buys.paidTwice();
    await noted(buys, buy, await buys.payBack(paymentId));
    const reference = await buys.payBack(secondId);
    await noted(buys, buy, reference);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.body).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PAYMENT_REVERSED',
      refund_reference: null,
    });
    expect(await buys.paymentDispositions(buy)).toEqual(['APPLIED', 'REFUNDED']);
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
  });

  it('does not buy gold with a reversed payment', async ({ open, buys }) => {
    const buy = await buys.place();
    const paymentId = await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
    const secondId = await buys.pay(buy);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    await noted(buys, buy, await buys.payBack(paymentId));
    const second = await buys.payBack(secondId);
    await noted(buys, buy, second);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference: second });
    expect(answer.body).toMatchObject({ manual_review_code: 'PAYMENT_REVERSED' });
    await open.allocate(buy.id);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
  });

  it.for([
    ['the whole', {}],
    ['a part', { amountPaise: 1 }],
  ] as const)(
    'does not buy gold with a payment of which %s was reversed without an event',
    async ([, part], { open, buys }) => {
      const buy = await buys.place();
      const paymentId = await buys.pay(buy);
      await buys.becomes(buy, 'PAID');
      const secondId = await buys.pay(buy);
      await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
      await buys.payBack(paymentId, { ...part, deliver: 'none' });
      const reference = await buys.payBack(secondId);
      const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
      expect(answer.body).toMatchObject({
        status: 'MANUAL_REVIEW',
        manual_review_code: 'PAYMENT_REVERSED',
        refund_reference: null,
      });
      await open.allocate(buy.id);
      await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
      expect(await buys.paymentDispositions(buy)).toEqual(['APPLIED', 'REFUNDED']);
      const rest = await buys.payBack(paymentId);
      expect((await buys.resolve(buy.id, 'REFUNDED', { reference: rest })).body.status).toBe(
        'FAILED',
      );
    },
  );
});
