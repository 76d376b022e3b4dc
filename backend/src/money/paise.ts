import { formatDecimal, parseDecimal } from './decimal.ts';
import { MoneyError } from './money-error.ts';

/** An amount in 1/100 rupee. It is a price if the variable's name contains "PerGram". */
export type Paise = bigint & { readonly unit: 'paise' };

/** Marks an integer as paise. */
// The brand exists only in types, and only this function gives it. oxlint-disable-next-line
// typescript/no-unsafe-type-assertion
export const paise = (value: bigint): Paise => value as Paise;

export const ZERO_PAISE: Paise = paise(0n);

/** The rupee form on the wire (contract: money > Wire forms). */
export const RUPEES_PATTERN = /^\d{1,12}(\.\d{1,2})?$/;

/**
 * Parses a rupee amount in its form on the wire, which is a string or a JSON number.
 * @throws MoneyError INVALID_AMOUNT
 */
export const parseRupees = (input: string | number): Paise => {
  const text = String(input);
  const value = RUPEES_PATTERN.test(text) ? parseDecimal(text, 2) : undefined;
  if (value === undefined) {
    throw new MoneyError('INVALID_AMOUNT', 'an amount is rupees with at most two decimals');
  }
  return paise(value);
};

/** Formats rupees with two decimals, such as `123.45`. */
export const formatRupees = (amount: Paise): string => formatDecimal(amount, 2);

/**
 * Returns paise as an integer for JSON.
 * @throws MoneyError OUT_OF_RANGE beyond the safe integers, where JSON would lose paise
 */
export const toSafePaise = (amount: Paise): number => {
  // This is the only conversion of money to a number. It is exact, because the range is checked.
  const value = Number(amount);
  if (!Number.isSafeInteger(value)) {
    throw new MoneyError('OUT_OF_RANGE', 'an amount is beyond the safe integers');
  }
  return value;
};

/**
 * Reads paise from an integer of JSON or of our own configuration.
 * @throws MoneyError INVALID_AMOUNT for anything but a safe integer
 */
export const fromSafePaise = (value: number): Paise => {
  if (!Number.isSafeInteger(value)) {
    throw new MoneyError('INVALID_AMOUNT', 'an amount in paise is a whole number');
  }
  return paise(BigInt(value));
};

/** Adds amounts. The sum of no amounts is zero. */
export const addPaise = (...amounts: readonly Paise[]): Paise =>
  paise(amounts.reduce((sum: bigint, amount) => sum + amount, 0n));

/** Subtracts the second from the first. The result may be negative. */
export const subtractPaise = (from: Paise, amount: Paise): Paise => paise(from - amount);
