import type { z } from 'zod';
import type { Paise } from '../../money/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import type { updateProductBody } from './catalogue.schemas.ts';
import type { Product, ProductContent } from './catalogue.types.ts';
import { computeDynamic } from './price-product.ts';

export type ProductChange = z.output<typeof updateProductBody>;
/** The content of a product without its amounts. */
export type UnpricedProduct = Omit<ProductContent, 'pricePaise' | 'ratePerGramPaise'>;
/** The amounts of a body. An amount is undefined if the body does not have it. */
interface GivenAmounts {
  readonly pricePaise: Paise | undefined;
  readonly ratePerGramPaise: Paise | null | undefined;
}

/** Prices a DYNAMIC product by the rate. @throws AppError SERVICE_UNAVAILABLE if there is none */
export const priceDynamic = (product: UnpricedProduct, rate24KPaise: Paise | undefined) => {
  if (rate24KPaise === undefined) {
    throw new AppError('SERVICE_UNAVAILABLE', {
      message:
        'The gold price is currently unavailable, so this product cannot be priced and was not ' +
        'saved. Please try again in a few minutes.',
    });
  }
  return computeDynamic(product, rate24KPaise);
};

/**
 * Refuses computed amounts of a DYNAMIC product, and a FIXED product without a price.
 * @throws AppError VALIDATION_FAILED
 */
export const checkAmounts = (mode: Product['pricingMode'], given: GivenAmounts): void => {
  if (mode === 'FIXED') {
    if (given.pricePaise !== undefined) return;
    const message = 'is required for a FIXED product';
    throw validationError([{ field: 'pricePaise', message }]);
  }
  const computed = 'is computed for a DYNAMIC product: leave it out';
  const issues = [
    ...(given.pricePaise === undefined ? [] : [{ field: 'pricePaise', message: computed }]),
    ...((given.ratePerGramPaise ?? null) === null
      ? []
      : [{ field: 'ratePerGram', message: computed }]),
  ];
  if (issues.length > 0) throw validationError(issues);
};

const priceFields = [
  'pricingMode',
  'purityKarat',
  'weightGrams',
  'makingChargeBps',
  'discountBps',
] as const;

/** Returns the amounts of a product after a change, and whether the change computed them. */
export const amountsAfter = (
  before: Product,
  next: UnpricedProduct,
  change: ProductChange,
  rate24KPaise: Paise | undefined,
): Pick<ProductContent, 'pricePaise' | 'ratePerGramPaise'> & { readonly computed: boolean } => {
  const becomesFixed = next.pricingMode === 'FIXED' && before.pricingMode === 'DYNAMIC';
  if (next.pricingMode === 'FIXED') {
    const pricePaise = change.pricePaise ?? (becomesFixed ? undefined : before.pricePaise);
    checkAmounts('FIXED', { pricePaise, ratePerGramPaise: change.ratePerGram });
    const rateBefore = becomesFixed ? null : before.ratePerGramPaise;
    const ratePerGramPaise = change.ratePerGram === undefined ? rateBefore : change.ratePerGram;
    return { pricePaise: pricePaise ?? before.pricePaise, ratePerGramPaise, computed: false };
  }
  // A product that a client sends back as it read it has computed amounts, which are ignored.
  if (change.priceBasis === undefined) {
    const { pricePaise, ratePerGram: ratePerGramPaise } = change;
    checkAmounts('DYNAMIC', { pricePaise, ratePerGramPaise });
  }
  const isRepriced = priceFields.some((field) => next[field] !== before[field]);
  if (isRepriced) return { ...priceDynamic(next, rate24KPaise), computed: true };
  // A live price refreshes the stored price. Without it, the stored price still fits these fields.
  if (rate24KPaise !== undefined) return { ...computeDynamic(next, rate24KPaise), computed: true };
  const { pricePaise, ratePerGramPaise } = before;
  return { pricePaise, ratePerGramPaise, computed: false };
};
