import type { Bps, Grams, Paise } from '../../money/index.ts';

export const pricingModes = ['FIXED', 'DYNAMIC'] as const;
export type PricingMode = (typeof pricingModes)[number];

/** The parts of a product's price, all of them before GST. */
export interface ProductPricing {
  readonly pricingMode: PricingMode;
  readonly purityKarat: number;
  readonly weightGrams: Grams;
  readonly makingChargeBps: Bps;
  readonly discountBps: Bps;
  /** The price that operators set. A DYNAMIC product has the last one computed. */
  readonly pricePaise: Paise;
}

/** A product as an order reads it, active or not. */
export interface OrderableProduct extends ProductPricing {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  /** The operators' own mark. */
  readonly inStock: boolean;
  /** The pieces that are left, or null where the house does not count them. */
  readonly stock: number | null;
  /** Another one after every change of the product. */
  readonly version: string;
}

export interface Product extends OrderableProduct {
  readonly description: string | null;
  readonly category: string;
  /**
   * The price of a gram in this purity: what operators set, or what `pricePaise` was computed by.
   */
  readonly ratePerGramPaise: Paise | null;
  /** Ends with the id of the upload. Returns null without an image. */
  readonly imageKey: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The fields of a product that operators write. */
export type ProductContent = Pick<
  Product,
  | 'name'
  | 'description'
  | 'category'
  | 'purityKarat'
  | 'weightGrams'
  | 'pricingMode'
  | 'makingChargeBps'
  | 'discountBps'
  | 'pricePaise'
  | 'ratePerGramPaise'
  | 'inStock'
  | 'isActive'
>;

/** The rates by which products are priced at a moment. */
export interface ProductRates {
  /** The live buy price of a gram of 24 karat, or undefined while there is none. */
  readonly rate24KPaise: Paise | undefined;
  readonly gstBps: Bps;
}

/** The filters of a list. An absent filter does not filter. */
export interface ProductFilter {
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly pricingMode?: PricingMode | undefined;
  readonly inStock?: boolean | undefined;
}
