import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { mapDone, type Outcome } from '../../platform/outcome/outcome.ts';
import type { LivePrice } from './price.types.ts';
import { applySpreads, findSpreads } from './spreads.ts';

export type FetchPrice = () => Promise<Outcome<LivePrice>>;

/**
 * Fetches the provider's price and applies the spreads. `asOf` is the real moment before the call,
 * so a price never looks younger than it is.
 */
export const createFetchPrice = (options: {
  readonly provider: GoldProvider;
  readonly db: Db;
  readonly wall: Clock;
}): FetchPrice => {
  const { provider, db, wall } = options;
  return async () => {
    const asOf = wall.now();
    const [outcome, spreads] = await Promise.all([provider.price(), findSpreads(db)]);
    return mapDone(outcome, (price) => ({
      ...applySpreads(
        { providerBuyPaise: price.buyPaise, providerSellPaise: price.sellPaise },
        spreads,
      ),
      spotPaise: price.spotPaise,
      providerBuyPaise: price.buyPaise,
      providerSellPaise: price.sellPaise,
      providerTaxBps: price.buyTaxBps,
      buyRateId: price.buyRateId,
      sellRateId: price.sellRateId,
      ratesValidUntil: price.validUntil,
      source: 'PROVIDER',
      asOf,
    }));
  };
};
