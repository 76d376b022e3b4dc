/** The figures of a price message. */
interface PriceMessage {
  /** The number of the tick, which is the same at all replicas. */
  readonly seq: number;
  /** Its amounts as one text. */
  readonly amounts: string;
  /** The time at which the provider was queried, in ms. */
  readonly asOfMs: number;
  /** True for the last known price, sent while the provider is down. */
  readonly isStale: boolean;
  /** True if a customer buys for at least the spot price, and sells for at most the spot price. */
  readonly hasRightSpread: boolean;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isPositiveInteger = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);

/** Reads a `price_snapshot` or `price_update`, or undefined if a field is missing or wrong. */
export const readPriceMessage = (data: unknown): PriceMessage | undefined => {
  if (!isRecord(data)) return undefined;
  const { seq, buyPaise, sellPaise, spotPaise, currency, unit, source, asOf, stale } = data;
  const amounts = [buyPaise, sellPaise, spotPaise];
  const [buy = 0, sell = 0, spot = 0] = amounts.map(Number);
  const isWhole =
    amounts.every(isPositiveInteger) &&
    currency === 'INR' &&
    unit === 'GRAM' &&
    (source === 'PROVIDER' || source === 'MANUAL') &&
    isTime(asOf);
  if (!isWhole || !isPositiveInteger(seq)) return undefined;
  const asOfMs = Date.parse(String(asOf));
  const hasRightSpread = sell <= spot && spot <= buy;
  return { seq, amounts: amounts.join(' '), asOfMs, isStale: stale === true, hasRightSpread };
};

/**
 * Returns true if the provider was queried for the price less than `maxAgeMs` before it arrived at
 * `atMs`. Such a price is neither the last known price nor that of an earlier mark.
 */
export const isFresh = (message: PriceMessage, atMs: number, maxAgeMs: number): boolean =>
  !message.isStale && Math.abs(atMs - message.asOfMs) < maxAgeMs;
