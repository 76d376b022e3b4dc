import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import { codeOf } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import type { ReviewedBuy, ReviewedBuys } from '#test/support/reviewed-buys.ts';

const it = reviewTest();

const notFit = [409, 'ILLEGAL_TRANSITION'];
const isAllocated = { status: 'ALLOCATED', manual_review_code: null };
const isInDoubt = { status: 'MANUAL_REVIEW', manual_review_code: 'FAILED_AFTER_PAID' };

/** Reports a captured payment as failed, at a later time of the gateway. */
const reportFailure = async (
  open: OpenGold,
  buys: ReviewedBuys,
  buy: ReviewedBuy,
  paymentId: string,
) => {
  await open.advance(1);
  await buys.sendPaymentEvent(buy, 'payment.failed', paymentId, 'failed');
};
/** Creates a paid order that is not allocated yet. */
const paid = async (buys: ReviewedBuys) => {
  const buy = await buys.place();
  const paymentId = await buys.pay(buy);
  await buys.becomes(buy, 'PAID');
  return { buy, paymentId };
};
const paySecond = async (buys: ReviewedBuys, buy: ReviewedBuy): Promise<string> => {
  const secondId = await buys.pay(buy);
  await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
  return secondId;
};
/** Refunds the payment at the gateway, and records that by the resolution REFUNDED. */
const refund = async (buys: ReviewedBuys, { id }: ReviewedBuy, paymentId: string) =>
  buys.resolve(id, 'REFUNDED', { reference: await buys.payBack(paymentId) });
const countUnresolved = (open: OpenGold, { id: orderId }: ReviewedBuy): Promise<number> =>
  open.database.db.gatewayPayment.count({
    where: {
      paymentOrder: { orderId },
      failedAfterCaptureAt: { not: null },
      failureResolvedAt: null,
    },
  });

/** Creates an order with a failed capture and a second one, before or after its allocation. */
const createWithTwoPayments = async (
  open: OpenGold,
  buys: ReviewedBuys,
  { hasGold, first }: { readonly hasGold: boolean; readonly first: 'failure' | 'second' },
) => {
  const { buy, paymentId } = await (hasGold ? buys.allocated() : paid(buys));
  if (first === 'failure') await buys.failPayment(buy, paymentId);
  const secondId = await paySecond(buys, buy);
  if (first === 'second') await reportFailure(open, buys, buy, paymentId);
  await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
  return { buy, paymentId, secondId };
};
const cases = [true, false].flatMap((hasGold) =>
  (['failure', 'second'] as const).map((first) => ({ hasGold, first })),
);

describe('REFUNDED of a second payment, if the first payment failed', () => {
  it.for(cases)(
    'leaves the order under review for the failure ($first first, gold: $hasGold)',
    async (story, { open, buys }) => {
      const { buy, secondId } = await createWithTwoPayments(open, buys, story);
      const reason = await buys.reasonOf(buy);
      expect(reason).toContain('the captured payment later failed');
      const answer = await refund(buys, buy, secondId);
      expect(answer.body).toMatchObject({ ...isInDoubt, refund_reference: null });
      expect(answer.body.manual_review_reason).toContain(reason);
      await open.allocate(buy.id);
      await buys.becomes(buy, 'MANUAL_REVIEW', 'FAILED_AFTER_PAID');
      const end = await buys.resolve(buy.id, story.hasGold ? 'KEEP' : 'ALLOCATE');
      expect(end.body).toMatchObject(isAllocated);
      expect(await countUnresolved(open, buy)).toBe(0);
    },
  );

  it('leaves one review if the failure is reported concurrently', async ({ open, buys }) => {
    for (let round = 0; round < 4; round += 1) {
      const { buy, paymentId, secondId } = await buys.paidTwice();
      const reference = await buys.payBack(secondId);
      const refunded = () => buys.resolve(buy.id, 'REFUNDED', { reference });
      const failed = () => reportFailure(open, buys, buy, paymentId);
      await Promise.all(round % 2 === 0 ? [refunded(), failed()] : [failed(), refunded()]);
      await buys.becomes(buy, 'MANUAL_REVIEW', 'FAILED_AFTER_PAID');
      expect((await buys.resolve(buy.id, 'KEEP')).body).toMatchObject(isAllocated);
    }
  });
});

describe('REFUNDED of the first payment, which had failed', () => {
  it('resolves the failure, and leaves the second payment under review', async ({ open, buys }) => {
    const story = { hasGold: false, first: 'failure' } as const;
    const { buy, paymentId, secondId } = await createWithTwoPayments(open, buys, story);
    expect((await refund(buys, buy, paymentId)).body).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
    expect(await countUnresolved(open, buy)).toBe(0);
    expect((await refund(buys, buy, secondId)).body.status).toBe('FAILED');
  });

  it('fails the order if there is no other payment', async ({ open, buys }) => {
    const { buy, paymentId } = await paid(buys);
    await buys.failPayment(buy, paymentId);
    expect((await refund(buys, buy, paymentId)).body.status).toBe('FAILED');
    expect(await countUnresolved(open, buy)).toBe(0);
  });
});

describe('KEEP of gold whose payment failed', () => {
  it('resolves the failure, so that no later review and no repeat reports it again', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.failPayment(buy, paymentId);
    expect((await buys.resolve(buy.id, 'KEEP')).body).toMatchObject(isAllocated);
    expect(await countUnresolved(open, buy)).toBe(0);
    await reportFailure(open, buys, buy, paymentId);
    await buys.becomes(buy, 'ALLOCATED');
    const told = { subject: buy.gatewayOrderId, eventType: 'payment.failed' };
    const events = await open.database.db.webhookEvent.findMany({ where: told });
    expect(events.map(({ status }) => status)).toEqual(['APPLIED', 'APPLIED']);
    const secondId = await paySecond(buys, buy);
    expect((await refund(buys, buy, secondId)).body).toMatchObject(isAllocated);
  });

  it('is refused while a second payment is held, which replaces the first one after its refund', async ({
    open,
    buys,
  }) => {
    const story = { hasGold: true, first: 'failure' } as const;
    const { buy, paymentId } = await createWithTwoPayments(open, buys, story);
    expect(codeOf(await buys.resolve(buy.id, 'KEEP'))).toEqual(notFit);
    expect(await countUnresolved(open, buy)).toBe(1);
    await buys.payBack(paymentId, { deliver: 'none' });
    await eventually(async () => {
      expect((await buys.resolve(buy.id, 'KEEP')).body).toMatchObject(isAllocated);
    });
    expect(await buys.paymentDispositions(buy)).toEqual(['REFUNDED', 'APPLIED']);
    expect(await countUnresolved(open, buy)).toBe(0);
  });

  it('also resolves the failure of a second payment that replaces the first', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId, secondId } = await buys.paidTwice();
    await reportFailure(open, buys, buy, secondId);
    expect(await buys.reasonOf(buy)).toContain('a further captured payment later failed');
    await buys.payBack(paymentId, { deliver: 'none' });
    await eventually(async () => {
      expect((await buys.resolve(buy.id, 'KEEP')).body).toMatchObject(isAllocated);
    });
    expect(await countUnresolved(open, buy)).toBe(0);
  });
});

describe('ALLOCATE with a payment that was reported as failed', () => {
  it('finds gold that the provider has already sold, and ends the review', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await paid(buys);
    await buys.failPayment(buy, paymentId);
    const { providerUserId } = await open.database.db.user.findUniqueOrThrow({
      where: { id: buy.userId },
    });
    const path = `/v1/users/${providerUserId}/buy-gold-confirm`;
    await open.sandbox.safegold('POST', path, { tx_id: buy.txId });
    const answer = await buys.resolve(buy.id, 'ALLOCATE');
    expect(answer.body).toMatchObject({ ...isAllocated, sg_tx_id: buy.txId });
    expect(await countUnresolved(open, buy)).toBe(0);
  });

  it('is refused while the gateway does not answer, and does not resolve the failure', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await paid(buys);
    await buys.failPayment(buy, paymentId);
    await buys.gatewayFault('list-payments', 'error', 10);
    expect(codeOf(await buys.resolve(buy.id, 'ALLOCATE'))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'FAILED_AFTER_PAID');
    expect(await countUnresolved(open, buy)).toBe(1);
  });
});

/** Keeps the order locked while its captured payment is reported as failed. */
const lockWithFailure = (open: OpenGold, { id }: ReviewedBuy) => {
  const sql = `
    WITH failed AS (
      UPDATE gateway_payment SET failed_after_capture_at = now()
      WHERE payment_order_id IN (SELECT id FROM payment_order WHERE order_id = $1::uuid))
    SELECT FROM gold_order WHERE id = $1::uuid FOR UPDATE`;
  return lockRows(open.migrateUrl, sql, [id]);
};

describe('a failure that is reported during a resolution', () => {
  it.for(['KEEP', 'ALLOCATE'])(
    'is not resolved by a %s that was decided before the report',
    async (resolution, { open, buys }) => {
      const { buy, paymentId } = await (resolution === 'KEEP' ? buys.allocated() : buys.late());
      if (resolution === 'KEEP') {
        await buys.loseDispute(paymentId);
        await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
      }
      const failure = await lockWithFailure(open, buy);
      const resolved = buys.resolve(buy.id, resolution);
      await untilBlocked(open.migrateUrl, 1);
      await failure.commit();
      expect(codeOf(await resolved)).toEqual(notFit);
      expect(await countUnresolved(open, buy)).toBe(1);
    },
  );
});

const steps = [
  'fail',
  'pay',
  'refund-first',
  'refund-other',
  'KEEP',
  'ALLOCATE',
  'allocate',
] as const;
type Step = (typeof steps)[number];

/** Returns true if no refund of a payment is known. */
const isHeld = async ({ database }: OpenGold, gatewayPaymentId: string): Promise<boolean> => {
  const where = { gatewayPaymentId };
  return (await database.db.gatewayPayment.findFirst({ where }))?.status === 'CAPTURED';
};

/** Waits for the gateway's event, so that it does not arrive during the next step. */
const waitForEvent = async (
  { database }: OpenGold,
  gatewayPaymentId: string,
  eventType: string,
) => {
  const where = { gatewayPaymentId, eventType, status: { not: 'PENDING' } };
  await eventually(async () => (await database.db.webhookEvent.count({ where })) > 0);
};

/**
 * Plays one step. Returns true if a resolution has resolved the failure of the first payment.
 */
const play = async (
  open: OpenGold,
  buys: ReviewedBuys,
  step: Step,
  { buy, paymentId, others }: { buy: ReviewedBuy; paymentId: string; others: string[] },
): Promise<boolean> => {
  if (step === 'KEEP' || step === 'ALLOCATE') {
    return (await buys.resolve(buy.id, step)).status === 200;
  }
  const refundTold = async (id: string): Promise<boolean> => {
    const { status } = await refund(buys, buy, id);
    await waitForEvent(open, id, 'refund.processed');
    return status === 200;
  };
  if (step === 'refund-first') return refundTold(paymentId);
  if (step === 'fail') await reportFailure(open, buys, buy, paymentId);
  if (step === 'pay') {
    const id = await buys.pay(buy);
    await waitForEvent(open, id, 'payment.captured');
    others.push(id);
  }
  if (step === 'allocate') await open.allocate(buy.id);
  const other = step === 'refund-other' ? others.pop() : undefined;
  if (other !== undefined) await refundTold(other);
  return false;
};

describe('any sequence of payments, failures and resolutions', () => {
  const runs = fc.record({
    hasGold: fc.boolean(),
    story: fc.array(fc.constantFrom(...steps), { minLength: 4, maxLength: 9 }),
  });
  it('keeps an order under review until its failed payment is resolved', async ({ open, buys }) => {
    await fc.assert(
      fc.asyncProperty(runs, async ({ hasGold, story }) => {
        const { buy, paymentId } = await (hasGold ? buys.allocated() : paid(buys));
        const others: string[] = [];
        let isReported = false;
        let isOpen = false;
        for (const step of story) {
          // A failure counts once, and not for a payment that was refunded.
          if (step === 'fail' && !isReported && (await isHeld(open, paymentId)))
            [isReported, isOpen] = [true, true];
          if (await play(open, buys, step, { buy, paymentId, others })) isOpen = false;
          const { status } = (await buy.call('GET', `/gold/orders/${buy.id}`)).body;
          const isLost = isOpen && status !== 'MANUAL_REVIEW';
          expect({ step, isLost }).toEqual({ step, isLost: false });
          expect(await countUnresolved(open, buy)).toBe(isOpen ? 1 : 0);
        }
      }),
      { numRuns: 15 },
    );
  });
});
