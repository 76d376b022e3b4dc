import { expect, it } from 'vitest';
import { formatPaise } from './money.ts';

it.each([
  [0, '₹0.00'],
  [5, '₹0.05'],
  [100, '₹1.00'],
  [99_999, '₹999.99'],
  [100_000, '₹1,000.00'],
  [10_000_000, '₹1,00,000.00'],
  [123_456_789, '₹12,34,567.89'],
  [-150, '-₹1.50'],
  [9_007_199_254_740_991, '₹9,00,71,99,25,47,409.91'],
])('writes %i paise as %s', (paise, text) => {
  expect(formatPaise(paise)).toBe(text);
});

it('refuses what is no whole number of paise', () => {
  expect(() => formatPaise(1.5)).toThrow('whole paise');
  expect(() => formatPaise(2 ** 53)).toThrow('whole paise');
});
