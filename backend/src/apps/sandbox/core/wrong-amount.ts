import { formatDecimal, parseDecimal } from '../../../money/index.ts';
import type { Operation } from './collaborator.ts';
import { jsonDecimal } from './wire-json.ts';

type Misstate = NonNullable<Operation['misstate']>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Implements the fault `wrong_amount` for a decimal field. It adds `by` to the last place. */
export const overstateDecimal =
  (field: string, decimals: number, by = 1n): Misstate =>
  (body) => {
    const value = parseDecimal(String(body[field]), decimals);
    if (value === undefined) return body;
    return { ...body, [field]: jsonDecimal(formatDecimal(value + by, decimals)) };
  };

const withRupeeAdded = (body: unknown, field: string): unknown => {
  if (!isRecord(body)) return body;
  const paise = body[field];
  return typeof paise === 'number' ? { ...body, [field]: paise + 100 } : body;
};

/** Implements the fault `wrong_amount` for a field in paise. It adds one rupee. */
export const overstatePaise =
  (field: string): Misstate =>
  (body) =>
    withRupeeAdded(body, field);

/** Implements the fault `wrong_amount` for a list. It adds one rupee in each of the `items`. */
export const overstateItems =
  (field: string): Misstate =>
  (body) =>
    Array.isArray(body['items'])
      ? { ...body, items: body['items'].map((item) => withRupeeAdded(item, field)) }
      : body;
