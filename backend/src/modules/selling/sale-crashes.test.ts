import { afterEach, describe, expect } from 'vitest';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { goldTest } from '#test/support/gold-test.ts';
import { codeOf } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createSaleOutcomes } from '#test/support/sale-outcomes.ts';
import {
  createSellers,
  newIdempotencyKey,
  type Seller,
  type Sellers,
} from '#test/support/sellers.ts';

/** The call at which the process dies. Nothing happens after it, and no lease is released. */
const death: { at: string | undefined; died: (() => void) | undefined } = {
  at: undefined,
  died: undefined,
};
const dieAt = async (point: string): Promise<void> => {
  if (death.at !== point) return;
  death.died?.();
  await new Promise<never>(() => {});
};
/** The work that runs while the process stops after the response of the verify. */
const standstill: { during: (() => Promise<void>) | undefined } = { during: undefined };
const wrapWithDeath = (provider: GoldProvider): GoldProvider => ({
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

const it = goldTest({ wrap: { provider: wrapWithDeath } })
  .extend('sellers', { scope: 'file' }, ({ open }) => createSellers(open))
  .extend('seller', ({ sellers }) => sellers.newSeller())
  .extend('outcomes', ({ open, sellers, seller }) =>
    createSaleOutcomes(open, sellers, () => seller),
  );

afterEach(() => {
  death.at = undefined;
  standstill.during = undefined;
});

const sell = (sellers: Sellers, seller: Seller, key = newIdempotencyKey()) =>
  sellers.sell(seller, '0.02', { idempotency_key: key });

/** Places a sale whose process dies at a call, and lets its leases expire. */
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

describe('a process that is killed', () => {
  it.for(points)(
    '%s is followed by a repeat with the key that sells once',
    async (point, { open, sellers, outcomes, seller }) => {
      const key = newIdempotencyKey();
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
    '%s leaves a sale that the sweep fails after a minute, so that its gold is available',
    async (point, { open, sellers, outcomes, seller }) => {
      const key = newIdempotencyKey();
      await sellAndDie(open, sellers, seller, point, key);
      await open.advance(59);
      await sellers.runSweep('selling-release-abandoned-sales');
      expect((await outcomes.theSale()).status).toBe('PENDING');
      await open.advance(2);
      await sellers.runSweep('selling-release-abandoned-sales');
      await outcomes.expectAvailable();
      expect(codeOf(await sell(sellers, seller, key))).toEqual([502, 'PROVIDER_UNAVAILABLE']);
      await outcomes.expectAvailable();
    },
  );

  it.for(['after the confirm', 'after the status'])(
    '%s leaves a sale that the sweep finds to be sold',
    async (point, { open, sellers, outcomes, seller }) => {
      const key = newIdempotencyKey();
      await sellAndDie(open, sellers, seller, point, key);
      await open.advance(61);
      await sellers.runSweep('selling-release-abandoned-sales');
      await sellers.runSweep('selling-poll-undecided-sales');
      await outcomes.expectSold();
      const answer = await sell(sellers, seller, key);
      expect(answer.status).toBe(201);
      await outcomes.expectSold();
    },
  );

  it('before the confirm leaves a sale that the sweep puts under review', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    await sellAndDie(open, sellers, seller, 'before the confirm', newIdempotencyKey());
    await open.advance(61);
    await sellers.runSweep('selling-poll-undecided-sales');
    await outcomes.expectUnderReview();
    expect(await outcomes.confirmsOf((await outcomes.theSale()).providerTxId)).toBe(0);
  });

  it('and whose lease is valid keeps a repeat and the sweep away from the sale', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    const died = new Promise<void>((resolve) => {
      death.died = resolve;
    });
    const key = newIdempotencyKey();
    death.at = 'before the confirm';
    void sell(sellers, seller, key).catch(() => undefined);
    await died;
    death.at = undefined;
    await open.database.db.$executeRaw`
      UPDATE idempotency_key SET lease_until = now() - interval '1 second' WHERE key = ${key}`;
    // The other lease is valid for longer than the repeat and the sweep take.
    await open.database.db.$executeRaw`
      UPDATE provider_operation SET lease_until = now() + interval '1 hour'
      WHERE holder_id IS NOT NULL AND order_id = ${(await outcomes.theSale()).id}::uuid`;
    expect(codeOf(await sell(sellers, seller, key))).toEqual([409, 'REQUEST_IN_PROGRESS']);
    await open.advance(61);
    await sellers.runSweep('selling-poll-undecided-sales');
    expect(await outcomes.theSale()).toMatchObject({ status: 'VERIFIED', manualReviewCode: null });
    await open.lapseLeases();
    expect((await sell(sellers, seller, key)).status).toBe(201);
    await outcomes.expectSold();
  });

  it('leaves a sale that is not confirmed after the end of its price lock', async ({
    open,
    sellers,
    outcomes,
    seller,
  }) => {
    const key = newIdempotencyKey();
    await sellAndDie(open, sellers, seller, 'before the confirm', key);
    await open.advance(480);
    expect(codeOf(await sell(sellers, seller, key))).toEqual([503, 'SELL_UNDER_REVIEW']);
    await outcomes.expectUnderReview();
    expect(await outcomes.confirmsOf((await outcomes.theSale()).providerTxId)).toBe(0);
  });
});

describe('a process that stops between verify and confirm', () => {
  it('until the lock has ended confirms nothing, and puts the sale under review', async ({
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
