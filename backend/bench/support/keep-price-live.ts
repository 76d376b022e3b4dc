import { bps, paise } from '../../src/money/index.ts';
import { liveKey } from '../../src/modules/price/live-price.ts';
import { cachedPrice, toCachedPrice } from '../../src/modules/price/price.schemas.ts';
import { priceLifeMs } from '../../src/modules/price/price.types.ts';
import { addMs, createSystemClock } from '../../src/platform/clock/clock.ts';
import { createCache } from '../../src/platform/redis/create-cache.ts';
import { closeRedis, createRedis, untilReady } from '../../src/platform/redis/create-redis.ts';

const everyMs = 1000;

/** Keeps a live price in the cache, where the worker's feed would; answers how to stop it. */
export const keepPriceLive = async (redisUrl: string): Promise<() => Promise<void>> => {
  const wall = createSystemClock();
  const redis = createRedis(redisUrl, 'fail-fast');
  await untilReady(redis, 5000);
  const cache = createCache({ redis, prefix: 'price', schema: cachedPrice, ttlMs: priceLifeMs });
  const put = async (): Promise<void> => {
    const asOf = wall.now();
    const price = {
      buyPaise: paise(1_214_500n),
      sellPaise: paise(1_178_900n),
      spotPaise: paise(1_196_700n),
      providerBuyPaise: paise(1_214_500n),
      providerSellPaise: paise(1_178_900n),
      providerTaxBps: bps(300n),
      buyRateId: '1',
      sellRateId: '2',
      ratesValidUntil: addMs(asOf, 60_000),
      source: 'PROVIDER',
      asOf,
    } as const;
    await cache.set(liveKey, toCachedPrice(price));
  };
  await put();
  const timer = setInterval(() => void put(), everyMs);
  return async () => {
    clearInterval(timer);
    await closeRedis(redis);
  };
};
