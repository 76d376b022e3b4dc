import { isUtf8 } from 'node:buffer';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { z } from 'zod';
import { usualShape, withoutMark } from '../http/json-body.ts';
import { scanJson } from '../http/scan-json.ts';

/**
 * Returns the value of a JSON text, with its numbers as `LosslessNumber`, or undefined if the text
 * is not JSON.
 */
export const parseLosslessJson = (text: string): unknown => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Returns the value of a signed JSON body in the same way. Also returns undefined if the body is
 * not UTF-8 or exceeds the limits of every request's shape. It leaves the signed bytes unchanged.
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

/** Makes a JSON number with exactly these digits, such as `1.2000`. */
export const jsonNumber = (decimal: string): LosslessNumber => new LosslessNumber(decimal);

const exponentForm = /^(-?)0*(\d{1,30})(?:\.(\d{1,30}))?[eE]([+-]?\d{1,2})$/;
const farthestShift = 30;

/**
 * Writes a number in exponent form as a plain decimal, digit by digit: `1.0005E+3` is `1000.5`. Any
 * other text stays unchanged, and so does a number whose exponent no amount or id needs.
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

/** Reads an id of another system, which is a JSON string or the digits of a JSON number. */
export const textOrDigits = z.union([
  z.string(),
  z.instanceof(LosslessNumber).transform((number) => plainDecimal(number.value)),
]);

/**
 * Reads an optional field of a response. Systems write a missing value by leaving the field out, or
 * as null or an empty text. A present value must still be valid.
 */
export const orLeftOut = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (value === '' ? undefined : value), field.nullish());

/** Reads a decimal of another system, a JSON number or a string, as plain digits. */
export const decimalText = textOrDigits.transform(plainDecimal);

/**
 * Reads an integer that fits a JavaScript number, written as a JSON number or as digits in a
 * string.
 */
export const safeInteger = decimalText
  .transform((text) => text.replace(/\.0+$/, ''))
  .refine((text) => /^-?\d{1,16}$/.test(text))
  .transform(Number)
  .pipe(z.int());
