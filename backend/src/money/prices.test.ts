import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ZERO_GRAMS,
  applyBuySpread,
  applySellSpread,
  averagePrice,
  fromSafeBps,
  fromSafePaise,
  meanPrice,
  parseGrams,
  valueOf,
} from './index.ts';
import { anyPrice, anyRate, anyTradedGrams } from './money.arbitraries.ts';

describe('spreads', () => {
  test('of zero change nothing', () => {
    fc.assert(
      fc.property(anyPrice, (price) => {
        expect(applyBuySpread(price, fromSafeBps(0))).toBe(price);
        expect(applySellSpread(price, fromSafeBps(0))).toBe(price);
      }),
    );
  });

  test('never make a buy cheaper nor a sale dearer, and mirror each other to a paisa', () => {
    fc.assert(
      fc.property(anyPrice, anyRate, (price, spread) => {
        const buy = applyBuySpread(price, spread);
        const sell = applySellSpread(price, spread);
        expect(buy >= price && sell <= price && sell >= 0n).toBe(true);
        expect(buy - price - (price - sell)).toBeOneOf([0n, 1n]);
      }),
    );
  });

  test('round half up', () => {
    // 50 paise and 1 % are 0.5 paise.
    expect(applyBuySpread(fromSafePaise(50), fromSafeBps(100))).toBe(51n);
    expect(applySellSpread(fromSafePaise(50), fromSafeBps(100))).toBe(50n);
  });
});

test('the mean of two prices is half-up', () => {
  expect(meanPrice(fromSafePaise(3), fromSafePaise(4))).toBe(4n);
});

describe('the average price', () => {
  test('is zero of nothing', () => {
    expect(averagePrice(fromSafePaise(100), ZERO_GRAMS)).toBe(0n);
  });

  test('of one purchase is its price, but for what rounding its value took away', () => {
    fc.assert(
      fc.property(anyTradedGrams, anyPrice, (grams, price) => {
        const invested = valueOf(grams, price);
        const average = averagePrice(invested, grams);
        // Half a paisa of the value, seen per gram, and half a paisa of the average itself.
        const slack = 50_000_000n / grams + 1n;
        expect(average >= price - slack && average <= price + slack).toBe(true);
      }),
    );
  });

  test('comes to a worked example', () => {
    expect(averagePrice(fromSafePaise(100_000), parseGrams('0.0786'))).toBe(1_272_265n);
  });
});
