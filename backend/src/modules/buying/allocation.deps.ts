import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Db } from '../../platform/db/index.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { TransitionBuy } from '../orders/index.ts';
import type { GoldBase } from '../quotes/index.ts';

export interface AllocationDeps extends GoldBase {
  readonly provider: GoldProvider;
  readonly transitionBuy: TransitionBuy;
  readonly notify: Notify;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  readonly findUser: (
    db: Db,
    userId: string,
  ) => Promise<{ readonly providerUserId: string | null } | undefined>;
  /** The waits before each retry (ALLOCATION_RETRY_SECONDS). */
  readonly retrySeconds: readonly number[];
}
