import type { Redis } from 'ioredis';
import type { Clock } from '../platform/clock/clock.ts';
import type { Route } from '../platform/http/index.ts';
import type { Random } from '../platform/ids/random.ts';
import type { TaskList } from '../platform/jobs/index.ts';
import type { Logger } from '../platform/observability/index.ts';
import { createPortfolioCache, type PortfolioCache } from '../modules/holdings/index.ts';
import type { Notify } from '../modules/notifications/index.ts';
import type { Auditor } from '../modules/audit/index.ts';
import type { JanitorStep, OrderSettlement, ReviewPayments } from '../modules/payments/index.ts';
import {
  createGoldCustomerRoutes,
  createMoveOrder,
  createMoveSell,
  createOrderSettlement,
} from '../modules/orders/index.ts';
import { type BuyDeps, createDraftQuote, createDraftSellQuote } from '../modules/quotes/index.ts';
import {
  type PlaceSellDeps,
  createConfirmSell,
  createPlaceSell,
  createSell,
  createSellJanitor,
  createSellRoutes,
  createSettleSell,
  createVerifySell,
} from '../modules/selling/index.ts';
import {
  type OrderPayments,
  createGoldAdminRoutes,
  createResolveAllocate,
  createResolveReview,
  createResolveRoutes,
  createResolveSell,
  createShowOrder,
} from '../modules/order-reviews/index.ts';
import {
  type Allocate,
  type ExpiryStep,
  type UnpaidPayments,
  createAllocate,
  createBuyRoutes,
  createExpirySteps,
  createGoldJanitor,
  createGoldJobs,
  createSettleAllocation,
} from '../modules/buying/index.ts';

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
