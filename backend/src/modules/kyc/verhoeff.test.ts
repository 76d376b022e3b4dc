import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasVerhoeffCheckDigit } from './verhoeff.ts';

const digits = Array.from('0123456789');
const withCheckDigit = (text: string): string =>
  text + (digits.find((digit) => hasVerhoeffCheckDigit(text + digit)) ?? '');

/** Generates eleven digits with a valid check digit. */
const numbers = fc
  .array(fc.constantFrom(...digits), { minLength: 11, maxLength: 11 })
  .map((eleven) => withCheckDigit(eleven.join('')));

describe('the check digit', () => {
  it.each(['2363', '123451', '84736430954837284567892'])(
    'is valid for %s, an example of the literature',
    (text) => {
      expect(hasVerhoeffCheckDigit(text)).toBe(true);
    },
  );

  it('exists exactly once for every eleven digits', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const fitting = digits.filter((last) => hasVerhoeffCheckDigit(number.slice(0, 11) + last));
        expect(fitting).toEqual([number.slice(11)]);
      }),
    );
  });

  it('detects every wrong digit', () => {
    fc.assert(
      fc.property(numbers, fc.nat(11), fc.constantFrom(...digits), (number, at, digit) => {
        fc.pre(number[at] !== digit);
        const wrong = number.slice(0, at) + digit + number.slice(at + 1);
        expect(hasVerhoeffCheckDigit(wrong)).toBe(false);
      }),
    );
  });

  it('detects every two adjacent digits that are swapped', () => {
    fc.assert(
      fc.property(numbers, fc.nat(10), (number, at) => {
        const [left = '', right = ''] = [number[at], number[at + 1]];
        fc.pre(left !== right);
        const swapped = number.slice(0, at) + right + left + number.slice(at + 2);
        expect(hasVerhoeffCheckDigit(swapped)).toBe(false);
      }),
    );
  });

  it.each(['', 'abc', '12 3', '１２３'])('is not valid for %j', (text) => {
    expect(hasVerhoeffCheckDigit(text)).toBe(false);
  });
});
