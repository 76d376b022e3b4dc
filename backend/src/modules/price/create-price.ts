import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import type { CacheSetting } from '../settings/index.ts';
import {
  createFetchPrice,
  createLivePrice,
  type FetchPrice,
  type LivePriceReader,
  findSpreads,
} from './live-price.ts';
import { createPriceCustomerRoutes } from './price.customer.routes.ts';

export interface PriceModule {
  readonly live: LivePriceReader;
  readonly fetchPrice: FetchPrice;
  readonly customerRoutes: Route[];
}

interface PriceOptions {
  readonly db: Db;
  /** The database for histories, which may be some seconds behind. By default it is `db`. */
  readonly historyDb?: Db;
  readonly provider: GoldProvider;
  readonly cacheSetting: CacheSetting;
  /** The clock of real time, by which prices age even if the business clock is moved. */
  readonly wall: Clock;
  /** Counts histories that are read. If it is absent, nothing is counted. */
  readonly metrics?: Pick<Metrics, 'countHistory'>;
}

export const createPrice = (options: PriceOptions): PriceModule => {
  const { db, provider, wall } = options;
  const fetchPrice = createFetchPrice({ provider, db, wall });
  const live = createLivePrice({
    fetchPrice,
    spreads: options.cacheSetting('spreads', findSpreads),
    db,
    wall,
  });
  const historyDb = options.historyDb ?? db;
  const customerRoutes = createPriceCustomerRoutes({ ...options, db: historyDb, live });
  return { live, fetchPrice, customerRoutes };
};
