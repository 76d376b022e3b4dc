import { z } from 'zod';
import { checkIds } from '../reconciliation/index.ts';

/** The kinds of open work, with the open states of each. */
export const openStates = {
  buy: ['PENDING', 'PAID', 'RETRY_PENDING', 'MANUAL_REVIEW'],
  installment: ['PENDING', 'PAID', 'RETRY_PENDING', 'MANUAL_REVIEW'],
  sale: ['PENDING', 'VERIFIED', 'CONFIRMED'],
  payout: ['PENDING', 'HELD', 'PROCESSING', 'FAILED', 'REVERSED'],
  product_order: ['PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED'],
  review: [
    'AMOUNT_MISMATCH',
    'CURRENCY_MISMATCH',
    'LATE_CAPTURE',
    'PROVIDER_LOCK_EXPIRED',
    'ALLOCATION_EXHAUSTED',
    'GRAMS_MISMATCH',
    'FAILED_AFTER_PAID',
    'SECOND_CAPTURE',
    'SELL_UNKNOWN_OUTCOME',
    'SELL_REFUSED_AFTER_VERIFY',
    'PAYMENT_REVERSED',
  ],
  debit: ['INTENDED', 'UNKNOWN'],
  payment: ['UNMATCHED'],
  kyc: ['SUBMITTED'],
  ticket: ['OPEN', 'IN_PROGRESS'],
  webhook: ['PENDING', 'UNMATCHED'],
  evidence: ['ENDING'],
  call: [
    'deployment',
    'validation',
    'debit',
    'payout',
    'gateway_order',
    'allocation',
    'sale_verify',
    'sale_confirm',
  ],
} as const;

export type OpenKind = keyof typeof openStates;

export const openKinds = Object.keys(openStates) as readonly OpenKind[];

/** The number of open rows of one kind and state, and the start of the oldest wait. */
const openWork = z.object({
  kind: z.string(),
  state: z.string(),
  count: z.int().min(0),
  oldestAt: z.coerce.date().nullable(),
});
const check = z.object({ id: z.enum(checkIds), count: z.int().min(0), isError: z.boolean() });
const invariantFindings = z.object({ invariant: z.int(), count: z.int().min(0), errors: z.int() });
const drift = z.object({ place: z.string(), amount: z.string() });

/** All figures, as one replica stores them for the others. */
export const figuresSchema = z.object({
  open: z.array(openWork),
  price: z.object({ asOf: z.coerce.date(), mark: z.coerce.date() }).nullable(),
  gates: z.object({ buy: z.boolean(), sell: z.boolean() }),
  report: z.object({ at: z.coerce.date(), checks: z.array(check) }).nullable(),
  rules: z
    .object({
      at: z.coerce.date(),
      invariants: z.array(invariantFindings),
      drift: z.array(drift),
    })
    .nullable(),
});
export type Figures = z.infer<typeof figuresSchema>;
