import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ZERO_GRAMS,
  ZERO_PAISE,
  fromSafePaise,
  grams,
  investedLeavingWith,
  parseGrams,
  subtractGrams,
  subtractPaise,
  valueHolding,
} from './index.ts';
import { anyAmount, anyTradedGrams } from './money.arbitraries.ts';

describe('the part of the investment that leaves with a sale', () => {
  test('is everything with the last grams, in proportion before', () => {
    fc.assert(
      fc.property(anyTradedGrams, anyTradedGrams, anyAmount, (sold, kept, investedPaise) => {
        const balance = grams(sold + kept);
        const leaving = investedLeavingWith({ balance, investedPaise }, sold);
        expect(leaving >= ZERO_PAISE && leaving <= investedPaise).toBe(true);
        const offBy = 2n * (leaving * balance - investedPaise * sold);
        expect(offBy <= balance && offBy + balance > 0n).toBe(true);
        expect(investedLeavingWith({ balance, investedPaise }, balance)).toBe(investedPaise);
      }),
    );
  });

  test('over any series of sales ends at zero exactly and is never negative on the way', () => {
    const parts = fc.array(anyTradedGrams, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(parts, anyAmount, (sells, invested) => {
        let balance = grams(sells.reduce((sum: bigint, part) => sum + part, 0n));
        let investedPaise = invested;
        for (const sold of sells) {
          const leaving = investedLeavingWith({ balance, investedPaise }, sold);
          balance = subtractGrams(balance, sold);
          investedPaise = subtractPaise(investedPaise, leaving);
          expect(investedPaise >= ZERO_PAISE).toBe(true);
        }
        expect({ balance, investedPaise }).toEqual({ balance: 0n, investedPaise: 0n });
      }),
    );
  });

  test('is refused for more than is held', () => {
    const held = { balance: parseGrams('1'), investedPaise: fromSafePaise(100) };
    expect(() => investedLeavingWith(held, parseGrams('1.0001'))).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE' }),
    );
  });
});

describe('the value of a holding', () => {
  test('has profit and its share of what was invested', () => {
    const held = { balance: parseGrams('2'), investedPaise: fromSafePaise(2_000_000) };
    expect(valueHolding(held, fromSafePaise(1_100_050))).toEqual({
      currentValuePaise: 2_200_100n,
      profitLossPaise: 200_100n,
      profitLossBps: 1_001n,
    });
  });

  test('can be a loss, rounded as a profit would be', () => {
    const held = { balance: parseGrams('1'), investedPaise: fromSafePaise(80_000) };
    expect(valueHolding(held, fromSafePaise(79_996)).profitLossBps).toBe(-1n);
  });

  test('of nothing is nothing', () => {
    const held = { balance: ZERO_GRAMS, investedPaise: ZERO_PAISE };
    expect(valueHolding(held, fromSafePaise(1_000_000))).toEqual({
      currentValuePaise: 0n,
      profitLossPaise: 0n,
      profitLossBps: 0n,
    });
  });
});
