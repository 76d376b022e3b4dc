import { dynamicProductPrice, type Paise } from '../../money/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { ProductPricing } from './catalogue.types.ts';

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
  const { weightGrams: weight, purityKarat, makingChargeBps, discountBps } = product;
  const pricing = { weight, purityKarat, makingChargeBps, discountBps };
  return dynamicProductPrice(pricing, rate24KPerGramPaise).pricePaise;
};
