import { afterEach, describe, expect } from 'vitest';
import { installmentTest } from '#test/support/installment-test.ts';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { InstallmentFixtures, TestInstallment } from '#test/support/installments.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

/** The call to the provider at which the worker dies. Nothing happens after it. */
const death: { at: string | undefined } = { at: undefined };
const dieAt = (point: string): void => {
  if (death.at === point) throw new Error(`killed ${point}`);
};
const wrapWithDeath = (provider: GoldProvider): GoldProvider => ({
  ...provider,
  async verifyBuy(request) {
    const outcome = await provider.verifyBuy(request);
    dieAt('after the verify');
    return outcome;
  },
  async confirmBuy(request) {
    dieAt('before the confirm');
    const outcome = await provider.confirmBuy(request);
    dieAt('after the confirm');
    return outcome;
  },
  async buyStatus(question) {
    const outcome = await provider.buyStatus(question);
    dieAt('after the status');
    return outcome;
  },
});

const it = installmentTest({ wrap: { provider: wrapWithDeath } }).extend('paid', ({ fixtures }) =>
  fixtures.payable(),
);

it.beforeEach(async ({ fixtures, paid }) => {
  await fixtures.pay(paid.gatewayOrderId);
  await fixtures.becomes(paid, 'PAID');
});

afterEach(() => {
  death.at = undefined;
});

const allocate = (open: OpenGold, paid: TestInstallment & { readonly gatewayOrderId: string }) =>
  open.allocate(paid.orderId);
const is = (
  fixtures: InstallmentFixtures,
  paid: TestInstallment & { readonly gatewayOrderId: string },
  status: string,
  code?: string,
) => fixtures.becomes(paid, status, code);
const confirmsOf = async (
  open: OpenGold,
  paid: TestInstallment & { readonly gatewayOrderId: string },
): Promise<number> => {
  const ours = await open.journal('buy-confirm');
  const operations = await open.database.db.providerOperation.findMany({
    where: { orderId: paid.orderId },
  });
  const ids = new Set(operations.map(({ providerTxId }) => providerTxId));
  return ours.filter((entry) => ids.has(String(entry.body['tx_id']))).length;
};
/** Checks that both sides have one purchase, for the paid rupees. */
const expectOnePurchase = async (
  open: OpenGold,
  fixtures: InstallmentFixtures,
  paid: TestInstallment & { readonly gatewayOrderId: string },
): Promise<void> => {
  const order = await fixtures.orderOf(paid);
  expect(order).toMatchObject({ status: 'ALLOCATED', manual_review_code: null });
  expect(order.gold_value_paise + order.gst_paise).toBe(100_000);
  const { body } = await open.sandbox.safegold('GET', `/v1/users/${paid.providerUserId}`);
  expect(String(body['gold_balance'])).toBe(order.grams.replace(/0+$/, ''));
  const where = { userId: paid.userId };
  const movements = await open.database.db.holdingMovement.findMany({ where });
  expect(movements.map(({ investedPaise }) => investedPaise)).toEqual([100_000n]);
};
const everyRetry = [5, 15, 45, 90, 180];
const retryAll = async (
  open: OpenGold,
  fixtures: InstallmentFixtures,
  paid: TestInstallment & { readonly gatewayOrderId: string },
): Promise<void> => {
  for (const seconds of everyRetry) {
    expect(await fixtures.statusOf(paid)).toBe('RETRY_PENDING');
    await open.advance(seconds);
    await allocate(open, paid);
  }
};

describe('a paid installment', () => {
  it("is allocated even if the customer's KYC was revoked since", async ({
    open,
    fixtures,
    paid,
  }) => {
    await open.setKyc('PENDING');
    await fixtures.runJobs();
    await expectOnePurchase(open, fixtures, paid);
    expect(await fixtures.historyOf(paid)).toEqual(['PENDING', 'PAID', 'ALLOCATED']);
  });

  it('is allocated by its job at the current price', async ({ open, fixtures, paid }) => {
    const price = { buyPaise: 2_000_000, sellPaise: 1_900_000, spotPaise: 1_950_000 };
    await open.sandbox.control('PUT', '/price', price);
    await open.advance(20 * 60);
    await fixtures.runJobs();
    await expectOnePurchase(open, fixtures, paid);
    const order = await fixtures.orderOf(paid);
    expect(order).toMatchObject({
      price_per_gram_paise: 2_000_000,
      gold_value_paise: 97_087,
      gst_paise: 2913,
      grams: '0.0485',
      rounding_paise: 87,
    });
    expect(order.sg_tx_id).not.toBeNull();
    expect(await fixtures.historyOf(paid)).toEqual(['PENDING', 'PAID', 'ALLOCATED']);
    expect(await fixtures.notificationsOf(paid)).toEqual(['buy_success']);
    const portfolio = (await paid.call('GET', '/portfolio')).body;
    expect(portfolio).toMatchObject({ balance: '0.0485', investedPaise: 100_000 });
    const history = (await paid.call('GET', '/portfolio/history')).body;
    expect(history.items).toEqual([expect.objectContaining({ id: paid.orderId })]);
    const seen = await open.as('operator')('GET', `/orders/${paid.orderId}`);
    expect(seen.body).toMatchObject({ type: 'SIP_INSTALLMENT', provider_amount_paise: 99_910 });
  });

  it('is confirmed once by ten concurrent workers', async ({ open, fixtures, paid }) => {
    await Promise.all(Array.from({ length: 10 }, () => allocate(open, paid)));
    await expectOnePurchase(open, fixtures, paid);
    expect(await confirmsOf(open, paid)).toBe(1);
    await allocate(open, paid);
    await expectOnePurchase(open, fixtures, paid);
  });

  it('shows no gold until it is allocated', async ({ open, fixtures, paid }) => {
    await open.fault('buy-confirm', 'error');
    await allocate(open, paid);
    const nothing = { grams: null, price_per_gram_paise: null, gst_paise: null, cgst_paise: null };
    expect(await fixtures.orderOf(paid)).toMatchObject({ status: 'RETRY_PENDING', ...nothing });
    const seen = await open.as('operator')('GET', `/orders/${paid.orderId}`);
    expect(seen.body).toMatchObject(nothing);
    await open.advance(5);
    await allocate(open, paid);
    await expectOnePurchase(open, fixtures, paid);
    const states = ['PENDING', 'PAID', 'RETRY_PENDING', 'PAID', 'ALLOCATED'];
    expect(await fixtures.historyOf(paid)).toEqual(states);
  });

  it.for(['error', 'reset', 'wrong_amount', 'malformed'])(
    'whose verify ends in %s is verified again',
    async (fault, { open, fixtures, paid }) => {
      await open.fault('buy-verify', fault);
      await allocate(open, paid);
      await is(fixtures, paid, 'RETRY_PENDING');
      expect(await confirmsOf(open, paid)).toBe(0);
      await open.advance(5);
      await allocate(open, paid);
      await expectOnePurchase(open, fixtures, paid);
    },
  );

  it.for(['accept_then_timeout', 'malformed'])(
    'whose confirm succeeded but ended in %s is found by the order status',
    async (fault, { open, fixtures, paid }) => {
      await open.fault('buy-confirm', fault);
      await allocate(open, paid);
      await expectOnePurchase(open, fixtures, paid);
      expect(await confirmsOf(open, paid)).toBe(1);
    },
  );

  it('goes to review if every verify was for other grams', async ({ open, fixtures, paid }) => {
    await open.fault('buy-verify', 'wrong_amount', { times: 50 });
    await allocate(open, paid);
    await retryAll(open, fixtures, paid);
    await is(fixtures, paid, 'MANUAL_REVIEW', 'GRAMS_MISMATCH');
    expect(await confirmsOf(open, paid)).toBe(0);
  });

  it('goes to review after the last retry', async ({ open, fixtures, paid }) => {
    await open.fault('buy-verify', 'error', { times: 50 });
    await allocate(open, paid);
    await retryAll(open, fixtures, paid);
    await is(fixtures, paid, 'MANUAL_REVIEW', 'ALLOCATION_EXHAUSTED');
    const { manual_review_reason: reason } = await fixtures.orderOf(paid);
    expect(reason).toBe(
      '6 allocation attempts failed. The last verify ended in PROVIDER_UNAVAILABLE.',
    );
    expect(await fixtures.notificationsOf(paid)).toEqual(['buy_under_review']);
  });
});

describe('an undecided confirm of an installment', () => {
  it('is queried, and never followed by a second purchase', async ({ open, fixtures, paid }) => {
    await open.fault('buy-confirm', 'accept_then_timeout');
    await open.fault('buy-status', 'timeout', { times: 1000 });
    await allocate(open, paid);
    await is(fixtures, paid, 'RETRY_PENDING');
    await open.advance(5);
    await allocate(open, paid);
    await is(fixtures, paid, 'RETRY_PENDING');
    await open.sandbox.control('DELETE', '/faults');
    await open.advance(15);
    await allocate(open, paid);
    await expectOnePurchase(open, fixtures, paid);
    expect(await confirmsOf(open, paid)).toBe(1);
  });

  it('defers the next verify until the provider can no longer confirm it', async ({
    open,
    fixtures,
    paid,
  }) => {
    await open.fault('buy-confirm', 'timeout');
    await allocate(open, paid);
    await is(fixtures, paid, 'RETRY_PENDING');
    const before = (await open.journal('buy-verify')).length;
    await open.advance(600);
    await allocate(open, paid);
    await is(fixtures, paid, 'RETRY_PENDING');
    await open.advance(30);
    await allocate(open, paid);
    await is(fixtures, paid, 'RETRY_PENDING');
    expect(await open.journal('buy-verify')).toHaveLength(before);
    await open.advance(35);
    await allocate(open, paid);
    await open.advance(15);
    await allocate(open, paid);
    await expectOnePurchase(open, fixtures, paid);
    expect(await open.journal('buy-verify')).toHaveLength(before + 1);
  });

  it('is found by the sweep, which allocates the installment from its review', async ({
    open,
    fixtures,
    paid,
  }) => {
    await open.fault('buy-confirm', 'accept_then_timeout');
    await open.fault('buy-status', 'malformed', { times: 200 });
    await allocate(open, paid);
    await retryAll(open, fixtures, paid);
    await is(fixtures, paid, 'MANUAL_REVIEW', 'ALLOCATION_EXHAUSTED');
    await open.sandbox.control('DELETE', '/faults');
    await open.advance(60);
    await runSweeps(open.gold.sweeps, 'buying-poll-undecided-allocations');
    expect(await confirmsOf(open, paid)).toBe(1);
    await expectOnePurchase(open, fixtures, paid);
  });
});

describe('a worker killed with an installment', () => {
  it.for(['after the verify', 'before the confirm', 'after the confirm', 'after the status'])(
    '%s is followed by another worker that buys the gold once',
    async (point, { open, fixtures, paid }) => {
      death.at = point;
      await expect(allocate(open, paid)).rejects.toThrow('killed');
      death.at = undefined;
      await open.lapseLeases();
      await open.advance(61);
      await open.database.db.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
      await runSweeps(open.gold.sweeps, 'buying-resume-paid-orders');
      await fixtures.runJobs();
      await expectOnePurchase(open, fixtures, paid);
      expect(await confirmsOf(open, paid)).toBe(1);
    },
  );

  it('before its retry is followed by another worker at that retry', async ({
    open,
    fixtures,
    paid,
  }) => {
    await open.fault('buy-verify', 'error');
    await allocate(open, paid);
    await is(fixtures, paid, 'RETRY_PENDING');
    await open.advance(70);
    await runSweeps(open.gold.sweeps, 'buying-resume-allocation-retries');
    await fixtures.runJobs();
    expect(await confirmsOf(open, paid)).toBe(1);
    await expectOnePurchase(open, fixtures, paid);
  });
});
