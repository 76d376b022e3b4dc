import type { Redis } from 'ioredis';
import type { Db } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { LivePriceReader } from '../price/index.ts';
import { createHoldingsCustomerRoutes } from './holdings.customer.routes.ts';
import { createPortfolioCache } from './portfolio-cache.ts';

/** The customer's view of what is held. */
export const createHoldings = (options: {
  readonly db: Db;
  readonly redis: Redis;
  readonly random: Random;
  readonly price: Pick<LivePriceReader, 'livePrice'>;
}): { customerRoutes: Route[] } => ({
  customerRoutes: createHoldingsCustomerRoutes({
    db: options.db,
    price: options.price,
    cache: createPortfolioCache(options),
  }),
});
