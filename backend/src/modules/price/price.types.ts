import type { Bps, Paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';

/** The feed sends a tick on each multiple of this on the wall clock. */
export const tickEveryMs = 10_000;

/** Returns the last mark at or before a moment. */
export const markOf = (at: Date): Date => addMs(at, -(at.getTime() % tickEveryMs));

/** The price of one moment: ours, and the provider's that it was made of, in paise per gram. */
export interface LivePrice {
  readonly buyPaise: Paise;
  readonly sellPaise: Paise;
  readonly spotPaise: Paise;
  readonly providerBuyPaise: Paise;
  readonly providerSellPaise: Paise;
  /** The tax that the provider itself adds to a buy. */
  readonly providerTaxBps: Bps;
  readonly buyRateId: string;
  readonly sellRateId: string;
  /** The provider accepts these rates until then. */
  readonly ratesValidUntil: Date;
  readonly source: 'PROVIDER';
  /** The real moment just before the request to the provider. */
  readonly asOf: Date;
}

/** A broadcast: the price and its number across the whole fleet. */
export interface PriceTick {
  readonly price: LivePrice;
  readonly seq: number;
  /** The provider did not respond for this mark: the tick repeats the last price. */
  readonly stale: boolean;
}
