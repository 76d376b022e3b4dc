import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasVerhoeffCheckDigit } from './verhoeff.ts';

const digits = Array.from('0123456789');
const withCheckDigit = (text: string): string =>
  text + (digits.find((digit) => hasVerhoeffCheckDigit(text + digit)) ?? '');

/** Eleven digits with the twelfth that fits. */
const numbers = fc
  .array(fc.constantFrom(...digits), { minLength: 11, maxLength: 11 })
  .map((eleven) => withCheckDigit(eleven.join('')));

describe('the check digit', () => {
  it.each(['2363', '123451', '84736430954837284567892'])('fits %s, of the literature', (text) => {
    expect(hasVerhoeffCheckDigit(text)).toBe(true);
  });

  it('is one for every eleven digits', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const fitting = digits.filter((last) => hasVerhoeffCheckDigit(number.slice(0, 11) + last));
        expect(fitting).toEqual([number.slice(11)]);
      }),
    );
  });

  it('finds every wrong digit', () => {
    fc.assert(
      fc.property(numbers, fc.nat(11), fc.constantFrom(...digits), (number, at, digit) => {
        fc.pre(number[at] !== digit);
        const wrong = number.slice(0, at) + digit + number.slice(at + 1);
        expect(hasVerhoeffCheckDigit(wrong)).toBe(false);
      }),
    );
  });

  it('finds every two neighbours that changed places', () => {
    fc.assert(
      fc.property(numbers, fc.nat(10), (number, at) => {
        const [left = '', right = ''] = [number[at], number[at + 1]];
        fc.pre(left !== right);
        const swapped = number.slice(0, at) + right + left + number.slice(at + 2);
        expect(hasVerhoeffCheckDigit(swapped)).toBe(false);
      }),
    );
  });

  it.each(['', 'abc', '12 3', '１２３'])('does not fit %j', (text) => {
    expect(hasVerhoeffCheckDigit(text)).toBe(false);
  });
});
