import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createReviewedBuys, type ReviewedBuy } from '#test/support/reviewed-buys.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = goldTest().extend('buys', { scope: 'file' }, ({ open }) => createReviewedBuys(open));
type Buys = ReturnType<typeof createReviewedBuys>;

const reversalsOf = (open: OpenGold, gatewayPaymentId: string) =>
  open.database.db.paymentReversal.findMany({
    where: { gatewayPaymentId },
    orderBy: [{ kind: 'asc' }, { amountPaise: 'asc' }],
  });
const statusOf = async ({ call, id }: ReviewedBuy): Promise<string> =>
  (await call('GET', `/gold/orders/${id}`)).body.status;
const reviewed = (buys: Buys, buy: ReviewedBuy) =>
  buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
const poll = (open: OpenGold) => runSweeps(open.payments.sweeps, 'payments-poll-reversals');

describe('a reversal that no event reported', () => {
  it('is learned by asking the gateway, once for each', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId, { amountPaise: 30_000, deliver: 'none' });
    await buys.loseDispute(paymentId, { amountPaise: 20_000, deliver: 'none' });
    await poll(open);
    expect(await statusOf(buy)).toBe('ALLOCATED');
    await open.advance(3601);
    await poll(open);
    await reviewed(buys, buy);
    expect(await reversalsOf(open, paymentId)).toMatchObject([
      { kind: 'DISPUTE', amountPaise: 20_000n },
      { kind: 'REFUND', amountPaise: 30_000n },
    ]);
    await open.advance(3601);
    await poll(open);
    expect(await reversalsOf(open, paymentId)).toHaveLength(2);
  });

  it('waits for a gateway that gives no answer', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId, { deliver: 'none' });
    await open.advance(3601);
    await buys.gatewayFault('*', 'error', 200);
    await poll(open);
    expect(await statusOf(buy)).toBe('ALLOCATED');
    await open.sandbox.control('DELETE', '/faults');
    await eventually(async () => {
      await open.advance(3601);
      await poll(open);
      expect(await statusOf(buy)).toBe('MANUAL_REVIEW');
    });
  });

  it.for([
    // A refusal is an answer; a failing read is repeated twice.
    ['refuses to say what became of one payment', { status: 400, times: 1 }, 1],
    ['fails when it is asked about one payment', { status: 500, times: 3 }, 2],
  ] as const)(
    'of another payment is found where the gateway %s, which was asked about first',
    async ([_what, fault, passes], { open, buys }) => {
      const first = await buys.allocated();
      const second = await buys.allocated();
      await buys.payBack(second.paymentId, { deliver: 'none' });
      await open.advance(3601);
      // Whatever other tests left is asked about now, and not again in the passes below.
      const { count } = await open.database.db.gatewayPayment.updateMany({
        where: { gatewayPaymentId: { notIn: [first.paymentId, second.paymentId] } },
        data: { reversalsAskedAt: open.clock.now() },
      });
      expect(count).toBeGreaterThan(0);
      await open.gatewayFault('get-refund', 'error', fault);
      for (let pass = 0; pass < passes; pass += 1) await poll(open);
      await open.sandbox.control('DELETE', '/faults');
      await reviewed(buys, second.buy);
      expect(await statusOf(first.buy)).toBe('ALLOCATED');
    },
  );
});
