import { formatRupees, paise } from '../../src/money/index.ts';

/** Writes `1234567.50` in the Indian format: `12,34,567.50`. */
const grouped = (text: string): string => text.replace(/(?<=\d)(?=(?:\d\d)*\d{3}(?:\.|$))/gu, ',');

/** Writes paise as rupees for people, such as `₹1,00,050.50`. */
export const showPaise = (amount: number | bigint): string => {
  const exact = BigInt(amount);
  const sign = exact < 0n ? '-' : '';
  return `${sign}₹${grouped(formatRupees(paise(exact < 0n ? -exact : exact)))}`;
};

/** Writes grams for people, such as `0.1234 g`. */
export const showGrams = (grams: string): string => `${grams} g`;
