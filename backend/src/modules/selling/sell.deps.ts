import type { Redis } from 'ioredis';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { TransitionSell } from '../orders/index.ts';
import type { Gates } from '../readiness/index.ts';
import type { GoldBase, QuoteDeps } from '../quotes/index.ts';

/** What carrying a sell through, or finding out about one, asks of the rest of the house. */
export interface SellDeps extends GoldBase {
  readonly provider: GoldProvider;
  readonly transitionSell: TransitionSell;
  readonly notify: Notify;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
}

/** What making one asks besides. */
export interface PlaceSellDeps extends SellDeps, QuoteDeps {
  readonly redis: Redis;
  readonly timers: Timers;
  readonly gates: Pick<Gates, 'requireSellOpen'>;
}
