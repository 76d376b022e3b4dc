import type { z } from 'zod';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { formatGrams, toPercentNumber, toSafePaise } from '../../money/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { createProductBody } from './catalogue.schemas.ts';
import {
  markProductInactive,
  findProduct,
  insertProduct,
  lockProduct,
  updateProduct,
} from './catalogue.store.ts';
import { lockStock, updateStock } from './stock.store.ts';
import type { Product, ProductRates } from './catalogue.types.ts';
import {
  amountsAfter,
  checkAmounts,
  priceDynamic,
  type ProductChange,
  type UnpricedProduct,
} from './product-amounts.ts';

export interface SaveProductDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly clock: Clock;
  readonly random: Random;
  readonly readRates: () => Promise<ProductRates>;
}

const requireSaved = async (tx: Db, id: string): Promise<Product> => {
  const product = await findProduct(tx, id);
  invariant(product !== undefined, 'a saved product is in the database');
  return product;
};

/**
 * Creates a product. A DYNAMIC product gets its price by the live gold price.
 * @throws AppError VALIDATION_FAILED for amounts that do not fit its pricing mode,
 * SERVICE_UNAVAILABLE for a DYNAMIC product while there is no live price
 */
export const createProduct = async (
  { inTransaction, audit, clock, random, readRates }: SaveProductDeps,
  body: z.output<typeof createProductBody>,
  { principal, context }: ByOperator,
): Promise<Product> => {
  const { makingChargePct, discountPct, ratePerGram, pricePaise, is_active: isActive } = body;
  const { name, description, category, purityKarat, weightGrams, pricingMode, inStock } = body;
  checkAmounts(pricingMode, { pricePaise, ratePerGramPaise: ratePerGram });
  const unpriced = {
    name,
    description,
    category,
    purityKarat,
    weightGrams,
    pricingMode,
    inStock,
    isActive,
    makingChargeBps: makingChargePct,
    discountBps: discountPct,
  };
  const amounts =
    pricePaise === undefined
      ? priceDynamic(unpriced, (await readRates()).rate24KPaise)
      : { pricePaise, ratePerGramPaise: ratePerGram ?? null };
  const id = random.uuid();
  return inTransaction(async (tx) => {
    const at = clock.now();
    await insertProduct(tx, id, { ...unpriced, ...amounts }, at);
    if (body.stock !== null) await updateStock(tx, id, body.stock, at);
    const product = await requireSaved(tx, id);
    const after = auditedProduct(product);
    await audit.record(tx, {
      action: 'product.create',
      ...adminActor(principal, context),
      target: { type: 'product', id },
      after: after.plain,
      sealed: { after: after.sealed },
    });
    return product;
  });
};

/** Returns the content of a product after a change, without its amounts. */
const applyChange = (before: Product, change: ProductChange): UnpricedProduct => ({
  name: change.name ?? before.name,
  description: change.description === undefined ? before.description : change.description,
  category: change.category ?? before.category,
  purityKarat: change.purityKarat ?? before.purityKarat,
  weightGrams: change.weightGrams ?? before.weightGrams,
  pricingMode: change.pricingMode ?? before.pricingMode,
  makingChargeBps: change.makingChargePct ?? before.makingChargeBps,
  discountBps: change.discountPct ?? before.discountBps,
  inStock: change.inStock ?? before.inStock,
  isActive: change.is_active ?? before.isActive,
});

/**
 * Changes the given fields of a product under its lock. Concurrent changes of different fields all
 * apply, and for the same field the later change wins. A DYNAMIC product is priced again.
 * @throws AppError NOT_FOUND, VALIDATION_FAILED for amounts that do not fit the pricing mode,
 * SERVICE_UNAVAILABLE for a change of a DYNAMIC product's price while there is no live price
 */
export const changeProduct = async (
  { inTransaction, audit, clock, readRates }: SaveProductDeps,
  id: string,
  change: ProductChange,
  { principal, context }: ByOperator,
): Promise<Product> => {
  const { rate24KPaise } = await readRates();
  return inTransaction(async (tx) => {
    // The stock is locked before the product, in the same order as by an order.
    if (change.stock !== undefined) await lockStock(tx, [id]);
    const before = await lockProduct(tx, id);
    if (before === undefined) throw new AppError('NOT_FOUND');
    const next = applyChange(before, change);
    const { computed, ...amounts } = amountsAfter(before, next, change, rate24KPaise);
    const at = clock.now();
    const isFixed = next.pricingMode === 'FIXED';
    const computedAt = isFixed ? null : computed ? at : undefined;
    await updateProduct(tx, id, { ...next, ...amounts }, { at, computedAt });
    if (change.stock !== undefined) await updateStock(tx, id, change.stock, at);
    const after = await requireSaved(tx, id);
    const [auditBefore, auditAfter] = [auditedProduct(before), auditedProduct(after)];
    await audit.record(tx, {
      action: 'product.update',
      ...adminActor(principal, context),
      target: { type: 'product', id },
      before: auditBefore.plain,
      after: auditAfter.plain,
      sealed: { before: auditBefore.sealed, after: auditAfter.sealed },
    });
    return after;
  });
};

/**
 * Removes a product from the catalogue. Existing orders keep it. If it is already inactive, nothing
 * changes and no audit row is written.
 * @throws AppError NOT_FOUND
 */
export const deactivateProduct = (
  { inTransaction, audit, clock }: SaveProductDeps,
  id: string,
  { principal, context }: ByOperator,
): Promise<Product> =>
  inTransaction(async (tx) => {
    const before = await lockProduct(tx, id);
    if (before === undefined) throw new AppError('NOT_FOUND');
    if (!before.isActive) return before;
    await markProductInactive(tx, id, clock.now());
    await audit.record(tx, {
      action: 'product.delete',
      ...adminActor(principal, context),
      target: { type: 'product', id },
      before: { is_active: true },
      after: { is_active: false },
    });
    return requireSaved(tx, id);
  });

/** Returns the fields of a product for its audit rows. The free text of operators is sealed. */
const auditedProduct = (product: Product) => ({
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
    stock: product.stock,
    is_active: product.isActive,
  },
  sealed: { name: product.name, description: product.description },
});
