import type { Bps, Paise } from '../../money/index.ts';

/** How long a price counts as live, in real milliseconds (interface, Limits). */
export const priceLifeMs = 10_000;

/** The wall clock's marks on which the feed ticks. */
export const tickEveryMs = 10_000;

/** The price of one moment: ours, and the provider's that it was made of. Paise per gram. */
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
  /** Until when the provider verifies at these rates. */
  readonly ratesValidUntil: Date;
  readonly source: 'PROVIDER';
  /** When the provider was asked, in real time. */
  readonly asOf: Date;
}

/** A broadcast: the price and its number across the whole fleet. */
export interface PriceTick {
  readonly price: LivePrice;
  readonly seq: number;
  /** The provider could not be asked on this mark: the last price goes on. */
  readonly stale: boolean;
}

export interface Spreads {
  readonly buySpreadBps: number;
  readonly sellSpreadBps: number;
}
