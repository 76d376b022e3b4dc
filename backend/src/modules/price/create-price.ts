import type { Redis } from 'ioredis';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import { createCache } from '../../platform/redis/index.ts';
import type { KeepCopy } from '../settings/index.ts';
import {
  createFetchPrice,
  createLivePrice,
  type FetchPrice,
  type LivePriceReader,
  type PriceCache,
  findSpreads,
} from './live-price.ts';
import { createPriceCustomerRoutes } from './price.customer.routes.ts';
import { cachedPrice } from './price.schemas.ts';
import { priceLifeMs } from './price.types.ts';

export interface PriceModule {
  readonly live: LivePriceReader;
  readonly fetchPrice: FetchPrice;
  readonly cache: PriceCache;
  readonly customerRoutes: Route[];
}

interface PriceOptions {
  readonly db: Db;
  readonly redis: Redis;
  readonly provider: GoldProvider;
  readonly keepCopy: KeepCopy;
  /** Real time: prices age on it even where the business clock is moved. */
  readonly wall: Clock;
  /** Nothing is counted without. */
  readonly metrics?: Pick<Metrics, 'countHistory'>;
}

export const createPrice = (options: PriceOptions): PriceModule => {
  const { db, redis, provider, wall } = options;
  const fetchPrice = createFetchPrice({ provider, db, wall });
  const cache = createCache({ redis, prefix: 'price', schema: cachedPrice, ttlMs: priceLifeMs });
  const live = createLivePrice({
    fetchPrice,
    spreads: options.keepCopy('spreads', findSpreads),
    cache,
    wall,
  });
  const customerRoutes = createPriceCustomerRoutes({ ...options, live });
  return { live, fetchPrice, cache, customerRoutes };
};
