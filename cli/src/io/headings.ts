/** Words that are always written in capitals. */
const capitals = new Set(['id', 'kyc', 'pan', 'gst', 'utr', 'tx']);

/**
 * Writes the name of a column or of a field in words: `amountPaise` is `amount` over rupees,
 * `orderId` is `order ID`.
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
