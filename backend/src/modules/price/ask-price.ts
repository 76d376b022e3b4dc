import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { applyBuySpread, applySellSpread, fromSafeBps } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { mapDone, type Outcome } from '../../platform/outcome/outcome.ts';
import type { PriceStore } from './price.store.ts';
import type { LivePrice } from './price.types.ts';

export type AskPrice = () => Promise<Outcome<LivePrice>>;

/**
 * Asks the provider and applies the spreads (decisions, section 2). `asOf` is the real moment
 * before the call, so a price never looks younger than it is.
 */
export const createAskPrice = (options: {
  readonly provider: GoldProvider;
  readonly store: PriceStore;
  readonly wall: Clock;
}): AskPrice => {
  const { provider, store, wall } = options;
  return async () => {
    const asOf = wall.now();
    const [outcome, spreads] = await Promise.all([provider.price(), store.spreads()]);
    return mapDone(outcome, (price) => ({
      buyPaise: applyBuySpread(price.buyPaise, fromSafeBps(spreads.buySpreadBps)),
      sellPaise: applySellSpread(price.sellPaise, fromSafeBps(spreads.sellSpreadBps)),
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
