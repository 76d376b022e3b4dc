import { assert, bigInt, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agrees, rateWithTax, rupeesFor, weightFor, withoutTax } from './arithmetic.ts';

const price = bigInt({ min: 1n, max: 10_000_000n });
const weight = bigInt({ min: 1n, max: 10_000_000n });

describe("SafeGold's arithmetic", () => {
  it('gives the figures of its page on buy-verify', () => {
    const rate = rateWithTax(295_363n);
    expect(rate).toBe(304_224n);
    expect(weightFor(100_000n, rate)).toBe(3287n);
    expect(rupeesFor(2345n, rate)).toBe(71_341n);
  });

  it('gives the figures of its page on sell-verify', () => {
    expect(weightFor(100_000n, 295_363n)).toBe(3385n);
    expect(rupeesFor(2345n, 295_363n)).toBe(69_263n);
  });

  it('agrees with itself whichever figure the customer gave', () => {
    assert(
      property(weight, price, (grams, rate) => {
        const rupees = rupeesFor(grams, rate);
        expect(agrees(grams, rupees, rate)).toBe(true);
        expect(agrees(weightFor(rupees, rate), rupees, rate)).toBe(true);
        expect(weightFor(rupees, rate)).toBeGreaterThanOrEqual(grams);
      }),
    );
  });

  it('refuses a paisa too little', () => {
    assert(
      property(weight, bigInt({ min: 20_000n, max: 10_000_000n }), (grams, rate) => {
        expect(agrees(grams, rupeesFor(grams, rate) - 1n, rate)).toBe(false);
      }),
    );
  });

  it('splits an amount into price and tax without losing a paisa', () => {
    expect(withoutTax(10_300n)).toBe(10_000n);
    expect(withoutTax(71_341n)).toBe(69_263n);
  });
});
