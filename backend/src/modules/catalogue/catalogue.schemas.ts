import { z } from 'zod';
import {
  bps,
  formatGrams,
  formatRupees,
  fromSafePaise,
  GRAMS_PATTERN,
  parseDecimal,
  parseGrams,
  parseRupees,
  RUPEES_PATTERN,
  toPercentNumber,
  toSafePaise,
  UNITS_PER_GRAM,
  type Bps,
} from '../../money/index.ts';
import { pageOf, pageQuery, plainName, plainText } from '../../platform/http/index.ts';
import { pricingModes, type Product, type ProductRates } from './catalogue.types.ts';
import { priceOf } from './price-product.ts';

/** The maximum is ten crore rupees. The total of 200 such pieces is still a safe integer. */
const maxPricePaise = 10_000_000_000;
const maxWeightGrams = 10_000n;

/** Accepts a text of this pattern, or a JSON number whose digits match it. */
const decimalText = <T extends bigint>(
  pattern: RegExp,
  parse: (value: string) => T,
  max: bigint,
  problem: string,
) =>
  z
    .union(
      [z.string().max(32).meta({ pattern: pattern.source }), z.number().meta({ minimum: 0 })],
      problem,
    )
    .transform((value, context): T => {
      const spelled = String(value);
      const parsed =
        pattern.test(spelled) && !/^[0.]+$/u.test(spelled) ? parse(spelled) : undefined;
      if (parsed !== undefined && parsed <= max) return parsed;
      context.addIssue({ code: 'custom', message: problem });
      return z.NEVER;
    });

const weightGrams = decimalText(
  GRAMS_PATTERN,
  parseGrams,
  maxWeightGrams * UNITS_PER_GRAM,
  `must be grams with at most four decimals, more than zero and at most ${maxWeightGrams}`,
);

const ratePerGram = decimalText(
  RUPEES_PATTERN,
  parseRupees,
  BigInt(maxPricePaise),
  'must be rupees with at most two decimals, more than zero and at most ten crore',
);

const percentPattern = /^\d{1,3}(?:\.\d{1,2})?$/u;

/** Accepts a percentage as basis points. It reads the digits, since arithmetic would round. */
const percent = z
  .number('must be a number')
  .min(0, 'must be at least 0')
  .max(100, 'must be at most 100')
  .transform((value, context): Bps => {
    const spelled = String(value);
    const hundredths = percentPattern.test(spelled) ? parseDecimal(spelled, 2) : undefined;
    if (hundredths !== undefined) return bps(hundredths);
    context.addIssue({ code: 'custom', message: 'must have at most two decimals' });
    return z.NEVER;
  });

const priceBases = ['LIVE', 'FIXED'] as const;

const booleanFlag = z.boolean('must be true or false');

const maxStock = 100_000;

const fields = {
  name: plainName(120),
  description: plainText(2000).nullable(),
  category: plainName(40),
  purityKarat: z.int('must be a whole number from 1 to 24').min(1).max(24),
  weightGrams,
  pricingMode: z.enum(pricingModes),
  makingChargePct: percent,
  discountPct: percent,
  pricePaise: z
    .int('must be a whole number of paise')
    .min(1, 'must be at least 1')
    .max(maxPricePaise, `must be at most ${maxPricePaise}`)
    .transform(fromSafePaise),
  ratePerGram: ratePerGram.nullable(),
  inStock: booleanFlag,
  stock: z
    .int('must be a whole number of pieces')
    .min(0, 'must be at least 0')
    .max(maxStock, `must be at most ${maxStock}`)
    .nullable()
    .describe('The number of pieces in stock. Null if the stock of the product is not counted.'),
  is_active: booleanFlag,
};

const { name, category, purityKarat, pricingMode } = fields;

export const createProductBody = z.object({
  name,
  description: fields.description.default(null),
  category,
  purityKarat,
  weightGrams,
  pricingMode,
  makingChargePct: percent.prefault(0),
  discountPct: percent.prefault(0),
  pricePaise: fields.pricePaise.optional(),
  ratePerGram: fields.ratePerGram.optional(),
  inStock: booleanFlag.default(true),
  stock: fields.stock.default(null),
  is_active: booleanFlag.default(true),
});
createProductBody.register(z.globalRegistry, {
  id: 'CreateProductRequest',
  examples: [
    {
      name: 'Plain band ring',
      category: 'rings',
      purityKarat: 22,
      weightGrams: '3.2',
      pricingMode: 'DYNAMIC',
      makingChargePct: 12,
    },
  ],
});

export const updateProductBody = z
  .object({
    ...fields,
    priceBasis: z
      .enum(priceBases)
      .describe(
        'Present if the product is sent back as GET returned it. Computed amounts are then ignored.',
      ),
  })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'must change at least one field of the product',
  });
updateProductBody.register(z.globalRegistry, {
  id: 'UpdateProductRequest',
  examples: [{ discountPct: 10, inStock: true }],
});

const categoryFilter = z
  .string()
  .max(40, 'must have at most 40 characters')
  .describe('The whole name of a category. Upper and lower case are not distinguished.');
const searchText = z
  .string()
  .max(100, 'must have at most 100 characters')
  .describe('Words to search for. The best match comes first, and typing errors are tolerated.');

export const productQuery = pageQuery.extend({
  q: searchText.optional(),
  category: categoryFilter.optional(),
});

const booleanText = z.enum(['true', 'false']).transform((value) => value === 'true');

export const adminProductQuery = productQuery.extend({
  active: booleanText.optional(),
  inStock: booleanText.optional(),
  pricingMode: pricingMode.optional(),
});

const amount = z.int().min(0);

export const productView = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  category: z.string(),
  purityKarat: z.int(),
  weightGrams: z.string().regex(GRAMS_PATTERN),
  pricingMode,
  priceBasis: z
    .enum(priceBases)
    .describe('LIVE if the price follows the live gold price, FIXED if it is the stored price.'),
  ratePerGram: z
    .string()
    .regex(RUPEES_PATTERN)
    .nullable()
    .describe('Rupees per gram of gold of this purity. Null for a fixed price without a rate.'),
  makingChargePct: z.number(),
  discountPct: z.number().describe('The discount, as a percentage of the making charge.'),
  pricePaise: amount.describe('The price in paise, before GST.'),
  gstPaise: amount,
  totalPaise: amount,
  inStock: z.boolean(),
  imageUrl: z
    .string()
    .nullable()
    .describe(
      'The path of the image in the customer API. A new image has a new path. Null without one.',
    ),
});
const example = {
  id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
  name: 'Plain band ring',
  description: null,
  category: 'rings',
  purityKarat: 22,
  weightGrams: '3.2000',
  pricingMode: 'DYNAMIC' as const,
  priceBasis: 'LIVE' as const,
  ratePerGram: '13319.17',
  makingChargePct: 12,
  discountPct: 0,
  pricePaise: 4_773_589,
  gstPaise: 143_208,
  totalPaise: 4_916_797,
  inStock: true,
  imageUrl: null,
};
productView.register(z.globalRegistry, {
  id: 'Product',
  description: 'A piece of jewellery with its current price.',
  examples: [example],
});
export const productPage = pageOf(productView);

export const adminProductView = productView.extend({
  inStock: z.boolean().describe('The availability that an operator set, whatever `stock` is.'),
  stock: z
    .int()
    .min(0)
    .nullable()
    .describe('The number of pieces in stock. Null if the stock of the product is not counted.'),
  is_active: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
adminProductView.register(z.globalRegistry, {
  id: 'AdminProduct',
  description: 'A product as operators see it. It may be inactive.',
  examples: [
    {
      ...example,
      stock: 4,
      is_active: true,
      createdAt: '2026-01-15T09:30:00.000Z',
      updatedAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});
export const adminProductPage = pageOf(adminProductView);

const imageUrlOf = ({ id, imageKey }: Product): string | null =>
  imageKey === null
    ? null
    : `/v1/products/${id}/image?v=${imageKey.slice(imageKey.lastIndexOf('/') + 1)}`;

/** Presents a product with its price at these rates. */
export const presentProduct = (
  product: Product,
  rates: ProductRates,
): z.output<typeof productView> => {
  const price = priceOf(product, rates);
  const rate = price.ratePerGramPaise;
  return {
    id: product.id,
    name: product.name,
    description: product.description,
    category: product.category,
    purityKarat: product.purityKarat,
    weightGrams: formatGrams(product.weightGrams),
    pricingMode: product.pricingMode,
    priceBasis: price.priceBasis,
    ratePerGram: rate === null ? null : formatRupees(rate),
    makingChargePct: toPercentNumber(product.makingChargeBps),
    discountPct: toPercentNumber(product.discountBps),
    pricePaise: toSafePaise(price.pricePaise),
    gstPaise: toSafePaise(price.gstPaise),
    totalPaise: toSafePaise(price.totalPaise),
    inStock: product.inStock && product.stock !== 0,
    imageUrl: imageUrlOf(product),
  };
};

export const presentAdminProduct = (product: Product, rates: ProductRates) => ({
  ...presentProduct(product, rates),
  inStock: product.inStock,
  stock: product.stock,
  is_active: product.isActive,
  createdAt: product.createdAt.toISOString(),
  updatedAt: product.updatedAt.toISOString(),
});
