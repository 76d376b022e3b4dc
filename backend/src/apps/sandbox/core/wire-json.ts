import { LosslessNumber, stringify } from 'lossless-json';

/** Returns a decimal that is written as a JSON number digit by digit, with its trailing zeros. */
export const jsonDecimal = (text: string): LosslessNumber => new LosslessNumber(text);

/** Writes JSON text in which bigints and decimals are exact numbers. */
export const toJsonText = (value: unknown): string => stringify(value) ?? 'null';

/** Returns the value that a plain JSON parser reads from that text. */
export const asPlainJson = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(toJsonText(value));
