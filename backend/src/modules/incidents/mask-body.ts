import { z } from 'zod';

const mask = '***';

/** The names of fields that contain no personal data, so that their values are shown. */
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

const recordSchema = z.record(z.string(), z.unknown());

/** The deepest level that is shown. The limit exists because a sender may nest values without end. */
const maxDepth = 12;

const maskValue = (name: string, value: unknown, depth: number): unknown => {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'object') return isPlain(name) ? value : mask;
  if (depth > maxDepth) return mask;
  if (Array.isArray(value)) return value.map((each) => maskValue(name, each, depth + 1));
  return Object.fromEntries(
    Object.entries(recordSchema.parse(value)).map(([key, each]) => [
      key,
      maskValue(key, each, depth + 1),
    ]),
  );
};

/**
 * Returns the JSON of a body in which every value is masked, except ids, amounts and states. The list names
 * the fields that are shown, because a list of personal fields would miss a field that a vendor adds later.
 * Returns undefined if the body is not JSON.
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
