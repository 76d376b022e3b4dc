import type { LivePrice } from '../../src/modules/price/index.ts';
import { bps, paise } from '../../src/money/index.ts';
import { addMs, createSystemClock } from '../../src/platform/clock/clock.ts';

/** A live price of this moment. */
export const makePrice = (changes: Partial<LivePrice> = {}): LivePrice => {
  const { asOf = createSystemClock().now() } = changes;
  return {
    buyPaise: paise(741_000n),
    sellPaise: paise(719_000n),
    spotPaise: paise(730_000n),
    providerBuyPaise: paise(741_000n),
    providerSellPaise: paise(719_000n),
    providerTaxBps: bps(300n),
    buyRateId: 'buy-rate',
    sellRateId: 'sell-rate',
    ratesValidUntil: addMs(asOf, 420_000),
    source: 'PROVIDER',
    ...changes,
    asOf,
  };
};
