import type { Redis } from 'ioredis';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { Db } from '../../platform/db/index.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { NewPayout, Payout, PayoutView } from '../payouts/index.ts';
import type { TransitionSell } from '../orders/index.ts';
import type { Gates } from '../readiness/index.ts';
import type { GoldBase, QuoteDeps } from '../quotes/index.ts';

/** What a sell asks of payouts; see payouts/index.ts for each. */
export interface SellPayouts {
  insertPayout(db: Db, payout: NewPayout): Promise<string>;
  findPayoutOfOrder(db: Db, orderId: string): Promise<Payout | undefined>;
  presentPayout(payout: Payout): PayoutView;
}

/** What carrying a sell through, or finding out about one, asks of the rest of the house. */
export interface SellDeps extends GoldBase {
  readonly provider: GoldProvider;
  readonly transitionSell: TransitionSell;
  readonly notify: Notify;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  readonly payouts: SellPayouts;
}

/** What making one asks besides. */
export interface PlaceSellDeps extends SellDeps, QuoteDeps {
  readonly redis: Redis;
  readonly timers: Timers;
  readonly gates: Pick<Gates, 'requireSellOpen'>;
}
