import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MoneyError,
  SMALLEST_TRADED_GRAMS,
  UNITS_PER_GRAM,
  WHOLE_BPS,
  ZERO_PAISE,
  buyByGrams,
  buyByInr,
  fromSafeBps,
  isTraded,
  parseGrams,
  parseRupees,
  sellByGrams,
  sellByInr,
  splitGst,
  valueOf,
} from './index.ts';
import { anyAmount, anyPrice, anyRate, anyTradedGrams } from './money.arbitraries.ts';

const gst = fromSafeBps(300);

/** The figures, or undefined where the amount comes to nothing. */
const unlessTooSmall = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof MoneyError && error.code === 'AMOUNT_TOO_SMALL') return undefined;
    throw error;
  }
};

describe('a buy by INR', () => {
  test('adds up to the paisa', () => {
    fc.assert(
      fc.property(anyAmount, anyPrice, anyRate, (total, price, rate) => {
        const buy = unlessTooSmall(() => buyByInr(total, price, rate));
        if (buy === undefined) return;
        expect(buy.totalPaise).toBe(total);
        expect(buy.goldValuePaise + buy.gstPaise).toBe(total);
        const { cgstPaise, sgstPaise } = splitGst(buy.gstPaise);
        expect(cgstPaise + sgstPaise).toBe(buy.gstPaise);
        expect(sgstPaise - cgstPaise === 0n || sgstPaise - cgstPaise === 1n).toBe(true);
      }),
    );
  });

  test('takes the nearest paisa that is the total without its tax', () => {
    fc.assert(
      fc.property(anyAmount, anyPrice, anyRate, (total, price, rate) => {
        const buy = unlessTooSmall(() => buyByInr(total, price, rate));
        if (buy === undefined) return;
        const offBy = buy.goldValuePaise * (WHOLE_BPS + rate) - total * WHOLE_BPS;
        expect(2n * offBy <= WHOLE_BPS + rate && 2n * offBy > -(WHOLE_BPS + rate)).toBe(true);
      }),
    );
  });

  test('never rounds the weight up, and never down by a whole 0.0001 g', () => {
    fc.assert(
      fc.property(anyAmount, anyPrice, anyRate, (total, price, rate) => {
        const buy = unlessTooSmall(() => buyByInr(total, price, rate));
        if (buy === undefined) return;
        const value = buy.goldValuePaise * UNITS_PER_GRAM;
        expect(isTraded(buy.grams)).toBe(true);
        expect(buy.grams * price <= value).toBe(true);
        expect((buy.grams + SMALLEST_TRADED_GRAMS) * price > value).toBe(true);
      }),
    );
  });

  test('leaves a rounding figure that is never negative and explains the whole value', () => {
    fc.assert(
      fc.property(anyAmount, anyPrice, anyRate, (total, price, rate) => {
        const buy = unlessTooSmall(() => buyByInr(total, price, rate));
        if (buy === undefined) return;
        expect(buy.roundingPaise >= ZERO_PAISE).toBe(true);
        expect(valueOf(buy.grams, price) + buy.roundingPaise).toBe(buy.goldValuePaise);
      }),
    );
  });

  test('costs about the same when its weight is asked for', () => {
    fc.assert(
      fc.property(anyAmount, anyPrice, anyRate, (total, price, rate) => {
        const byInr = unlessTooSmall(() => buyByInr(total, price, rate));
        if (byInr === undefined) return;
        const byGrams = unlessTooSmall(() => buyByGrams(byInr.grams, price, rate));
        const cost = byGrams?.totalPaise ?? 0n;
        // At most one paisa more.
        expect(cost <= total + 1n).toBe(true);
        // Less than the price of 0.0001 g (tax in) and two paise less, both sides scaled to whole.
        const scale = UNITS_PER_GRAM * WHOLE_BPS;
        const smallestTaxIn = SMALLEST_TRADED_GRAMS * price * (WHOLE_BPS + rate);
        expect((total - cost) * scale < smallestTaxIn + 2n * scale).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('is refused when it buys less than 0.0001 g', () => {
    expect(() => buyByInr(parseRupees('0.01'), parseRupees('12000'), gst)).toThrow(
      expect.objectContaining({ code: 'AMOUNT_TOO_SMALL' }),
    );
    expect(() => buyByInr(ZERO_PAISE, parseRupees('12000'), gst)).toThrow(MoneyError);
  });

  test('comes to the figures of a worked example', () => {
    // 1000.00 / 1.03 = 970.8737.., 970.87 / 12345.67 = 0.078640.., and 0.0786 g = 970.3696..
    expect(buyByInr(parseRupees('1000'), parseRupees('12345.67'), gst)).toEqual({
      grams: parseGrams('0.0786'),
      goldValuePaise: 97_087n,
      gstPaise: 2_913n,
      totalPaise: 100_000n,
      roundingPaise: 50n,
    });
  });
});

describe('a buy by GRAMS', () => {
  test('adds up, tax half-up on the value, and leaves no rounding', () => {
    fc.assert(
      fc.property(anyTradedGrams, anyPrice, anyRate, (grams, price, rate) => {
        const buy = unlessTooSmall(() => buyByGrams(grams, price, rate));
        if (buy === undefined) return;
        expect(buy.grams).toBe(grams);
        expect(buy.goldValuePaise + buy.gstPaise).toBe(buy.totalPaise);
        expect(buy.goldValuePaise).toBe(valueOf(grams, price));
        const offBy = 2n * (buy.gstPaise * WHOLE_BPS - buy.goldValuePaise * rate);
        expect(offBy <= WHOLE_BPS && offBy > -WHOLE_BPS).toBe(true);
        expect(buy.roundingPaise).toBe(0n);
      }),
    );
  });

  test('is refused when it costs nothing', () => {
    expect(() => buyByGrams(parseGrams('0.0001'), parseRupees('0.01'), gst)).toThrow(MoneyError);
  });
});

describe('a sale', () => {
  test('by GRAMS yields the nearest paisa and withholds nothing', () => {
    fc.assert(
      fc.property(anyTradedGrams, anyPrice, (grams, price) => {
        const sell = unlessTooSmall(() => sellByGrams(grams, price));
        if (sell === undefined) return;
        const offBy = 2n * (sell.proceedsPaise * UNITS_PER_GRAM - grams * price);
        expect(offBy <= UNITS_PER_GRAM && offBy > -UNITS_PER_GRAM).toBe(true);
        expect(sell).toEqual({ grams, proceedsPaise: sell.proceedsPaise, withheldPaise: 0n });
      }),
    );
  });

  test('by INR sells the weight that is worth no more than was asked', () => {
    fc.assert(
      fc.property(anyAmount, anyPrice, (amount, price) => {
        const sell = unlessTooSmall(() => sellByInr(amount, price));
        if (sell === undefined) return;
        expect(isTraded(sell.grams)).toBe(true);
        expect(sell.grams * price <= amount * UNITS_PER_GRAM).toBe(true);
        expect(sell.proceedsPaise <= amount).toBe(true);
        expect(sell).toEqual(sellByGrams(sell.grams, price));
      }),
    );
  });

  test('by INR is refused when it comes to less than 0.0001 g', () => {
    expect(() => sellByInr(parseRupees('1'), parseRupees('12000'))).toThrow(
      expect.objectContaining({ code: 'AMOUNT_TOO_SMALL' }),
    );
  });
});
