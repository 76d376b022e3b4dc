import type { Redis } from 'ioredis';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { TaskList } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createPortfolioCache } from '../holdings/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { JanitorStep, OrderSettlement } from '../payments/index.ts';
import { createBuyRoutes } from './buy.customer.routes.ts';
import { createAllocate, type Allocate } from './create-allocate.ts';
import { createMoveOrder } from './create-move-order.ts';
import { createDraftQuote } from './draft-quote.ts';
import { createGoldAdminRoutes, type OrderPayments } from './gold.admin.routes.ts';
import { createGoldCustomerRoutes } from './gold.customer.routes.ts';
import type { BuyDeps } from './gold.deps.ts';
import { createExpirySteps, type ExpiryStep, type UnpaidPayments } from './gold.expiry.ts';
import { createGoldJanitor } from './gold.janitor.ts';
import { createGoldJobs } from './gold.jobs.ts';
import { createOrderSettlement } from './order-settlement.ts';
import { createSettleAllocation } from './settle-allocation.ts';

/**
 * What payments do to gold orders. Made before payments and before the rest of this module: each
 * of the two needs something of the other.
 */
export const createGoldSettlement = (options: {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly notify: Notify;
}): OrderSettlement => createOrderSettlement({ ...options, moveOrder: createMoveOrder(options) });

export interface GoldOptions extends BuyDeps {
  readonly redis: Redis;
  readonly notify: Notify;
  readonly payments: BuyDeps['payments'] & OrderPayments & UnpaidPayments;
  /** The waits before each retry of an allocation. */
  readonly allocationRetrySeconds: readonly number[];
}

export interface Gold {
  /** Quotes, buys, `POST /payments/orders`, orders and `/portfolio/history`. */
  readonly customerRoutes: Route[];
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly janitorSteps: readonly JanitorStep[];
  readonly expirySteps: readonly ExpiryStep[];
  readonly allocate: Allocate;
}

/** Quotes, buys and their allocation. */
export const createGold = (options: GoldOptions): Gold => {
  const deps = {
    ...options,
    moveOrder: createMoveOrder(options),
    portfolios: createPortfolioCache(options),
    retrySeconds: options.allocationRetrySeconds,
  };
  const draftQuote = createDraftQuote(deps);
  const allocate = createAllocate(deps);
  const settle = createSettleAllocation(deps);
  return {
    customerRoutes: [
      ...createGoldCustomerRoutes({ ...deps, draftQuote }),
      ...createBuyRoutes({ ...deps, draftQuote }),
    ],
    adminRoutes: createGoldAdminRoutes(deps),
    jobs: createGoldJobs(allocate),
    janitorSteps: createGoldJanitor({ ...deps, settle }),
    expirySteps: createExpirySteps(deps),
    allocate,
  };
};
