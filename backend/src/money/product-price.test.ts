import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MoneyError,
  addPaise,
  dynamicProductPrice,
  fromSafeBps,
  fromSafePaise,
  parseGrams,
  productLineAmounts,
  productOrderTotals,
  withGst,
} from './index.ts';
import { anyAmount, anyPrice, anyRate, anyTradedGrams } from './money.arbitraries.ts';

/** An exact fraction, so that what is expected is worked out without any rounding of the code. */
interface Rational {
  readonly over: bigint;
  readonly under: bigint;
}

const rational = (over: bigint, under: bigint): Rational => ({ over, under });

/**
 * Says that an integer is a fraction rounded half-up: no further than a half away from it, and
 * above it exactly where it is a half away.
 */
const expectHalfUp = (rounded: bigint, exact: Rational): void => {
  const difference = 2n * (rounded * exact.under - exact.over);
  expect(difference > -exact.under && difference <= exact.under).toBe(true);
};

const anyKarat = fc.integer({ min: 1, max: 24 });
const anyQuantity = fc.integer({ min: 1, max: 10 });
const anyLine = fc.record({ unitPricePaise: anyAmount, quantity: anyQuantity });
const anyTariff = fc.record({ deliveryFeePaise: anyAmount, freeDeliveryFromPaise: anyAmount });

describe('a DYNAMIC price', () => {
  test('rounds gold, making charge and discount half-up, once each', () => {
    fc.assert(
      fc.property(
        anyTradedGrams,
        anyKarat,
        anyRate,
        anyRate,
        anyPrice,
        (weight, purityKarat, makingChargeBps, discountBps, rate) => {
          const pricing = { weight, purityKarat, makingChargeBps, discountBps };
          const price = dynamicProductPrice(pricing, rate);
          const { goldValuePaise, makingChargePaise, discountPaise } = price;
          const gold = rational(weight * rate * BigInt(purityKarat), 24n * 10n ** 8n);
          expectHalfUp(goldValuePaise, gold);
          expectHalfUp(makingChargePaise, rational(goldValuePaise * makingChargeBps, 10_000n));
          expectHalfUp(discountPaise, rational(makingChargePaise * discountBps, 10_000n));
          expect(price.pricePaise).toBe(goldValuePaise + makingChargePaise - discountPaise);
        },
      ),
    );
  });

  test('is never less than its gold, whatever the discount', () => {
    fc.assert(
      fc.property(
        anyTradedGrams,
        anyKarat,
        anyRate,
        anyRate,
        anyPrice,
        (weight, karat, m, d, p) => {
          const pricing = { weight, purityKarat: karat, makingChargeBps: m, discountBps: d };
          const price = dynamicProductPrice(pricing, p);
          expect(price.pricePaise >= price.goldValuePaise).toBe(true);
        },
      ),
    );
  });

  test('rises with the gold price, never falls', () => {
    fc.assert(
      fc.property(
        anyTradedGrams,
        anyKarat,
        anyRate,
        anyRate,
        anyPrice,
        (weight, karat, m, d, p) => {
          const pricing = { weight, purityKarat: karat, makingChargeBps: m, discountBps: d };
          const dearer = addPaise(p, fromSafePaise(1));
          expect(
            dynamicProductPrice(pricing, dearer).pricePaise >=
              dynamicProductPrice(pricing, p).pricePaise,
          ).toBe(true);
        },
      ),
    );
  });

  test('comes to a worked example', () => {
    // 3.5 g of 22 karat at INR 7,213.57 a gram: gold 2314353.7083 paise. 12.5 % of it for making is
    // 289294.25. 10 % off that is 28929.4.
    const price = dynamicProductPrice(
      {
        weight: parseGrams('3.5'),
        purityKarat: 22,
        makingChargeBps: fromSafeBps(1250),
        discountBps: fromSafeBps(1000),
      },
      fromSafePaise(721_357),
    );
    expect(price).toEqual({
      goldValuePaise: 2_314_354n,
      makingChargePaise: 289_294n,
      discountPaise: 28_929n,
      pricePaise: 2_574_719n,
    });
  });

  test('of 24 karat without charges is the value of the weight', () => {
    const pricing = { makingChargeBps: fromSafeBps(0), discountBps: fromSafeBps(0) };
    expect(
      dynamicProductPrice(
        { ...pricing, weight: parseGrams('0.0005'), purityKarat: 24 },
        fromSafePaise(1_000),
      ).pricePaise,
    ).toBe(1n);
  });

  test.each([0, 25, 21.5, Number.NaN])('refuses a purity of %s karat', (purityKarat) => {
    const charges = { makingChargeBps: fromSafeBps(0), discountBps: fromSafeBps(0) };
    const pricing = { ...charges, weight: parseGrams('1'), purityKarat };
    expect(() => dynamicProductPrice(pricing, fromSafePaise(1))).toThrow(MoneyError);
  });
});

describe('GST', () => {
  test('of a price is half-up, and the total is their sum', () => {
    fc.assert(
      fc.property(anyAmount, anyRate, (pricePaise, rate) => {
        const taxed = withGst(pricePaise, rate);
        expectHalfUp(taxed.gstPaise, rational(pricePaise * rate, 10_000n));
        expect(taxed.totalPaise).toBe(pricePaise + taxed.gstPaise);
      }),
    );
  });

  test('of a line is half-up over the line', () => {
    fc.assert(
      fc.property(anyLine, anyRate, (line, rate) => {
        const amounts = productLineAmounts(line, rate);
        const net = line.unitPricePaise * BigInt(line.quantity);
        expect(amounts.netPaise).toBe(net);
        expectHalfUp(amounts.gstPaise, rational(net * rate, 10_000n));
        expect(amounts.lineTotalPaise).toBe(net + amounts.gstPaise);
      }),
    );
  });

  test('of three pieces is not three times the GST of one', () => {
    // 3 % of 50 paise is 1.5, half-up 2. Of 150 paise it is 4.5, half-up 5.
    const line = { unitPricePaise: fromSafePaise(50), quantity: 3 };
    expect(productLineAmounts(line, fromSafeBps(300)).gstPaise).toBe(5n);
  });
});

describe('the totals of an order', () => {
  test('are the sums of the lines, and delivery', () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { minLength: 1, maxLength: 20 }),
        anyRate,
        anyTariff,
        (lines, rate, tariff) => {
          const amounts = lines.map((line) => productLineAmounts(line, rate));
          const totals = productOrderTotals(amounts, tariff);
          const lineTotals = amounts.reduce((sum, line) => sum + line.lineTotalPaise, 0n);
          expect(totals.itemsTotalPaise + totals.gstPaise).toBe(lineTotals);
          expect(totals.totalPaise).toBe(lineTotals + totals.deliveryFeePaise);
        },
      ),
    );
  });

  test('have a delivery fee below the amount of free delivery, before GST, and none from it on', () => {
    const tariff = {
      deliveryFeePaise: fromSafePaise(9_900),
      freeDeliveryFromPaise: fromSafePaise(500_000),
    };
    const feeOf = (unitPrice: number) => {
      const line = { unitPricePaise: fromSafePaise(unitPrice), quantity: 1 };
      return productOrderTotals([productLineAmounts(line, fromSafeBps(300))], tariff)
        .deliveryFeePaise;
    };
    expect([feeOf(499_999), feeOf(500_000)]).toEqual([9_900n, 0n]);
  });
});
