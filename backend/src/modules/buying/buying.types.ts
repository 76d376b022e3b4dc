import type { Db } from '../../platform/db/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import type { GoldOrder, OrderDeps } from '../orders/index.ts';
import type { QuoteDeps } from '../quotes/index.ts';

/** The dependencies of allocating a paid order, from the provider's verify to the credit. */
export interface AllocationDeps extends QuoteDeps, OrderDeps {
  readonly metrics: Pick<Metrics, 'countCall'>;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  /** Runs in the allocation's transaction after the credit, under the holding's lock. */
  readonly onAllocated: (tx: Db, order: Pick<GoldOrder, 'id' | 'userId'>) => Promise<void>;
  /** Observes the time from the payment to the allocation. If it is absent, nothing is counted. */
  readonly observeAllocation?: Metrics['observeAllocation'];
  /** The waits before each retry of an allocation (ALLOCATION_RETRY_SECONDS). */
  readonly allocationRetrySeconds: readonly number[];
}
