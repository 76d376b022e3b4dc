import { z } from 'zod';
import {
  GRAMS_PATTERN,
  MoneyError,
  RUPEES_PATTERN,
  formatRupees,
  gramsToDatabase,
  parseGrams,
  parseRupees,
  type Grams,
  type Paise,
} from '../../money/index.ts';
import { pageOf, pageQuery } from '../../platform/http/index.ts';
import { idempotencyKeySchema } from '../../platform/idempotency/index.ts';
import { paymentMethods, paymentOrderSchema } from '../payments/index.ts';
import { payoutViewSchema } from '../payouts/index.ts';
import { goldOrderStatuses, goldOrderTypes, goldUnits, manualReviewCodes } from './gold.types.ts';
import { quoteStatuses } from './gold.types.ts';

/** What a customer wants to buy or sell. `requested` is the amount's one spelling, for what is stored. */
export type GoldAmount =
  | { readonly unit: 'INR'; readonly amountPaise: Paise; readonly requested: string }
  | { readonly unit: 'GRAMS'; readonly grams: Grams; readonly requested: string };

const amountText = z
  .union([z.string().max(32), z.number()])
  .transform(String)
  .describe('rupees with at most two decimals, or grams with at most four');

const amountShape = { unit: z.enum(goldUnits), amount: amountText };

const readAmount = (unit: 'INR' | 'GRAMS', amount: string): GoldAmount => {
  if (unit === 'INR') {
    const amountPaise = parseRupees(amount);
    return { unit, amountPaise, requested: formatRupees(amountPaise) };
  }
  const grams = parseGrams(amount);
  return { unit, grams, requested: gramsToDatabase(grams) };
};

/** The `{unit, amount}` of a body as an amount; an issue at `amount` where it is none. */
const toAmount = (
  { unit, amount }: { readonly unit: 'INR' | 'GRAMS'; readonly amount: string },
  context: z.RefinementCtx,
): GoldAmount => {
  try {
    return readAmount(unit, amount);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    context.addIssue({ code: 'custom', path: ['amount'], message: error.message });
    return z.NEVER;
  }
};

export const quoteBody = z.object(amountShape).transform(toAmount);

export const buyBody = z
  .object({ ...amountShape, idempotency_key: idempotencyKeySchema })
  .transform((body, context) => ({ ...toAmount(body, context), key: body.idempotency_key }));

export const sellBody = z
  .object({
    ...amountShape,
    bank_account_id: z.uuid(),
    idempotency_key: idempotencyKeySchema,
    quote_id: z.uuid().optional(),
  })
  .transform((body, context) => ({
    amount: toAmount(body, context),
    bankAccountId: body.bank_account_id,
    quoteId: body.quote_id,
    key: body.idempotency_key,
  }));

export const payQuoteBody = z.object({
  quote_id: z.uuid(),
  idempotency_key: idempotencyKeySchema,
  method: z.enum(paymentMethods).optional(),
  terms_accepted: z.boolean().optional(),
});

const paiseInt = z.int().min(0);
const gramsText = z.string().regex(/^\d{1,12}\.\d{4,8}$/u);
const rupeesText = z.string().regex(RUPEES_PATTERN);

const quoteHead = {
  id: z.uuid(),
  unit: z.enum(goldUnits),
  amount: z.string().regex(new RegExp(`${RUPEES_PATTERN.source}|${GRAMS_PATTERN.source}`, 'u')),
  grams: gramsText,
  pricePerGramPaise: paiseInt,
  status: z.enum(quoteStatuses),
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
};

export const buyQuoteView = z.object({
  ...quoteHead,
  kind: z.literal('BUY'),
  goldValuePaise: paiseInt,
  gstPaise: paiseInt,
  totalPaise: paiseInt,
});

export const sellQuoteView = z.object({
  ...quoteHead,
  kind: z.literal('SELL'),
  proceedsPaise: paiseInt,
  /** Zero (interface, gate 5). */
  withheldPaise: z.literal(0),
});

/** A quote of either kind. */
export const quoteView = z.discriminatedUnion('kind', [buyQuoteView, sellQuoteView]);

/** A gold order of any type. Null until known: an installment's figures, a buy's proceeds. */
export const goldOrderView = z.object({
  id: z.uuid(),
  type: z.enum(goldOrderTypes),
  status: z.enum(goldOrderStatuses),
  amount_inr: rupeesText,
  grams: gramsText.nullable(),
  price_per_gram_paise: paiseInt.nullable(),
  gold_value_paise: paiseInt.nullable(),
  gst_paise: paiseInt.nullable(),
  rounding_paise: z.int().nullable(),
  proceeds_paise: paiseInt.nullable(),
  quote_id: z.uuid().nullable(),
  sg_tx_id: z.string().nullable(),
  expires_at: z.iso.datetime().nullable(),
  manual_review_code: z.enum(manualReviewCodes).nullable(),
  manual_review_reason: z.string().nullable(),
  refund_reference: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const goldOrderPage = pageOf(goldOrderView);

export const buyView = z.object({
  order: goldOrderView,
  payment: paymentOrderSchema,
  sg_tx_id: z.string(),
  expires_at: z.iso.datetime(),
});

/** `payout` is there from the confirmation on. */
export const sellView = z.object({ order: goldOrderView, payout: payoutViewSchema.nullable() });

export const ordersQuery = pageQuery.extend({
  status: z.enum(goldOrderStatuses).optional(),
  type: z.enum(goldOrderTypes).optional(),
});

export const adminOrdersQuery = ordersQuery.extend({
  userId: z.uuid().optional(),
  q: z.string().trim().min(1).max(128).optional(),
});

/** What operators see in a list. */
export const adminOrderRow = goldOrderView.extend({ user_id: z.uuid() });

export const adminOrderPage = pageOf(adminOrderRow);

export const adminOrderView = adminOrderRow.extend({
  provider_amount_paise: paiseInt.nullable(),
  price_difference_paise: z.int().nullable(),
  payout: payoutViewSchema.nullable(),
  payments: z.array(paymentOrderSchema),
  events: z.array(
    z.object({
      from: z.string().nullable(),
      to: z.string(),
      cause: z.string(),
      actor: z.string(),
      requestId: z.string().nullable(),
      at: z.iso.datetime(),
    }),
  ),
});
