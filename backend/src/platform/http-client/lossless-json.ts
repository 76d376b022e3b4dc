import { isUtf8 } from 'node:buffer';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { z } from 'zod';
import { usualShape, withoutMark } from '../http/json-body.ts';
import { scanJson } from '../http/scan-json.ts';

/** The value of a JSON text, its numbers as `LosslessNumber`; undefined when it is no JSON. */
export const parseLosslessJson = (text: string): unknown => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Returns the value of a signed JSON body as above; undefined also for one that is no UTF-8, or
 * beyond the bounds of the shape of any request. The bytes stay as the signature covers them.
 */
export const parseSignedJson = (bytes: Buffer): unknown => {
  const isReadable = isUtf8(bytes) && scanJson(bytes, usualShape).refusal === undefined;
  return isReadable ? parseLosslessJson(withoutMark(bytes).toString('utf8')) : undefined;
};

/** JSON text; a `LosslessNumber` is printed as it is, `undefined` members are left out. */
export const printLosslessJson = (value: unknown): string => {
  const text = stringify(value);
  if (text === undefined) throw new TypeError('nothing to print as JSON');
  return text;
};

/** A JSON number with exactly these digits, such as `1.2000`. */
export const jsonNumber = (decimal: string): LosslessNumber => new LosslessNumber(decimal);

/** A JSON string, or the digits of a JSON number: ids and decimals of other systems. */
export const textOrDigits = z.union([
  z.string(),
  z.instanceof(LosslessNumber).transform((number) => number.value),
]);

/** An integer that fits a JavaScript number, as a JSON number or its digits in a string. */
export const safeInteger = textOrDigits
  .refine((text) => /^-?\d{1,16}$/.test(text))
  .transform(Number)
  .pipe(z.int());
