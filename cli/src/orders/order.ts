import { z } from 'zod';

const paise = z.int();

const payment = z.object({
  id: z.string(),
  gateway: z.string(),
  gateway_order_id: z.string().nullable(),
  amount_paise: paise,
  currency: z.string(),
  status: z.string(),
  method: z.string().nullable(),
  created_at: z.string(),
  paid_at: z.string().nullable(),
});

const payout = z.object({
  id: z.string(),
  accountLast4: z.string(),
  amountPaise: paise,
  status: z.string(),
  mode: z.string(),
  utr: z.string().nullable(),
  attempt: z.int(),
  failureReason: z.string().nullable(),
  createdAt: z.string(),
  paidAt: z.string().nullable(),
});

const event = z.object({
  from: z.string().nullable(),
  to: z.string(),
  cause: z.string(),
  actor: z.string(),
  requestId: z.string().nullable(),
  at: z.string(),
});

/** A gold order as `GET /orders/:id` of the admin API answers it. Null is what is not known yet. */
export const orderAnswer = z.object({
  id: z.string(),
  user_id: z.string(),
  type: z.string(),
  status: z.string(),
  amount_inr: z.string(),
  grams: z.string().nullable(),
  price_per_gram_paise: paise.nullable(),
  gold_value_paise: paise.nullable(),
  gst_paise: paise.nullable(),
  rounding_paise: paise.nullable(),
  proceeds_paise: paise.nullable(),
  provider_amount_paise: paise.nullable(),
  price_difference_paise: paise.nullable(),
  quote_id: z.string().nullable(),
  sg_tx_id: z.string().nullable(),
  expires_at: z.string().nullable(),
  manual_review_code: z.string().nullable(),
  manual_review_reason: z.string().nullable(),
  refund_reference: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  payments: z.array(payment),
  payout: payout.nullable(),
  events: z.array(event),
});

export type Order = z.infer<typeof orderAnswer>;
export type OrderPayment = z.infer<typeof payment>;
export type OrderPayout = z.infer<typeof payout>;
export type OrderEvent = z.infer<typeof event>;
