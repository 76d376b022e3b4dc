/**
 * Formats paise as rupees without rounding, with Indian digit grouping. For example, 123456789
 * becomes `₹12,34,567.89`.
 */
export const formatPaise = (paise: number): string => {
  if (!Number.isSafeInteger(paise)) throw new Error('an amount must be whole paise');
  const digits = String(Math.abs(paise)).padStart(3, '0');
  const rupees = digits.slice(0, -2);
  const groups = rupees.slice(0, -3).replaceAll(/\B(?=(?:\d{2})+$)/gu, ',');
  const grouped = groups === '' ? rupees : `${groups},${rupees.slice(-3)}`;
  return `${paise < 0 ? '-' : ''}₹${grouped}.${digits.slice(-2)}`;
};
