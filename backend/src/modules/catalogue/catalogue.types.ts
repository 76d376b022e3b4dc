import type { Bps, Grams, Paise } from '../../money/index.ts';

export const pricingModes = ['FIXED', 'DYNAMIC'] as const;
export type PricingMode = (typeof pricingModes)[number];

/** The fields that determine a product's price before GST. */
export interface ProductPricing {
  readonly pricingMode: PricingMode;
  readonly purityKarat: number;
  readonly weightGrams: Grams;
  readonly makingChargeBps: Bps;
  readonly discountBps: Bps;
  /** The price that operators set, or the last computed price of a DYNAMIC product. */
  readonly pricePaise: Paise;
}

/** A product as an order reads it. It may be inactive. */
export interface OrderableProduct extends ProductPricing {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  /** The availability that operators set. */
  readonly inStock: boolean;
  /** The number of pieces in stock, or null if they are not counted. */
  readonly stock: number | null;
  /** Changes with every change of the product. */
  readonly version: string;
}

export interface Product extends OrderableProduct {
  readonly description: string | null;
  readonly category: string;
  /** The price of a gram in this purity. Operators set it, or it was computed with `pricePaise`. */
  readonly ratePerGramPaise: Paise | null;
  /** Ends with the id of the upload. It is null if the product has no image. */
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

/** The current rates by which products are priced. */
export interface ProductRates {
  /** The live buy price of a gram of 24 karat, or undefined if there is none. */
  readonly rate24KPaise: Paise | undefined;
  readonly gstBps: Bps;
}

/** The filters of a list. An absent filter matches every product. */
export interface ProductFilter {
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly pricingMode?: PricingMode | undefined;
  readonly inStock?: boolean | undefined;
}
