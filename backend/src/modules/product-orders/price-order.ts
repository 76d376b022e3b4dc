import {
  productLineAmounts,
  productOrderTotals,
  toSafePaise,
  type Bps,
  type DeliveryTariff,
  type Paise,
  type ProductOrderTotals,
} from '../../money/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { priceOfProduct, type OrderableProduct } from '../catalogue/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { ProductOrderLine } from './product-orders.types.ts';

/** A line as the customer requested it, with the product, or undefined if the product does not exist. */
interface RequestedLine {
  readonly productId: string;
  readonly quantity: number;
  readonly product: OrderableProduct | undefined;
}

/** A line whose product may be ordered. */
interface OrderableLine extends RequestedLine {
  readonly product: OrderableProduct;
}

interface PricedOrder {
  readonly lines: readonly ProductOrderLine[];
  readonly totals: ProductOrderTotals;
}

const hasEnoughStock = ({ product, quantity }: RequestedLine): boolean =>
  (product?.stock ?? null) === null || (product?.stock ?? 0) >= quantity;

const isOrderable = (line: RequestedLine): line is OrderableLine =>
  line.product?.isActive === true && line.product.inStock && hasEnoughStock(line);

/**
 * Requires that the products of all lines may be ordered, and returns the lines.
 * @throws AppError PRODUCT_UNAVAILABLE. Its field names the first line whose product may not be ordered,
 *   and its details name all such lines.
 */
export const requireOrderable = (lines: readonly RequestedLine[]): readonly OrderableLine[] => {
  const orderable = lines.filter(isOrderable);
  if (orderable.length === lines.length) return orderable;
  const details = lines.flatMap((line, index) =>
    isOrderable(line)
      ? []
      : [{ field: `items.${index}.productId`, message: unavailableMessageOf(line.product) }],
  );
  const [first] = details;
  invariant(first, 'a line is not orderable');
  throw new AppError('PRODUCT_UNAVAILABLE', { field: first.field, details });
};

const unavailableMessageOf = (product: OrderableProduct | undefined): string => {
  if (product?.isActive !== true) return 'is not available';
  if (!product.inStock || product.stock === 0) return 'is out of stock';
  return `has only ${product.stock} left`;
};

/**
 * Returns the live price of a gram of 24 karat gold. If all lines have a fixed price, reads no price and
 * returns undefined.
 * @throws AppError SERVICE_UNAVAILABLE while there is no live price
 */
export const readRate24K = async (
  lines: readonly OrderableLine[],
  price: Pick<LivePriceReader, 'livePrice'>,
): Promise<Paise | undefined> => {
  if (lines.every(({ product }) => product.pricingMode === 'FIXED')) return undefined;
  try {
    return (await price.livePrice()).buyPaise;
  } catch (error) {
    if (!isAppError(error, 'PRICE_UNAVAILABLE')) throw error;
    throw new AppError('SERVICE_UNAVAILABLE', {
      message:
        'The price of this jewellery follows the live gold price, which is not available right ' +
        'now. Nothing was ordered. Please try again in a few minutes.',
      cause: error,
    });
  }
};

/** Prices the lines and adds them up (contract: jewellery > Product order). */
export const priceOrder = (
  lines: readonly OrderableLine[],
  terms: {
    readonly rate24KPaise: Paise | undefined;
    readonly gstBps: Bps;
    readonly tariff: DeliveryTariff;
  },
): PricedOrder => {
  const { rate24KPaise, gstBps, tariff } = terms;
  const priced = lines.map(({ productId, quantity, product }) => {
    const unitPricePaise = priceOfProduct(product, rate24KPaise);
    const amounts = productLineAmounts({ unitPricePaise, quantity }, gstBps);
    return { line: { productId, name: product.name, quantity, unitPricePaise }, amounts };
  });
  return {
    lines: priced.map(({ line, amounts: { gstPaise, lineTotalPaise } }) => ({
      ...line,
      gstPaise,
      lineTotalPaise,
    })),
    totals: productOrderTotals(
      priced.map(({ amounts }) => amounts),
      tariff,
    ),
  };
};

/** @throws AppError PRICE_CHANGED, with the new amounts in its details, if the total is another */
export const requireExpectedTotal = (
  { itemsTotalPaise, gstPaise, deliveryFeePaise, totalPaise }: ProductOrderTotals,
  expectedTotalPaise: Paise | undefined,
): void => {
  if (expectedTotalPaise === undefined || expectedTotalPaise === totalPaise) return;
  throw new AppError('PRICE_CHANGED', {
    field: 'expectedTotal',
    details: {
      totalPaise: toSafePaise(totalPaise),
      itemsTotalPaise: toSafePaise(itemsTotalPaise),
      gstPaise: toSafePaise(gstPaise),
      deliveryFeePaise: toSafePaise(deliveryFeePaise),
    },
  });
};
