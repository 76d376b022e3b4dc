import type { Price, World } from './world.ts';

/*
 * The arithmetic of the contract, written again in whole numbers (contract: money > Rounding). It
 * does not use the service's own code, since a mistake there would then not be found.
 */

const halfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

const gstBps = 300n;
const whole = 10_000n;
/** Units of 0.0001 g in a gram. */
const unitsPerGram = 10_000n;

export interface Breakdown {
  readonly grams: number;
  readonly goldPaise: number;
  readonly gstPaise: number;
  readonly totalPaise: number;
}

/** Returns our buy and sell prices, from the provider's prices and the spreads. */
export const ourPrices = (price: Price, { spread }: World): { buy: bigint; sell: bigint } => ({
  buy: halfUp(BigInt(price.buyPaise) * (whole + BigInt(spread.buyBps)), whole),
  sell: halfUp(BigInt(price.sellPaise) * (whole - BigInt(spread.sellBps)), whole),
});

export const buyForRupees = (totalPaise: number, pricePaise: bigint): Breakdown => {
  const total = BigInt(totalPaise);
  const gold = halfUp(total * whole, whole + gstBps);
  return {
    grams: Number((gold * unitsPerGram) / pricePaise),
    goldPaise: Number(gold),
    gstPaise: Number(total - gold),
    totalPaise,
  };
};

export const buyOfGrams = (grams: number, pricePaise: bigint): Breakdown => {
  const gold = halfUp(BigInt(grams) * pricePaise, unitsPerGram);
  const gst = halfUp(gold * gstBps, whole);
  return {
    grams,
    goldPaise: Number(gold),
    gstPaise: Number(gst),
    totalPaise: Number(gold + gst),
  };
};

export const sellOfGrams = (grams: number, pricePaise: bigint): number =>
  Number(halfUp(BigInt(grams) * pricePaise, unitsPerGram));

export const gramsForRupees = (paise: number, pricePaise: bigint): number =>
  Number((BigInt(paise) * unitsPerGram) / pricePaise);

/** Returns the price of a piece of jewellery before GST, and the GST of the line. */
export const productLine = (
  product: World['products'][number],
  quantity: number,
  rate24KPaise: bigint,
): { unitPaise: number; gstPaise: number } => {
  const unit =
    product.mode === 'FIXED' ? BigInt(product.fixedPaise) : dynamicPrice(product, rate24KPaise);
  return {
    unitPaise: Number(unit),
    gstPaise: Number(halfUp(unit * BigInt(quantity) * gstBps, whole)),
  };
};

const dynamicPrice = (product: World['products'][number], rate24KPaise: bigint): bigint => {
  const gold = halfUp(
    BigInt(product.weight) * rate24KPaise * BigInt(product.karat),
    unitsPerGram * 24n,
  );
  return gold + halfUp(gold * BigInt(product.makingBps), whole);
};

/** Writes units of 0.0001 g as a text of grams. */
export const gramsText = (units: number): string =>
  `${Math.floor(units / 10_000)}.${String(units % 10_000).padStart(4, '0')}`;

/** Reads a text of grams as units of 0.0001 g. Digits after the fourth must be zeros. */
export const unitsOf = (text: string): number => {
  const [grams = '0', fraction = ''] = text.split('.');
  if (!/^0*$/u.test(fraction.slice(4))) throw new Error(`${text} g is finer than 0.0001 g`);
  return Number(grams) * 10_000 + Number(fraction.padEnd(4, '0').slice(0, 4));
};

export const rupeesText = (paise: number): string =>
  `${Math.floor(paise / 100)}.${String(paise % 100).padStart(2, '0')}`;

const istOffsetMs = 5.5 * 3_600_000;

/** Returns the day in India, as `YYYY-MM-DD`. */
export const istDay = (ms: number): string => new Date(ms + istOffsetMs).toISOString().slice(0, 10);
