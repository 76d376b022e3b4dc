import type { Redis } from 'ioredis';
import type { Idempotency } from '../../platform/idempotency/index.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { Actor } from '../orders/index.ts';
import type { HoldDeps } from '../payouts/index.ts';
import type { Gates } from '../readiness/index.ts';
import type { GoldAmount, GoldBase, QuoteDeps, SellLimitsDeps } from '../quotes/index.ts';

export interface SaleOutcomeDeps extends GoldBase, HoldDeps {
  readonly notify: Notify;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
}

/** The dependencies of a sale, from its idempotency key to its payout. */
export interface SellingDeps extends SaleOutcomeDeps, QuoteDeps, SellLimitsDeps {
  readonly redis: Redis;
}

/** The dependencies of the routes of sales. */
export interface SellingRouteDeps extends SellingDeps {
  readonly idempotency: Idempotency;
  readonly gates: Pick<Gates, 'requireSellOpen'>;
}

export interface SaleRequest {
  readonly userId: string;
  readonly amount: GoldAmount;
  readonly bankAccountId: string;
  readonly quoteId?: string | undefined;
  readonly requestId: string;
}

/** The actor and the request that change a sale, for its history. */
export interface SaleInitiator {
  readonly actor: Actor;
  readonly requestId?: string | undefined;
  /** Details that are stored in the history with the transition. */
  readonly detail?: JsonObject;
}
