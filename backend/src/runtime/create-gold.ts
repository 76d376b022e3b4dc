import type { Redis } from 'ioredis';
import type { Paise } from '../money/index.ts';
import type { Auditor } from '../modules/audit/index.ts';
import {
  createBuying,
  type AllocateOrder,
  type BuyingOptions,
  type PlaceInstallment,
} from '../modules/buying/index.ts';
import type { Notify } from '../modules/notifications/index.ts';
import { createOrderReviews } from '../modules/order-reviews/index.ts';
import { createOrderAdminRoutes, createOrderCustomerRoutes } from '../modules/orders/index.ts';
import type { HeldPayments, PaymentsDeps } from '../modules/payments/index.ts';
import {
  createDraftBuyQuote,
  createDraftSellQuote,
  createQuoteRoutes,
} from '../modules/quotes/index.ts';
import type { Gates } from '../modules/readiness/index.ts';
import {
  createSellingRoutes,
  createSellingSweeps,
  type SellingOptions,
} from '../modules/selling/index.ts';
import type { Route } from '../platform/http/index.ts';
import type { Sweep, TaskList } from '../platform/jobs/index.ts';
import type { Metrics } from '../platform/observability/index.ts';

interface GoldOptions
  extends
    Omit<BuyingOptions, 'draftBuyQuote' | 'gates' | 'payments' | 'retrySeconds'>,
    Pick<SellingOptions, 'timers' | 'payoutHolds'> {
  readonly gates: Pick<Gates, 'isBuyOpen' | 'requireBuyOpen' | 'requireSellOpen'>;
  readonly redis: Redis;
  readonly notify: Notify;
  readonly audit: Auditor;
  readonly payments: PaymentsDeps;
  readonly held: HeldPayments;
  readonly metrics: Pick<Metrics, 'countBound'>;
  /** The most that the payout provider sends in one transfer. */
  readonly maximumPayoutPaise: Paise;
  /** The waits before each retry of an allocation. */
  readonly allocationRetrySeconds: readonly number[];
}

export interface Gold {
  /** Quotes, buys, sales, `POST /payments/orders`, orders and `/portfolio/history`. */
  readonly customerRoutes: Route[];
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** Those that run often: what expires. */
  readonly expirySweeps: readonly Sweep[];
  readonly allocate: AllocateOrder;
  readonly installments: PlaceInstallment;
}

/** Quotes, buys and their allocation, sales, and the operators' way out of a review. */
export const createGold = (options: GoldOptions): Gold => {
  const deps = { ...options, retrySeconds: options.allocationRetrySeconds };
  const draftBuyQuote = createDraftBuyQuote(deps);
  const draftSellQuote = createDraftSellQuote(deps);
  const buying = createBuying({ ...deps, draftBuyQuote });
  const sellingDeps = { ...deps, draftSellQuote };
  const { allocateOrder, recordAllocationOutcome } = buying;
  const reviews = createOrderReviews({ ...deps, allocateOrder, recordAllocationOutcome });
  return {
    customerRoutes: [
      ...createQuoteRoutes({ ...deps, draftBuyQuote, draftSellQuote }),
      ...createOrderCustomerRoutes(deps),
      ...buying.customerRoutes,
      ...createSellingRoutes(sellingDeps),
    ],
    adminRoutes: [...createOrderAdminRoutes(deps), ...reviews.adminRoutes],
    jobs: buying.jobs,
    sweeps: [...buying.sweeps, ...createSellingSweeps(sellingDeps)],
    expirySweeps: buying.expirySweeps,
    allocate: buying.allocateOrder,
    installments: buying.installments,
  };
};
