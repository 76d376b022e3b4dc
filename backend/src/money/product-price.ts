import { WHOLE_BPS, type Bps } from './bps.ts';
import { UNITS_PER_GRAM, type Grams } from './grams.ts';
import { MoneyError } from './money-error.ts';
import { ZERO_PAISE, addPaise, paise, subtractPaise, type Paise } from './paise.ts';
import { divideHalfUp } from './rounding.ts';
import { taxOn } from './breakdown.ts';

/** The karats of pure gold. */
export const PURE_KARAT = 24;

/** The properties of a `DYNAMIC` product that determine its price. */
interface DynamicPricing {
  readonly weight: Grams;
  readonly purityKarat: number;
  /** A share of the gold value. */
  readonly makingChargeBps: Bps;
  /** A share of the making charge, never of the gold. */
  readonly discountBps: Bps;
}

/**
 * The parts of a `DYNAMIC` price. `pricePaise` is the gold value plus the making charge, minus the
 * discount.
 */
interface DynamicPrice {
  readonly goldValuePaise: Paise;
  readonly makingChargePaise: Paise;
  readonly discountPaise: Paise;
  readonly pricePaise: Paise;
}

/**
 * Prices a product by the 24 karat price of a gram, before GST: the value of its gold, plus making
 * charge, minus the discount on the making charge, each rounded half-up once (contract: jewellery >
 * Product price).
 * @throws MoneyError OUT_OF_RANGE for a purity outside 1 to 24 karat
 */
export const dynamicProductPrice = (
  product: DynamicPricing,
  rate24KPerGramPaise: Paise,
): DynamicPrice => {
  const { weight, purityKarat, makingChargeBps, discountBps } = product;
  if (!Number.isInteger(purityKarat) || purityKarat < 1 || purityKarat > PURE_KARAT) {
    throw new MoneyError('OUT_OF_RANGE', 'a purity is a whole number of karats from 1 to 24');
  }
  // Weight and purity share one division, since dividing twice would round twice.
  const goldValuePaise = paise(
    divideHalfUp(
      weight * rate24KPerGramPaise * BigInt(purityKarat),
      UNITS_PER_GRAM * BigInt(PURE_KARAT),
    ),
  );
  const makingChargePaise = shareOf(goldValuePaise, makingChargeBps);
  const discountPaise = shareOf(makingChargePaise, discountBps);
  const pricePaise = subtractPaise(addPaise(goldValuePaise, makingChargePaise), discountPaise);
  return { goldValuePaise, makingChargePaise, discountPaise, pricePaise };
};

/** A price before GST, the GST, and their sum `totalPaise`. */
export interface TaxedPrice {
  readonly pricePaise: Paise;
  readonly gstPaise: Paise;
  readonly totalPaise: Paise;
}

/** Adds GST to a price, half-up. */
export const withGst = (pricePaise: Paise, gstBps: Bps): TaxedPrice => {
  const gstPaise = taxOn(pricePaise, gstBps);
  return { pricePaise, gstPaise, totalPaise: addPaise(pricePaise, gstPaise) };
};

/** A line of a product order, which has a number of pieces at one price before GST. */
interface ProductLine {
  readonly unitPricePaise: Paise;
  readonly quantity: number;
}

/** The amounts of a line. `lineTotalPaise` is always `netPaise + gstPaise`. */
interface ProductLineAmounts {
  readonly netPaise: Paise;
  readonly gstPaise: Paise;
  readonly lineTotalPaise: Paise;
}

/** Computes the amounts of a line. GST is rounded half-up for the whole line and not per piece. */
export const productLineAmounts = (line: ProductLine, gstBps: Bps): ProductLineAmounts => {
  const net = paise(line.unitPricePaise * BigInt(line.quantity));
  const { pricePaise: netPaise, gstPaise, totalPaise: lineTotalPaise } = withGst(net, gstBps);
  return { netPaise, gstPaise, lineTotalPaise };
};

/** The cost of a delivery, and the value of goods (before GST) from which it costs nothing. */
export interface DeliveryTariff {
  readonly deliveryFeePaise: Paise;
  readonly freeDeliveryFromPaise: Paise;
}

/** Returns the delivery fee of goods by their value before GST. */
const deliveryFeeFor = (itemsTotalPaise: Paise, tariff: DeliveryTariff): Paise =>
  itemsTotalPaise >= tariff.freeDeliveryFromPaise ? ZERO_PAISE : tariff.deliveryFeePaise;

/** The totals of a product order. `totalPaise` is always the sum of items, GST and delivery. */
export interface ProductOrderTotals {
  readonly itemsTotalPaise: Paise;
  readonly gstPaise: Paise;
  readonly deliveryFeePaise: Paise;
  readonly totalPaise: Paise;
}

/** Adds up the lines of a product order and its delivery. */
export const productOrderTotals = (
  lines: readonly ProductLineAmounts[],
  tariff: DeliveryTariff,
): ProductOrderTotals => {
  const itemsTotalPaise = addPaise(...lines.map((line) => line.netPaise));
  const gstPaise = addPaise(...lines.map((line) => line.gstPaise));
  const deliveryFeePaise = deliveryFeeFor(itemsTotalPaise, tariff);
  const totalPaise = addPaise(itemsTotalPaise, gstPaise, deliveryFeePaise);
  return { itemsTotalPaise, gstPaise, deliveryFeePaise, totalPaise };
};

const shareOf = (amount: Paise, share: Bps): Paise =>
  paise(divideHalfUp(amount * share, WHOLE_BPS));
