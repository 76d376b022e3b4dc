import type { Bps, Paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';

/** The interval of ticks in ms. The feed sends a tick on each of its multiples on the wall clock. */
export const tickEveryMs = 10_000;

/** Returns the last mark at or before a time. */
export const markOf = (at: Date): Date => addMs(at, -(at.getTime() % tickEveryMs));

/** Our price at one time, and the provider's price from which it was computed, in paise per gram. */
export interface LivePrice {
  readonly buyPaise: Paise;
  readonly sellPaise: Paise;
  readonly spotPaise: Paise;
  readonly providerBuyPaise: Paise;
  readonly providerSellPaise: Paise;
  /** The tax that the provider adds to its buy price. */
  readonly providerTaxBps: Bps;
  readonly buyRateId: string;
  readonly sellRateId: string;
  /** The time until which the provider accepts these rates. */
  readonly ratesValidUntil: Date;
  readonly source: 'PROVIDER';
  /** The real time just before the request to the provider. */
  readonly asOf: Date;
}

/** A tick as it is broadcast. Its number is the same on all replicas. */
export interface PriceTick {
  readonly price: LivePrice;
  readonly seq: number;
  /** True if the provider did not respond for this mark, so that the tick repeats the last price. */
  readonly stale: boolean;
}
