import type { Redis } from 'ioredis';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import { createCache } from '../../platform/redis/index.ts';
import type { Auditor } from '../audit/index.ts';
import { createAskPrice, type AskPrice } from './ask-price.ts';
import { createLivePrice, type LivePriceReader, type PriceCache } from './live-price.ts';
import { createPriceAdminRoutes } from './price.admin.routes.ts';
import { createPriceCustomerRoutes } from './price.customer.routes.ts';
import { cachedPrice } from './price.schemas.ts';
import { createPriceStore, type PriceStore } from './price.store.ts';
import { priceLifeMs } from './price.types.ts';

export interface PriceModule {
  readonly live: LivePriceReader;
  readonly ask: AskPrice;
  readonly cache: PriceCache;
  readonly store: PriceStore;
  readonly customerRoutes: Route[];
}

export interface PriceOptions {
  readonly db: Db;
  readonly redis: Redis;
  readonly provider: GoldProvider;
  /** Real time: price ages stay on it also where the business clock is moved. */
  readonly wall: Clock;
}

export const createPrice = (options: PriceOptions): PriceModule => {
  const { db, redis, provider, wall } = options;
  const store = createPriceStore(db);
  const ask = createAskPrice({ provider, store, wall });
  const cache = createCache({ redis, prefix: 'price', schema: cachedPrice, ttlMs: priceLifeMs });
  const live = createLivePrice({ ask, cache, wall });
  const customerRoutes = createPriceCustomerRoutes({ live, store, wall });
  return { live, ask, cache, store, customerRoutes };
};

/** The operators' side: it never asks the provider. */
export const createPriceAdmin = (options: {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly clock: Clock;
}): { adminRoutes: Route[] } => ({
  adminRoutes: createPriceAdminRoutes({ ...options, store: createPriceStore(options.db) }),
});
