/** The number of a price message across the whole fleet. */
interface PriceMessage {
  readonly seq: number;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isPositiveInteger = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);

/** Reads a `price_snapshot` or `price_update`; undefined if a field is missing or wrong. */
export const readPriceMessage = (data: unknown): PriceMessage | undefined => {
  if (!isRecord(data)) return undefined;
  const { seq, buyPaise, sellPaise, spotPaise, currency, unit, source, asOf } = data;
  const isWhole =
    [buyPaise, sellPaise, spotPaise].every(isPositiveInteger) &&
    currency === 'INR' &&
    unit === 'GRAM' &&
    (source === 'PROVIDER' || source === 'MANUAL') &&
    isTime(asOf);
  return isWhole && isPositiveInteger(seq) ? { seq } : undefined;
};
