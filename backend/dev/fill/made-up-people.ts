import { hasVerhoeffCheckDigit } from '../../src/modules/kyc/verhoeff.ts';
import type { SqlTerms } from './series.ts';

/* The numbers of made-up customers: each passes its own checks, and no other customer has it. */

const letterOf = (value: number): string => String.fromCodePoint(65 + (value % 26));

export const nameOf = (u: number): string => `Customer ${u}`;

/** Returns the SQL of the phone number of customer `u`. */
export const phoneOf = ({ series }: SqlTerms): string =>
  `'+91' || (6 + ${series % 4})::text || ${series % 10} || lpad(u::text, 8, '0')`;

export const panOf = (series: number, u: number): string => {
  const high = Math.floor(u / 10_000);
  const letters = [series, high / 676, high / 26, high].map((part) => letterOf(Math.floor(part)));
  return `${letters.join('')}P${String(u % 10_000).padStart(4, '0')}F`;
};

export const aadhaarOf = (series: number, u: number): string => {
  const eleven = `${2 + (series % 8)}${String(series).padStart(2, '0')}${String(u).padStart(8, '0')}`;
  const check = Array.from('0123456789').find((digit) => hasVerhoeffCheckDigit(eleven + digit));
  return `${eleven}${check ?? ''}`;
};

export const accountNumberOf = (series: number, u: number): string =>
  `${10 + series}${String(u).padStart(10, '0')}`;
