import type { Bps, Grams, Paise } from '../../money/index.ts';

export const pricingModes = ['FIXED', 'DYNAMIC'] as const;
export type PricingMode = (typeof pricingModes)[number];

/** What the price of a product is made of; all of it before GST. */
export interface ProductPricing {
  readonly pricingMode: PricingMode;
  readonly purityKarat: number;
  readonly weightGrams: Grams;
  readonly makingChargeBps: Bps;
  readonly discountBps: Bps;
  /** What operators set; of a DYNAMIC product the last one computed. */
  readonly pricePaise: Paise;
}

/** A product as an order reads it, active or not. */
export interface OrderableProduct extends ProductPricing {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly inStock: boolean;
  /** Another one after every change of the product. */
  readonly version: string;
}
