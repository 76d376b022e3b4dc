import type { Auditor } from '../modules/audit/index.ts';
import { createBuying, type BuyingDeps } from '../modules/buying/index.ts';
import { createOrderReviewRoutes, createReviewRoutes } from '../modules/order-reviews/index.ts';
import { createOrderAdminRoutes, createOrderCustomerRoutes } from '../modules/orders/index.ts';
import { createQuoteRoutes } from '../modules/quotes/index.ts';
import {
  createSellingRoutes,
  createSellingSweeps,
  type SellingRouteDeps,
} from '../modules/selling/index.ts';
import type { Route } from '../platform/http/index.ts';
import type { Sweep, TaskList } from '../platform/jobs/index.ts';
import type { Metrics } from '../platform/observability/index.ts';
import type { UseBound } from '../platform/use-bounds/index.ts';

type GoldDeps = BuyingDeps &
  SellingRouteDeps & {
    readonly audit: Auditor;
    readonly metrics: Pick<Metrics, 'countBound'>;
    readonly invoiceLinks: UseBound;
  };

export interface Gold {
  /** Quotes, purchases, sales, `POST /payments/orders`, orders and `/portfolio/history`. */
  readonly customerRoutes: Route[];
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** The sweeps that run often: they expire quotes and unpaid orders. */
  readonly expirySweeps: readonly Sweep[];
}

/** Creates the routes, jobs and sweeps of quotes, purchases, sales and order reviews. */
export const createGold = (deps: GoldDeps): Gold => {
  const buying = createBuying(deps);
  return {
    customerRoutes: [
      ...createQuoteRoutes(deps),
      ...createOrderCustomerRoutes(deps),
      ...buying.customerRoutes,
      ...createSellingRoutes(deps),
    ],
    adminRoutes: [
      ...createOrderAdminRoutes(deps),
      ...createOrderReviewRoutes(deps),
      ...createReviewRoutes(deps),
    ],
    jobs: buying.jobs,
    sweeps: [...buying.sweeps, ...createSellingSweeps(deps)],
    expirySweeps: buying.expirySweeps,
  };
};
