import { afterEach, describe, expect } from 'vitest';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { goldTest } from '#test/support/gold-test.ts';
import { codeOf } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createSaleOutcomes } from '#test/support/sale-outcomes.ts';
import { createSellers, newSaleKey, type Seller, type Sellers } from '#test/support/sellers.ts';

/** A process that dies at one of its calls: nothing after it happens, not even letting go. */
const death: { at: string | undefined; died: (() => void) | undefined } = {
  at: undefined,
  died: undefined,
};
const dieAt = async (point: string): Promise<void> => {
  if (death.at !== point) return;
  death.died?.();
  await new Promise<never>(() => {});
};
/** A process that stands still after the verify's answer, while this goes on. */
const standstill: { during: (() => Promise<void>) | undefined } = { during: undefined };
const mortal = (provider: GoldProvider): GoldProvider => ({
  ...provider,
  async verifySell(request) {
    await dieAt('before the verify');
    const outcome = await provider.verifySell(request);
    await dieAt('after the verify');
    await standstill.during?.();
    return outcome;
  },
  async confirmSell(request) {
    await dieAt('before the confirm');
    const outcome = await provider.confirmSell(request);
    await dieAt('after the confirm');
    return outcome;
  },
  async sellStatus(question) {
    const outcome = await provider.sellStatus(question);
    await dieAt('after the status');
    return outcome;
  },
});

const it = goldTest({ wrapProvider: mortal })
  .extend('sellers', { scope: 'file' }, ({ open }) => createSellers(open))
  .extend('seller', ({ sellers }) => sellers.newSeller())
  .extend('outcomes', ({ open, sellers, seller }) =>
    createSaleOutcomes(open, sellers, () => seller),
  );

afterEach(() => {
  death.at = undefined;
  standstill.during = undefined;
});

const sell = (sellers: Sellers, seller: Seller, key = newSaleKey()) =>
  sellers.sell(seller, '0.02', { idempotency_key: key });

/** A sale whose process dies at a point. What it held runs out. */
const sellAndDie = async (
  open: OpenGold,
  sellers: Sellers,
  seller: Seller,
  point: string,
  key: string,
): Promise<void> => {
  const died = new Promise<void>((resolve) => {
    death.died = resolve;
  });
  death.at = point;
  void sell(sellers, seller, key).catch(() => undefined);
  await died;
  death.at = undefined;
  await open.lapseLeases();
};
const points = [
  'before the verify',
  'after the verify',
  'before the confirm',
  'after the confirm',
  'after the status',
];

describe('a process killed', () => {
  it.for(points)(
    '%s is followed by a repeat of the key that sells once',
    async (point, { open, sellers, outcomes, seller }) => {
      const key = newSaleKey();
      await sellAndDie(open, sellers, seller, point, key);
      const answer = await sell(sellers, seller, key);
      expect(answer.status).toBe(201);
      expect(answer.body.order.status).toBe('CONFIRMED');
      await outcomes.expectSold();
      expect((await sell(sellers, seller, key)).status).toBe(200);
      await outcomes.expectSold();
    },
  );

  it.for(['before the verify', 'after the verify'])(
    '%s is given up by the sweep after a minute, and the gold is free',
    async (point, { open, sellers, outcomes, seller }) => {
      const key = newSaleKey();
      await sellAndDie(open, sellers, seller, point, key);
      await open.advance(59);
      await sellers.runSweep('release-abandoned-sales');
      expect((await outcomes.theSale()).status).toBe('PENDING');
      await open.advance(2);
      await sellers.runSweep('release-abandoned-sales');
      await outcomes.expectAvailable();
      expect(codeOf(await sell(sellers, seller, key))).toEqual([502, 'PROVIDER_UNAVAILABLE']);
      await outcomes.expectAvailable();
    },
  );

  it.for(['after the confirm', 'after the status'])(
    '%s is found by the sweep to have sold',
    async (point, { open, sellers, outcomes, seller }) => {
      const key = newSaleKey();
      await sellAndDie(open, sellers, seller, point, key);
      await open.advance(61);
      await sellers.runSweep('release-abandoned-sales');
      await sellers.runSweep('poll-undecided-sales');
      await outcomes.expectSold();
      const answer = await sell(sellers, seller, key);
      expect(answer.status).toBe(201);
      await outcomes.expectSold();
    },
  );

  it('before the confirm is under review once the sweep has asked', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    await sellAndDie(open, sellers, seller, 'before the confirm', newSaleKey());
    await open.advance(61);
    await sellers.runSweep('poll-undecided-sales');
    await outcomes.expectUnderReview();
    expect(await outcomes.confirmsOf((await outcomes.theSale()).providerTxId)).toBe(0);
  });

  it('and still holding its lease is left alone, by a repeat and by the sweep', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    const died = new Promise<void>((resolve) => {
      death.died = resolve;
    });
    const key = newSaleKey();
    death.at = 'before the confirm';
    void sell(sellers, seller, key).catch(() => undefined);
    await died;
    death.at = undefined;
    await open.database.db.$executeRaw`
      UPDATE idempotency_key SET lease_until = now() - interval '1 second' WHERE key = ${key}`;
    // The other lease stands for longer than the repeat and the sweep take.
    await open.database.db.$executeRaw`
      UPDATE provider_operation SET lease_until = now() + interval '1 hour'
      WHERE holder_id IS NOT NULL AND order_id = ${(await outcomes.theSale()).id}::uuid`;
    expect(codeOf(await sell(sellers, seller, key))).toEqual([409, 'REQUEST_IN_PROGRESS']);
    await open.advance(61);
    await sellers.runSweep('poll-undecided-sales');
    expect(await outcomes.theSale()).toMatchObject({ status: 'VERIFIED', manualReviewCode: null });
    await open.lapseLeases();
    expect((await sell(sellers, seller, key)).status).toBe(201);
    await outcomes.expectSold();
  });

  it('after its lock has ended confirms nothing more', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    const key = newSaleKey();
    await sellAndDie(open, sellers, seller, 'before the confirm', key);
    await open.advance(480);
    expect(codeOf(await sell(sellers, seller, key))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await outcomes.expectUnderReview();
    expect(await outcomes.confirmsOf((await outcomes.theSale()).providerTxId)).toBe(0);
  });
});

describe('a process that stood still between verify and confirm', () => {
  it('until the lock had ended confirms nothing, and leaves the sale to a person', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    standstill.during = () => open.advance(481);
    expect(codeOf(await sell(sellers, seller))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await outcomes.expectUnderReview();
    expect(await outcomes.confirmsOf((await outcomes.theSale()).providerTxId)).toBe(0);
  });
});
