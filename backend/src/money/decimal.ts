/** Formats an integer count of 10^-decimals, always with that many decimals. */
export const formatDecimal = (value: bigint, decimals: number): string => {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};

/**
 * Returns a decimal as the number of a spreadsheet's cell, which keeps 15 digits. A text that has
 * more stays a text, so that none is lost.
 */
export const toCellNumber = (text: string): number | string =>
  text.replaceAll(/\D/g, '').replace(/^0+/, '').length <= 15 ? Number(text) : text;

/** Returns a decimal as the number of a metric, which shows it and never counts with it. */
export const toMetricNumber = (text: string): number => Number(text);

const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/;

/**
 * Parses a plain decimal text into the integer count of 10^-decimals, exactly: undefined when
 * the text is no such decimal (no exponent, no sign but a leading minus) or when it has more
 * decimals than can be kept. Zeros beyond them are no loss and are accepted.
 */
export const parseDecimal = (text: string, decimals: number): bigint | undefined => {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  const kept = fraction.slice(0, decimals).padEnd(decimals, '0');
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const size = BigInt(whole + kept);
  return sign === '-' ? -size : size;
};
