import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MoneyError,
  formatDecimal,
  formatGrams,
  formatPercent,
  formatRupees,
  fromSafeBps,
  fromSafePaise,
  grams,
  gramsFromDatabase,
  gramsToDatabase,
  paise,
  parseDecimal,
  parseGrams,
  parseRupees,
  toSafePaise,
} from './index.ts';
import { anyAmount, anyTradedGrams } from './money.arbitraries.ts';

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (error) {
    if (error instanceof MoneyError) return error.code;
    throw error;
  }
  return undefined;
};

describe('rupees on the wire', () => {
  test('read back as they were written', () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        expect(parseRupees(formatRupees(amount))).toBe(amount);
      }),
    );
  });

  test.each([
    ['0', 0n],
    ['0.1', 10n],
    ['0.01', 1n],
    ['1000', 100_000n],
    ['007.50', 750n],
    ['999999999999.99', 99_999_999_999_999n],
    [1000, 100_000n],
    [10.5, 1_050n],
    [0.29, 29n],
    [1.1, 110n],
    [123_456_789_012.34, 12_345_678_901_234n],
  ])('%s is read', (input, expected) => {
    expect(parseRupees(input)).toBe(expected);
  });

  test.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '1.',
    '.5',
    '1.234',
    '1e3',
    '0x10',
    '1,000',
    '١٢',
    '1\n',
    '1000000000000',
    'NaN',
    0.1 + 0.2,
    1e21,
    1e-7,
    -5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('%j is refused', (input) => {
    expect(codeOf(() => parseRupees(input))).toBe('INVALID_AMOUNT');
  });
});

describe('grams on the wire', () => {
  test('read back as they were written', () => {
    fc.assert(
      fc.property(anyTradedGrams, (weight) => {
        expect(parseGrams(formatGrams(weight))).toBe(weight);
      }),
    );
  });

  test.each([
    [0n, '0.0000'],
    [100_000_000n, '1.0000'],
    [123_450_000n, '1.2345'],
    [123_456_000n, '1.23456'],
    [1n, '0.00000001'],
    [-50_000n, '-0.0005'],
    [99_999_999_999_999_999_999n, '999999999999.99999999'],
  ])('%s units are written %s', (units, expected) => {
    expect(formatGrams(grams(units))).toBe(expected);
  });

  test.each(['0', '0.0000', '1.23456', '-1', '1e2', '1234567890', '', '.1', 0, 0.000_05, 1e-5])(
    '%j is refused',
    (input) => {
      expect(codeOf(() => parseGrams(input))).toBe('INVALID_GRAMS');
    },
  );
});

describe('grams in the database', () => {
  test('read back as they were written, as text or as a decimal object', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }), (units) => {
        const text = gramsToDatabase(grams(units));
        expect(gramsFromDatabase(text)).toBe(units);
        expect(gramsFromDatabase({ s: 1, toFixed: () => text })).toBe(units);
      }),
    );
  });

  test.each(['1e-8', '1.000000001', '', 'NaN'])('%j is refused', (text) => {
    expect(codeOf(() => gramsFromDatabase(text))).toBe('INVALID_GRAMS');
  });
});

describe('paise in JSON', () => {
  test('are safe integers both ways', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(toSafePaise(fromSafePaise(value))).toBe(value);
      }),
    );
  });

  test.each([2n ** 53n, -(2n ** 53n), 10n ** 40n])('%s is out of range', (value) => {
    expect(codeOf(() => toSafePaise(paise(value)))).toBe('OUT_OF_RANGE');
  });

  test.each([1.5, Number.NaN, 2 ** 53])('%s is no amount', (value) => {
    expect(codeOf(() => fromSafePaise(value))).toBe('INVALID_AMOUNT');
    expect(codeOf(() => fromSafeBps(value))).toBe('OUT_OF_RANGE');
  });
});

describe('decimals', () => {
  test('keep every digit whatever the scale', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.nat(8), (value, scale) => {
        expect(parseDecimal(formatDecimal(value, scale), scale)).toBe(value);
      }),
    );
  });

  test('take zeros beyond their scale, and nothing else', () => {
    expect(parseDecimal('1.2300', 2)).toBe(123n);
    expect(parseDecimal('1.2301', 2)).toBeUndefined();
  });

  test('show basis points as percent', () => {
    expect(formatPercent(fromSafeBps(300))).toBe('3.00');
    expect(formatPercent(fromSafeBps(-5))).toBe('-0.05');
  });
});
