/** The words that are always written in capitals. */
const capitals = new Set(['id', 'kyc', 'pan', 'gst', 'utr', 'tx']);

/**
 * Converts the name of a column or field to words. `orderId` becomes `order ID`, and `amountPaise`
 * becomes `amount`, since amounts are shown in rupees.
 */
export const inWords = (name: string): string =>
  name
    .replace(/(?:_paise|Paise)$/u, '')
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, ' ')
    .split(' ')
    .map((word) => {
      const lower = word.toLowerCase();
      return capitals.has(lower) ? lower.toUpperCase() : /^[A-Z]+$/u.test(word) ? word : lower;
    })
    .join(' ');
