import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Cache } from '../../platform/redis/index.ts';
import type { AskPrice } from './ask-price.ts';
import { fromCachedPrice, toCachedPrice, type cachedPrice } from './price.schemas.ts';
import { priceLifeMs, type LivePrice } from './price.types.ts';
import type { z } from 'zod';

export type PriceCache = Cache<z.output<typeof cachedPrice>>;
export const liveKey = 'live';

export interface LivePriceReader {
  /** This replica's copy of the price while it is live; nothing is waited for. */
  priceAtHand(): LivePrice | undefined;
  /**
   * A price at most 10 s old: this replica's copy, the cache's, or the provider's own answer (one
   * call per replica at a time). @throws AppError PRICE_UNAVAILABLE when all of them fail.
   */
  livePrice(): Promise<LivePrice>;
  /** Asks the provider now, whatever is cached: when a rate was refused as lapsed. */
  freshPrice(): Promise<LivePrice>;
}

export const createLivePrice = (options: {
  readonly ask: AskPrice;
  readonly cache: PriceCache;
  readonly wall: Clock;
}): LivePriceReader => {
  const { ask, cache, wall } = options;
  let copy: LivePrice | undefined;
  let refreshing: Promise<LivePrice> | undefined;
  let asking: Promise<LivePrice> | undefined;

  const isLive = (price: LivePrice | undefined): price is LivePrice =>
    price !== undefined && Math.abs(msBetween(price.asOf, wall.now())) < priceLifeMs;

  const askNow = async (): Promise<LivePrice> => {
    const outcome = await ask();
    if (outcome.kind !== 'done') throw new AppError('PRICE_UNAVAILABLE', { cause: outcome });
    copy = outcome.value;
    const leftMs = priceLifeMs - msBetween(copy.asOf, wall.now());
    await cache.set(liveKey, toCachedPrice(copy), leftMs);
    return copy;
  };

  const freshPrice = async (): Promise<LivePrice> => {
    asking ??= askNow().finally(() => {
      asking = undefined;
    });
    return asking;
  };

  const refresh = async (): Promise<LivePrice> => {
    const cached = await cache.get(liveKey);
    const price = cached === undefined ? undefined : fromCachedPrice(cached);
    if (!isLive(price)) return freshPrice();
    copy = price;
    return price;
  };

  const priceAtHand = (): LivePrice | undefined => (isLive(copy) ? copy : undefined);

  return {
    priceAtHand,
    async livePrice() {
      const price = priceAtHand();
      if (price !== undefined) return price;
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    freshPrice,
  };
};
