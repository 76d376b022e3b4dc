/** Formats an integer count of 10^-decimals, always with that many decimals. */
export const formatDecimal = (value: bigint, decimals: number): string => {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};

/**
 * Returns a decimal as the number of a spreadsheet's cell, which keeps 15 digits. A text with more
 * digits stays a text, so that no digit is lost.
 */
export const toCellNumber = (text: string): number | string =>
  text.replaceAll(/\D/g, '').replace(/^0+/, '').length <= 15 ? Number(text) : text;

/** Returns a decimal as the number of a metric, which is only displayed. */
export const toMetricNumber = (text: string): number => Number(text);

const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/;

/**
 * Parses a plain decimal text exactly into an integer count of 10^-decimals. Returns undefined if
 * the text is not a plain decimal (it may have a leading minus but no exponent) or has more
 * decimals. Further zeros are accepted.
 */
export const parseDecimal = (text: string, decimals: number): bigint | undefined => {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  const digits = fraction.slice(0, decimals).padEnd(decimals, '0');
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const size = BigInt(whole + digits);
  return sign === '-' ? -size : size;
};
