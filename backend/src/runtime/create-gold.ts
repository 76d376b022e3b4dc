import type { Auditor } from '../modules/audit/index.ts';
import { allocateOrder, createBuying, type BuyingOptions } from '../modules/buying/index.ts';
import { createOrderReviewRoutes } from '../modules/order-reviews/index.ts';
import { createOrderAdminRoutes, createOrderCustomerRoutes } from '../modules/orders/index.ts';
import { createQuoteRoutes } from '../modules/quotes/index.ts';
import {
  createSellingRoutes,
  createSellingSweeps,
  type SellingOptions,
} from '../modules/selling/index.ts';
import type { Route } from '../platform/http/index.ts';
import type { Sweep, TaskList } from '../platform/jobs/index.ts';
import type { Metrics } from '../platform/observability/index.ts';

type GoldOptions = BuyingOptions &
  SellingOptions & {
    readonly audit: Auditor;
    readonly metrics: Pick<Metrics, 'countBound'>;
  };

export interface Gold {
  /** Quotes, buys, sales, `POST /payments/orders`, orders and `/portfolio/history`. */
  readonly customerRoutes: Route[];
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** Those that run often: what expires. */
  readonly expirySweeps: readonly Sweep[];
  /** Allocates one order, as its job does. */
  readonly allocate: (orderId: string) => Promise<void>;
}

/** Quotes, buys and their allocation, sales, and the operators' way out of a review. */
export const createGold = (deps: GoldOptions): Gold => {
  const buying = createBuying(deps);
  return {
    customerRoutes: [
      ...createQuoteRoutes(deps),
      ...createOrderCustomerRoutes(deps),
      ...buying.customerRoutes,
      ...createSellingRoutes(deps),
    ],
    adminRoutes: [...createOrderAdminRoutes(deps), ...createOrderReviewRoutes(deps)],
    jobs: buying.jobs,
    sweeps: [...buying.sweeps, ...createSellingSweeps(deps)],
    expirySweeps: buying.expirySweeps,
    allocate: (orderId) => allocateOrder(deps, orderId),
  };
};
