import { z } from 'zod';

const masked = '***';

/** Names of values that describe the event and its rows, and contain no personal data. */
const plainNames = new Set([
  'amount',
  'amount_due',
  'amount_paid',
  'amount_paise',
  'amount_refunded',
  'code',
  'created_at',
  'currency',
  'entity',
  'error_code',
  'error_reason',
  'event',
  'event_time',
  'fees',
  'id',
  'method',
  'mode',
  'order_amount',
  'order_status',
  'payment_amount',
  'payment_group',
  'payment_status',
  'receipt',
  'reference',
  'refund_amount',
  'refund_status',
  'status',
  'tax',
  'type',
  'utr',
]);

const isPlain = (name: string): boolean =>
  plainNames.has(name) || (name.endsWith('_id') && !name.startsWith('customer'));

const record = z.record(z.string(), z.unknown());

/** The deepest level that is shown: a sender's body nests as deep as it likes. */
const deepest = 12;

const maskValue = (name: string, value: unknown, depth: number): unknown => {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'object') return isPlain(name) ? value : masked;
  if (depth > deepest) return masked;
  if (Array.isArray(value)) return value.map((each) => maskValue(name, each, depth + 1));
  return Object.fromEntries(
    Object.entries(record.parse(value)).map(([key, each]) => [
      key,
      maskValue(key, each, depth + 1),
    ]),
  );
};

/**
 * Returns the JSON of a body with its shape, ids, amounts and states, and every other value masked.
 * A list of personal fields would miss the next field that a vendor adds. Returns undefined for a
 * body that is not JSON.
 */
export const maskBody = (rawBody: Buffer): unknown => {
  let content: unknown;
  try {
    content = JSON.parse(rawBody.toString('utf8'));
  } catch {
    return undefined;
  }
  return maskValue('', content, 0);
};
