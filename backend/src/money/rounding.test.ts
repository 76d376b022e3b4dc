import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { divideCeiling, divideFloor, divideHalfUp, floorToTraded, grams } from './index.ts';

const anyDividend = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
const anyDivisor = fc.bigInt({ min: 1n, max: 10n ** 12n });

test('the floor is the greatest integer that is not above the quotient', () => {
  fc.assert(
    fc.property(anyDividend, anyDivisor, (dividend, divisor) => {
      const floor = divideFloor(dividend, divisor);
      expect(floor * divisor <= dividend && (floor + 1n) * divisor > dividend).toBe(true);
    }),
  );
});

test('the ceiling is the least integer that is not below the quotient', () => {
  fc.assert(
    fc.property(anyDividend, anyDivisor, (dividend, divisor) => {
      const ceiling = divideCeiling(dividend, divisor);
      expect(ceiling * divisor >= dividend && (ceiling - 1n) * divisor < dividend).toBe(true);
    }),
  );
});

test('half up is the nearest integer, a half going away from zero', () => {
  fc.assert(
    fc.property(anyDividend, anyDivisor, (dividend, divisor) => {
      const offBy = 2n * (divideHalfUp(dividend, divisor) * divisor - dividend);
      expect(offBy <= divisor && offBy >= -divisor).toBe(true);
      expect(divideHalfUp(-dividend, divisor)).toBe(-divideHalfUp(dividend, divisor));
    }),
  );
  expect([divideHalfUp(5n, 2n), divideHalfUp(-5n, 2n), divideHalfUp(4n, 3n)]).toEqual([
    3n,
    -3n,
    1n,
  ]);
});

test('nothing is divided by zero or less', () => {
  expect(() => divideFloor(1n, 0n)).toThrow(RangeError);
  expect(() => divideHalfUp(1n, -1n)).toThrow(RangeError);
});

test('a traded weight is the weight without what is beyond 0.0001 g', () => {
  expect(floorToTraded(grams(123_456_789n))).toBe(123_450_000n);
});
