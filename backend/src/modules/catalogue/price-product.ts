import {
  PURE_KARAT,
  divideHalfUp,
  dynamicProductPrice,
  paise,
  withGst,
  type Paise,
  type TaxedPrice,
} from '../../money/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Product, ProductPricing, ProductRates } from './catalogue.types.ts';

/** A product's price at a moment. */
interface ProductPrice extends TaxedPrice {
  readonly priceBasis: 'LIVE' | 'FIXED';
  readonly ratePerGramPaise: Paise | null;
}

/** Returns the price of a gram in a purity, half up, by that of 24 karat. */
const ratePerGramIn = (purityKarat: number, rate24KPaise: Paise): Paise =>
  paise(divideHalfUp(rate24KPaise * BigInt(purityKarat), BigInt(PURE_KARAT)));

/** Computes what a DYNAMIC product costs by a rate, and the rate that is shown with it. */
export const computeDynamic = (
  { weightGrams, purityKarat, makingChargeBps, discountBps }: Omit<ProductPricing, 'pricePaise'>,
  rate24KPaise: Paise,
): { readonly pricePaise: Paise; readonly ratePerGramPaise: Paise } => {
  const pricing = { weight: weightGrams, purityKarat, makingChargeBps, discountBps };
  const { pricePaise } = dynamicProductPrice(pricing, rate24KPaise);
  return { pricePaise, ratePerGramPaise: ratePerGramIn(purityKarat, rate24KPaise) };
};

/**
 * Prices one piece before GST: what operators set, or, of a DYNAMIC product, what its gold, making
 * charge and discount come to at the 24 karat price of a gram (contract: jewellery > Product
 * price). A FIXED product needs no such price.
 */
export const priceOfProduct = (
  product: ProductPricing,
  rate24KPerGramPaise: Paise | undefined,
): Paise => {
  if (product.pricingMode === 'FIXED') return product.pricePaise;
  invariant(rate24KPerGramPaise !== undefined, 'a DYNAMIC price has a gold price to follow');
  return computeDynamic(product, rate24KPerGramPaise).pricePaise;
};

/**
 * Returns what a product costs now. Without a live price a DYNAMIC product has its stored one
 * (contract: jewellery > Product price).
 */
export const priceOf = (
  product: ProductPricing & Pick<Product, 'ratePerGramPaise'>,
  { rate24KPaise, gstBps }: ProductRates,
): ProductPrice => {
  if (product.pricingMode === 'DYNAMIC' && rate24KPaise !== undefined) {
    const { pricePaise, ratePerGramPaise } = computeDynamic(product, rate24KPaise);
    return { priceBasis: 'LIVE', ratePerGramPaise, ...withGst(pricePaise, gstBps) };
  }
  const { ratePerGramPaise, pricePaise } = product;
  return { priceBasis: 'FIXED', ratePerGramPaise, ...withGst(pricePaise, gstBps) };
};
