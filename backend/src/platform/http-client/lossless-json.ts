import { isUtf8 } from 'node:buffer';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { z } from 'zod';
import { usualShape, withoutMark } from '../http/json-body.ts';
import { scanJson } from '../http/scan-json.ts';

/** The value of a JSON text, its numbers as `LosslessNumber`, or undefined when it is no JSON. */
export const parseLosslessJson = (text: string): unknown => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Returns the value of a signed JSON body as above, or undefined also for one that is no UTF-8, or
 * beyond the bounds of the shape of any request. The bytes stay as the signature covers them.
 */
export const parseSignedJson = (bytes: Buffer): unknown => {
  const isReadable = isUtf8(bytes) && scanJson(bytes, usualShape).refusal === undefined;
  return isReadable ? parseLosslessJson(withoutMark(bytes).toString('utf8')) : undefined;
};

/** Prints JSON. A `LosslessNumber` is printed unchanged, `undefined` members are left out. */
export const printLosslessJson = (value: unknown): string => {
  const text = stringify(value);
  if (text === undefined) throw new TypeError('nothing to print as JSON');
  return text;
};

/** A JSON number with exactly these digits, such as `1.2000`. */
export const jsonNumber = (decimal: string): LosslessNumber => new LosslessNumber(decimal);

const exponentForm = /^(-?)0*(\d{1,30})(?:\.(\d{1,30}))?[eE]([+-]?\d{1,2})$/;
const farthestShift = 30;

/**
 * Writes a number in exponent form as a plain decimal, digit by digit: `1.0005E+3` is `1000.5`. Any
 * other text stays as it is, and so does an exponent that no amount or id needs.
 */
export const plainDecimal = (text: string): string => {
  const match = exponentForm.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = Number(exponent);
  if (Math.abs(shift) > farthestShift) return text;
  const point = whole.length + shift;
  const zeros = '0'.repeat(Math.max(0, -point));
  const digits = `${zeros}${whole}${fraction}`.padEnd(point, '0');
  const before = digits.slice(0, Math.max(0, point)).replace(/^0+(?=\d)/, '') || '0';
  const after = digits.slice(Math.max(0, point));
  return after === '' ? `${sign}${before}` : `${sign}${before}.${after}`;
};

/** A JSON string, or the digits of a JSON number: ids of other systems. */
export const textOrDigits = z.union([
  z.string(),
  z.instanceof(LosslessNumber).transform((number) => plainDecimal(number.value)),
]);

/**
 * Reads an optional field of a response: absent, null, or empty as some systems write it. A present
 * value must still be valid.
 */
export const orLeftOut = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (value === '' ? undefined : value), field.nullish());

/** A decimal of another system as plain digits, whether it is a JSON number or a string. */
export const decimalText = textOrDigits.transform(plainDecimal);

/** An integer that fits a JavaScript number, as a JSON number or its digits in a string. */
export const safeInteger = decimalText
  .transform((text) => text.replace(/\.0+$/, ''))
  .refine((text) => /^-?\d{1,16}$/.test(text))
  .transform(Number)
  .pipe(z.int());
