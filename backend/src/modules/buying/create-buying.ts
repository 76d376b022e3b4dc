import type { Route } from '../../platform/http/index.ts';
import type { Idempotency } from '../../platform/idempotency/index.ts';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import type { Gates } from '../readiness/index.ts';
import type { BuyDeps } from './buy.ts';
import { createBuyCustomerRoutes } from './buying.customer.routes.ts';
import { createBuyingJobs } from './buying.jobs.ts';
import { createAllocationSweeps, createExpirySweeps } from './buying.sweeps.ts';
import type { AllocationDeps } from './buying.types.ts';
import { createDebitSweep, createInstallmentSweeps } from './installment.sweeps.ts';

export type BuyingDeps = BuyDeps &
  AllocationDeps & {
    readonly idempotency: Idempotency;
    readonly gates: Pick<Gates, 'isBuyOpen' | 'readBuyEvidence' | 'requireBuyOpen'>;
  };

interface Buying {
  /** The routes `POST /gold/buy` and `POST /payments/orders`. */
  readonly customerRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** The sweeps that run often. They expire quotes and unpaid orders. */
  readonly expirySweeps: readonly Sweep[];
}

/**
 * Creates the routes, jobs and sweeps of buying: placing buys, paying for quotes and allocating
 * paid orders.
 */
export const createBuying = (deps: BuyingDeps): Buying => ({
  customerRoutes: createBuyCustomerRoutes(deps),
  jobs: createBuyingJobs(deps),
  sweeps: [
    ...createAllocationSweeps(deps),
    createDebitSweep(deps),
    ...createInstallmentSweeps(deps),
  ],
  expirySweeps: createExpirySweeps(deps),
});
