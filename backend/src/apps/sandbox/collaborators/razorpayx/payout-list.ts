import { z } from 'zod';
import type { Payout } from './razorpayx-types.ts';

const count = (otherwise: number, minimum: number, maximum: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(otherwise);

/** Query of GET payouts (page payouts/fetch-all). */
export const listSchema = z.object({
  account_number: z.string(),
  reference_id: z.string().optional(),
  fund_account_id: z.string().optional(),
  status: z.string().optional(),
  mode: z.string().optional(),
  from: z.coerce.number().int().optional(),
  to: z.coerce.number().int().optional(),
  count: count(10, 1, 100),
  skip: count(0, 0, Number.MAX_SAFE_INTEGER),
});

/** The page that was asked for, of payouts in the order in which they are given. */
export const pageOf = (
  payouts: readonly Payout[],
  asked: z.output<typeof listSchema>,
): readonly Payout[] =>
  payouts
    .filter(
      (payout) =>
        (asked.reference_id ?? payout.reference_id) === payout.reference_id &&
        (asked.fund_account_id ?? payout.fund_account_id) === payout.fund_account_id &&
        (asked.status ?? payout.status) === payout.status &&
        (asked.mode ?? payout.mode) === payout.mode &&
        (asked.from ?? 0) <= payout.created_at &&
        payout.created_at <= (asked.to ?? Number.MAX_SAFE_INTEGER),
    )
    .slice(asked.skip, asked.skip + asked.count);
