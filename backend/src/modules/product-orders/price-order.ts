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

/** A line as the customer requests it, with the product if there is one. */
interface AskedLine {
  readonly productId: string;
  readonly quantity: number;
  readonly product: OrderableProduct | undefined;
}

/** A line whose product may be ordered. */
interface OrderableLine extends AskedLine {
  readonly product: OrderableProduct;
}

interface PricedOrder {
  readonly lines: readonly ProductOrderLine[];
  readonly totals: ProductOrderTotals;
}

const hasEnough = ({ product, quantity }: AskedLine): boolean =>
  (product?.stock ?? null) === null || (product?.stock ?? 0) >= quantity;

const isOrderable = (line: AskedLine): line is OrderableLine =>
  line.product?.isActive === true && line.product.inStock && hasEnough(line);

/**
 * Returns the lines, all of whose products may be ordered.
 * @throws AppError PRODUCT_UNAVAILABLE naming the first line whose product may not, with all of
 *   them in its details
 */
export const requireOrderable = (lines: readonly AskedLine[]): readonly OrderableLine[] => {
  const orderable = lines.filter(isOrderable);
  if (orderable.length === lines.length) return orderable;
  const details = lines.flatMap((line, index) =>
    isOrderable(line)
      ? []
      : [{ field: `items.${index}.productId`, message: messageOf(line.product) }],
  );
  const [first] = details;
  invariant(first, 'a line is not orderable');
  throw new AppError('PRODUCT_UNAVAILABLE', { field: first.field, details });
};

const messageOf = (product: OrderableProduct | undefined): string => {
  if (product?.isActive !== true) return 'is not available';
  if (!product.inStock || product.stock === 0) return 'is out of stock';
  return `has only ${product.stock} left`;
};

/**
 * Returns the 24 karat price of a gram that the lines need, or undefined if all of them have a
 * fixed price, without reading a price.
 * @throws AppError SERVICE_UNAVAILABLE while there is no live price
 */
export const rateFor = async (
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

/** @throws AppError PRICE_CHANGED, with the new figures in its details */
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
