import { formatDecimal, parseDecimal } from './decimal.ts';
import { MoneyError } from './money-error.ts';
import { divideFloor } from './rounding.ts';

/** A weight of gold in units of 0.00000001 g, the precision of the database column. */
export type Grams = bigint & { readonly unit: 'grams' };

/** Marks a count of 0.00000001 g as a weight. */
// The brand exists only in types, and only this function gives it. oxlint-disable-next-line
// typescript/no-unsafe-type-assertion
export const grams = (value: bigint): Grams => value as Grams;

export const ZERO_GRAMS: Grams = grams(0n);

/** The units of `Grams` in one gram. */
export const UNITS_PER_GRAM = 100_000_000n;

/** The smallest weight that is traded, 0.0001 g. */
export const SMALLEST_TRADED_GRAMS: Grams = grams(10_000n);

const DATABASE_DECIMALS = 8;
const TRADED_DECIMALS = 4;

/** The weight form on the wire (contract: money > Wire forms). */
export const GRAMS_PATTERN = /^\d{1,9}(\.\d{1,4})?$/;

/**
 * Parses a weight in its form on the wire, which is a string or a JSON number.
 * @throws MoneyError INVALID_GRAMS, also for zero
 */
export const parseGrams = (input: string | number): Grams => {
  const text = String(input);
  const value = GRAMS_PATTERN.test(text) ? parseDecimal(text, DATABASE_DECIMALS) : undefined;
  if (value === undefined || value === 0n) {
    throw new MoneyError('INVALID_GRAMS', 'a weight is grams above zero, at most four decimals');
  }
  return grams(value);
};

/**
 * Formats grams for the wire without an exponent, with at least four decimals and no further zeros.
 */
export const formatGrams = (weight: Grams): string => {
  const text = formatDecimal(weight, DATABASE_DECIMALS);
  const spare = DATABASE_DECIMALS - TRADED_DECIMALS;
  return text.slice(0, -spare) + text.slice(-spare).replace(/0+$/, '');
};

/**
 * Rounds down to a multiple of 0.0001 g, the unit in which gold is traded. A weight is never
 * rounded up.
 */
export const floorToTraded = (weight: Grams): Grams =>
  grams(divideFloor(weight, SMALLEST_TRADED_GRAMS) * SMALLEST_TRADED_GRAMS);

/** Returns true for a whole number of 0.0001 g. */
export const isTraded = (weight: Grams): boolean => weight % SMALLEST_TRADED_GRAMS === 0n;

/** The database driver's form of NUMERIC, which is a text or a Decimal, and never a number. */
export type DatabaseDecimal = string | { readonly s: number; toFixed(decimals: number): string };

/** Returns the text of a NUMERIC(20,8) column, with all eight decimals. */
export const decimalFromDatabase = (value: DatabaseDecimal): string =>
  typeof value === 'string' ? value : value.toFixed(DATABASE_DECIMALS);

/**
 * Reads a weight from a NUMERIC(20,8) column.
 * @throws MoneyError INVALID_GRAMS when it isn't one
 */
export const gramsFromDatabase = (value: DatabaseDecimal): Grams => {
  const parsed = parseDecimal(decimalFromDatabase(value), DATABASE_DECIMALS);
  if (parsed === undefined) throw new MoneyError('INVALID_GRAMS', 'not a stored weight');
  return grams(parsed);
};

/** Formats a weight for a NUMERIC(20,8) column, with all eight decimals. */
export const gramsToDatabase = (weight: Grams): string => formatDecimal(weight, DATABASE_DECIMALS);

/** Adds weights. The sum of no weights is zero. */
export const addGrams = (...weights: readonly Grams[]): Grams =>
  grams(weights.reduce((sum: bigint, weight) => sum + weight, 0n));

/** Subtracts the second from the first. The result may be negative. */
export const subtractGrams = (from: Grams, weight: Grams): Grams => grams(from - weight);

/** Returns the lesser of two weights. */
export const minGrams = (one: Grams, other: Grams): Grams => (one < other ? one : other);
