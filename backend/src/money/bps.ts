import { formatDecimal } from './decimal.ts';
import { MoneyError } from './money-error.ts';

/** A rate in 1/10000, so that 300 is 3 %. */
export type Bps = bigint & { readonly unit: 'bps' };

/** The whole, in basis points. */
export const WHOLE_BPS = 10_000n;

/** Marks an integer as basis points. */
// The brand exists only in types, and only this function gives it. oxlint-disable-next-line
// typescript/no-unsafe-type-assertion
export const bps = (value: bigint): Bps => value as Bps;

/**
 * Reads basis points from a configured or stored integer.
 * @throws MoneyError OUT_OF_RANGE for anything but a safe integer
 */
export const fromSafeBps = (value: number): Bps => {
  if (!Number.isSafeInteger(value)) {
    throw new MoneyError('OUT_OF_RANGE', 'a rate in basis points is a whole number');
  }
  return bps(BigInt(value));
};

/**
 * Returns basis points as the integer that a column stores.
 * @throws MoneyError OUT_OF_RANGE beyond the safe integers
 */
export const toSafeBps = (rate: Bps): number => {
  const value = Number(rate);
  if (!Number.isSafeInteger(value)) {
    throw new MoneyError('OUT_OF_RANGE', 'a rate is beyond the safe integers');
  }
  return value;
};

/** Formats a percentage with two decimals, such as `3.00` for 300. */
export const formatPercent = (rate: Bps): string => formatDecimal(rate, 2);

/** Returns a percentage as a JSON number of at most two decimals, such as `3.25` for 325. */
export const toPercentNumber = (rate: Bps): number => Number(formatPercent(rate));
