import { describe, expect, it } from 'vitest';
import { UNKNOWN_TRANSACTION } from '../../adapters/gold-provider/port.ts';
import type { ProviderTransactionStatus } from '../../adapters/gold-provider/port.ts';
import { grams, parseGrams, parseRupees, paise } from '../../money/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import { CIRCUIT_OPEN } from '../../platform/http-client/create-call-guard.ts';
import { done, refused, unknown } from '../../platform/outcome/outcome.ts';
import { defaultLimits } from '../settings/index.ts';
import { checkSellAmount, type SaleToCheck } from '../quotes/index.ts';
import { readSaleVerdict, reviewOf, type SaleVerdict } from './record-sale-outcome.ts';

describe('the verdict of an order status', () => {
  it.each<[ProviderTransactionStatus, SaleVerdict]>([
    ['SUCCESS', 'SOLD'],
    ['FAILED', 'FAILED'],
    ['NOT_CONFIRMED', 'NOT_CONFIRMED'],
    ['IN_PROGRESS', 'UNKNOWN'],
  ])('%s means %s', (status, verdict) => {
    expect(readSaleVerdict(done(status))).toBe(verdict);
  });

  it('is unknown without an answer, and "not confirmed" for an unknown transaction', () => {
    expect(readSaleVerdict(unknown('timeout'))).toBe('UNKNOWN');
    expect(readSaleVerdict(refused(CIRCUIT_OPEN, ''))).toBe('UNKNOWN');
    expect(readSaleVerdict(refused(UNKNOWN_TRANSACTION, ''))).toBe('NOT_CONFIRMED');
  });
});

describe('the reason for a review of a sale', () => {
  it('is a refusal only if the provider itself refused', () => {
    const no = refused('PROVIDER_REFUSED', 'no');
    expect(reviewOf('NOT_CONFIRMED', no).code).toBe('SELL_REFUSED_AFTER_VERIFY');
    expect(reviewOf('FAILED', undefined).code).toBe('SELL_REFUSED_AFTER_VERIFY');
    expect(reviewOf('UNKNOWN', refused(CIRCUIT_OPEN, '')).code).toBe('SELL_UNKNOWN_OUTCOME');
    expect(reviewOf('NOT_CONFIRMED', unknown('timeout')).code).toBe('SELL_UNKNOWN_OUTCOME');
    expect(reviewOf('UNKNOWN', done({})).code).toBe('SELL_UNKNOWN_OUTCOME');
  });
});

describe('the limits of a sale', () => {
  const price = parseRupees('10000');
  const limits = { ...defaultLimits, minSellPaise: parseRupees('50') };
  const minimumAtProvider = parseRupees('10');
  const check = (sell: Partial<SaleToCheck>): string => {
    const usual = {
      grossPaise: parseRupees('100'),
      grams: parseGrams('0.01'),
      providerPricePaise: price,
      availableGrams: parseGrams('1'),
    };
    try {
      checkSellAmount({ ...usual, ...sell }, limits, minimumAtProvider);
      return 'fits';
    } catch (error) {
      return isAppError(error) ? error.code : 'broke';
    }
  };

  it('apply to the gross amount, to the paisa', () => {
    expect(check({})).toBe('fits');
    expect(check({ grossPaise: limits.minSellPaise })).toBe('fits');
    expect(check({ grossPaise: paise(limits.minSellPaise - 1n) })).toBe('LIMIT_EXCEEDED');
    expect(check({ grossPaise: limits.maxSellPaise })).toBe('fits');
    expect(check({ grossPaise: paise(limits.maxSellPaise + 1n) })).toBe('LIMIT_EXCEEDED');
  });

  it('do not apply the minimum to a sale of all available grams, but the maximum', () => {
    const all = { grams: parseGrams('0.002'), grossPaise: parseRupees('20') };
    expect(check(all)).toBe('LIMIT_EXCEEDED');
    expect(check({ ...all, availableGrams: all.grams })).toBe('fits');
    // Less than 0.0001 g can't be sold, so a sale that leaves such a rest is a sale of all.
    expect(check({ ...all, availableGrams: grams(all.grams + 9_999n) })).toBe('fits');
    const much = {
      grossPaise: paise(limits.maxSellPaise + 1n),
      availableGrams: parseGrams('0.01'),
    };
    expect(check(much)).toBe('LIMIT_EXCEEDED');
  });

  it('come after the minimum of the provider, which applies to every sale', () => {
    const tiny = { grams: parseGrams('0.0009'), grossPaise: parseRupees('9') };
    expect(check({ ...tiny, availableGrams: tiny.grams })).toBe('AMOUNT_TOO_SMALL');
    // INR 10 were requested, but at the provider's price their grams are worth less.
    expect(check({ ...tiny, grossPaise: parseRupees('10') })).toBe('AMOUNT_TOO_SMALL');
    const enough = { grams: parseGrams('0.001'), grossPaise: parseRupees('10') };
    expect(check({ ...enough, availableGrams: enough.grams })).toBe('fits');
  });
});
