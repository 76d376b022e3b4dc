import type { Redis } from 'ioredis';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { TaskList } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createPortfolioCache, type PortfolioCache } from '../holdings/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { JanitorStep, OrderSettlement, ReviewPayments } from '../payments/index.ts';
import { createBuyRoutes } from './buy.customer.routes.ts';
import { createAllocate, type Allocate } from './create-allocate.ts';
import { createMoveOrder, createMoveSell } from './create-move-order.ts';
import { createDraftQuote } from './draft-quote.ts';
import { createConfirmSell } from './confirm-sell.ts';
import { createSell } from './create-sell.ts';
import { createDraftSellQuote } from './draft-sell-quote.ts';
import { createGoldAdminRoutes } from './gold.admin.routes.ts';
import { createGoldCustomerRoutes } from './gold.customer.routes.ts';
import type { BuyDeps } from './gold.deps.ts';
import { createExpirySteps, type ExpiryStep, type UnpaidPayments } from './gold.expiry.ts';
import { createGoldJanitor } from './gold.janitor.ts';
import { createGoldJobs } from './gold.jobs.ts';
import { createOrderSettlement } from './order-settlement.ts';
import { createPlaceSell } from './place-sell.ts';
import { createResolveAllocate } from './resolve-allocate.ts';
import { createResolveRoutes } from './resolve.admin.routes.ts';
import { createResolveReview } from './resolve-review.ts';
import { createResolveSell } from './resolve-sell.ts';
import { createSellRoutes } from './sell.customer.routes.ts';
import type { PlaceSellDeps } from './sell.deps.ts';
import { createSellJanitor } from './sell.janitor.ts';
import { createSettleAllocation } from './settle-allocation.ts';
import { createSettleSell } from './settle-sell.ts';
import { createShowOrder, type OrderPayments } from './show-order.ts';
import { createVerifySell } from './verify-sell.ts';

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

export interface GoldOptions
  extends BuyDeps, Pick<PlaceSellDeps, 'timers' | 'payouts' | 'sellGate'> {
  readonly redis: Redis;
  readonly notify: Notify;
  readonly audit: Auditor;
  readonly payments: BuyDeps['payments'] &
    OrderPayments &
    UnpaidPayments & { readonly review: ReviewPayments };
  /** The waits before each retry of an allocation. */
  readonly allocationRetrySeconds: readonly number[];
}

export interface Gold {
  /** Quotes, buys, sells, `POST /payments/orders`, orders and `/portfolio/history`. */
  readonly customerRoutes: Route[];
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly janitorSteps: readonly JanitorStep[];
  readonly expirySteps: readonly ExpiryStep[];
  readonly allocate: Allocate;
}

/** Sells, from their quotes to their payouts, and what finds out about those left in between. */
const createSells = (options: GoldOptions & { portfolios: PortfolioCache }) => {
  const deps = { ...options, moveSell: createMoveSell(options) };
  const settleSell = createSettleSell(deps);
  const quotes = createDraftSellQuote(deps);
  const sells = createSell({
    ...deps,
    placeSell: createPlaceSell({ ...deps, quotes }),
    verifySell: createVerifySell(deps),
    confirmSell: createConfirmSell({ ...deps, settleSell }),
  });
  return {
    customerRoutes: createSellRoutes({ ...deps, quotes, sells }),
    janitorSteps: createSellJanitor({ ...deps, settleSell }),
    resolve: createResolveSell({ ...deps, settleSell }),
  };
};

/** Quotes, buys and their allocation, sells, and the operators' way out of a review. */
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
  const sells = createSells(deps);
  const showOrder = createShowOrder(deps);
  const review = createResolveReview(deps);
  const resolve = {
    ALLOCATE: createResolveAllocate({ ...deps, allocate, settle }),
    REFUNDED: review.refunded,
    KEEP: review.keep,
    CONFIRM_SELL: sells.resolve.confirm,
    RELEASE_SELL: sells.resolve.release,
  };
  return {
    customerRoutes: [
      ...createGoldCustomerRoutes({ ...deps, draftQuote }),
      ...createBuyRoutes({ ...deps, draftQuote }),
      ...sells.customerRoutes,
    ],
    adminRoutes: [
      ...createGoldAdminRoutes({ ...deps, showOrder }),
      ...createResolveRoutes({ ...deps, resolve, showOrder }),
    ],
    jobs: createGoldJobs(allocate),
    janitorSteps: [...createGoldJanitor({ ...deps, settle }), ...sells.janitorSteps],
    expirySteps: createExpirySteps(deps),
    allocate,
  };
};
