import type { Db } from '../../platform/db/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import type { GoldOrder, OrderDeps } from '../orders/index.ts';
import type { QuoteDeps } from '../quotes/index.ts';

/** The dependencies of allocating a paid order, from the provider's verify to the credit. */
export interface AllocationDeps extends QuoteDeps, OrderDeps {
  readonly metrics: Pick<Metrics, 'countCall'>;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  /**
   * The function that is called in the allocation's transaction after the credit, under the
   * holding's lock.
   */
  readonly onAllocated: (tx: Db, order: Pick<GoldOrder, 'id' | 'userId'>) => Promise<void>;
  /** Observes an order that got its gold. Nothing is counted without. */
  readonly observeAllocation?: Metrics['observeAllocation'];
  /** The waits before each retry of an allocation (ALLOCATION_RETRY_SECONDS). */
  readonly allocationRetrySeconds: readonly number[];
}
