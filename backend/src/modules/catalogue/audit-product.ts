import { formatGrams, toPercentNumber, toSafePaise } from '../../money/index.ts';
import type { Product } from './catalogue.types.ts';

/** Returns a product as its audit rows show it: what operators wrote in their own words is sealed. */
export const auditedProduct = (product: Product) => ({
  plain: {
    category: product.category,
    purityKarat: product.purityKarat,
    weightGrams: formatGrams(product.weightGrams),
    pricingMode: product.pricingMode,
    makingChargePct: toPercentNumber(product.makingChargeBps),
    discountPct: toPercentNumber(product.discountBps),
    pricePaise: toSafePaise(product.pricePaise),
    ratePerGramPaise:
      product.ratePerGramPaise === null ? null : toSafePaise(product.ratePerGramPaise),
    inStock: product.inStock,
    is_active: product.isActive,
  },
  sealed: { name: product.name, description: product.description },
});
