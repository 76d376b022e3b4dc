import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { JanitorStep, OrderSettlement } from '../payments/index.ts';
import type { AllocationDeps } from './allocation.deps.ts';
import { createBuyRoutes } from './buy.customer.routes.ts';
import { createAllocate, type Allocate } from './create-allocate.ts';
import { createMoveOrder } from './create-move-order.ts';
import { createDraftQuote } from './draft-quote.ts';
import { createGoldAdminRoutes, type OrderPayments } from './gold.admin.routes.ts';
import { createGoldCustomerRoutes } from './gold.customer.routes.ts';
import type { BuyDeps } from './gold.deps.ts';
import { createGoldJanitor } from './gold.janitor.ts';
import { createGoldJobs } from './gold.jobs.ts';
import { createGoldSweeps, type UnpaidPayments } from './gold.sweeps.ts';
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

/** The customer's side: quotes, buys and orders. */
export const createGold = (deps: BuyDeps): { customerRoutes: Route[] } => {
  const draftQuote = createDraftQuote(deps);
  return {
    customerRoutes: [
      ...createGoldCustomerRoutes({ ...deps, draftQuote }),
      ...createBuyRoutes({ ...deps, draftQuote }),
    ],
  };
};

/** The operators' side. */
export const createGoldAdmin = (options: {
  readonly db: Db;
  readonly payments: OrderPayments;
}): { adminRoutes: Route[] } => ({ adminRoutes: createGoldAdminRoutes(options) });

export interface GoldWork {
  readonly allocate: Allocate;
  readonly jobs: TaskList;
  readonly janitorSteps: readonly JanitorStep[];
  readonly sweeps: readonly Sweep[];
}

/** The worker's side: allocation, the janitor's steps and what runs out. */
export const createGoldWork = (
  options: Omit<AllocationDeps, 'moveOrder'> & { readonly payments: UnpaidPayments },
): GoldWork => {
  const deps = { ...options, moveOrder: createMoveOrder(options) };
  const allocate = createAllocate(deps);
  const settle = createSettleAllocation(deps);
  return {
    allocate,
    jobs: createGoldJobs(allocate),
    janitorSteps: createGoldJanitor({ ...deps, settle }),
    sweeps: createGoldSweeps(deps),
  };
};
