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

/** A product's current price. */
interface ProductPrice extends TaxedPrice {
  readonly priceBasis: 'LIVE' | 'FIXED';
  readonly ratePerGramPaise: Paise | null;
}

/** Returns the price of a gram in a purity by the price of 24 karat, rounded half up. */
const ratePerGramIn = (purityKarat: number, rate24KPaise: Paise): Paise =>
  paise(divideHalfUp(rate24KPaise * BigInt(purityKarat), BigInt(PURE_KARAT)));

/** Computes the price of a DYNAMIC product by a rate, and the rate of its own purity. */
export const computeDynamic = (
  { weightGrams, purityKarat, makingChargeBps, discountBps }: Omit<ProductPricing, 'pricePaise'>,
  rate24KPaise: Paise,
): { readonly pricePaise: Paise; readonly ratePerGramPaise: Paise } => {
  const pricing = { weight: weightGrams, purityKarat, makingChargeBps, discountBps };
  const { pricePaise } = dynamicProductPrice(pricing, rate24KPaise);
  return { pricePaise, ratePerGramPaise: ratePerGramIn(purityKarat, rate24KPaise) };
};

/**
 * Returns the price of one piece before GST. Operators set the price of a FIXED product. The price
 * of a DYNAMIC product is computed from its gold, making charge and discount at the 24 karat price
 * of a gram (contract: jewellery > Product price).
 */
export const priceOfProduct = (
  product: ProductPricing,
  rate24KPerGramPaise: Paise | undefined,
): Paise => {
  if (product.pricingMode === 'FIXED') return product.pricePaise;
  invariant(rate24KPerGramPaise !== undefined, 'a DYNAMIC product is priced by a gold price');
  return computeDynamic(product, rate24KPerGramPaise).pricePaise;
};

/**
 * Returns the current price of a product. If there is no live price, a DYNAMIC product has its
 * stored price (contract: jewellery > Product price).
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
