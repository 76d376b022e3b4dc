import { LosslessNumber, stringify } from 'lossless-json';

/** A decimal that is written as a JSON number digit by digit, its last zeros kept. */
export const jsonDecimal = (text: string): LosslessNumber => new LosslessNumber(text);

/** JSON text in which bigint and decimals are exact numbers. */
export const toJsonText = (value: unknown): string => stringify(value) ?? 'null';

/** What a reader of that text gets from a plain JSON parser. */
export const asPlainJson = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(toJsonText(value));
