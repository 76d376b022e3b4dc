import * as fc from 'fast-check';
import { bps, grams, paise, SMALLEST_TRADED_GRAMS } from './index.ts';

/* Random money for property tests: ordinary amounts, and the ends of the ranges. */

/** Amounts up to the twelve digits of rupees that a request may have. */
export const anyAmount = fc
  .oneof(fc.bigInt({ min: 1n, max: 2_000n }), fc.bigInt({ min: 1n, max: 99_999_999_999_999n }))
  .map(paise);

/** Prices from one paisa to INR 100,000 per gram. */
export const anyPrice = fc
  .oneof(fc.bigInt({ min: 1n, max: 20_000n }), fc.bigInt({ min: 500_000n, max: 10_000_000n }))
  .map(paise);

/** Rates of a tax or a spread, up to 100 %. */
export const anyRate = fc
  .oneof(fc.constantFrom(0n, 300n, 500n, 1800n), fc.bigInt({ min: 0n, max: 10_000n }))
  .map(bps);

/** Traded weights, up to 100 kg. */
export const anyTradedGrams = fc
  .oneof(fc.bigInt({ min: 1n, max: 100n }), fc.bigInt({ min: 1n, max: 1_000_000_000n }))
  .map((count) => grams(count * SMALLEST_TRADED_GRAMS));
