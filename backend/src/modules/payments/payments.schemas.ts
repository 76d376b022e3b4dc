import { z } from 'zod';
import { paymentOrderStatuses } from './payments.types.ts';

const shortText = (maxLength: number) =>
  z.string().min(1, 'must not be empty').max(maxLength, `has at most ${maxLength} characters`);

/** What a client hands to its checkout; no secret inside. */
export const checkoutSchema = z.object({
  provider: z.string(),
  public_key: z.string(),
  gateway_order_id: z.string(),
  amount_minor: z.int().positive(),
  currency: z.string(),
});

/** A payment order as its customer sees it (decisions, section 4). */
export const paymentOrderSchema = z.object({
  id: z.uuid(),
  order_id: z.uuid(),
  gateway: z.string(),
  gateway_order_id: z.string().nullable(),
  amount_paise: z.int().positive(),
  currency: z.string(),
  status: z.enum(paymentOrderStatuses),
  method: z.string().nullable(),
  checkout: checkoutSchema.optional(),
  created_at: z.iso.datetime(),
  paid_at: z.iso.datetime().nullable(),
});

/** What the checkout gave to the customer's device. */
export const verifyBodySchema = z.object({
  gateway_order_id: shortText(128),
  gateway_payment_id: shortText(128),
  signature: shortText(512),
});

export const verifyReplySchema = z.object({
  verified: z.literal(true),
  payment: paymentOrderSchema,
});

export const webhookParamsSchema = z.object({ gateway: z.string().max(64) });

export const webhookReplySchema = z.object({
  received: z.literal(true),
  duplicate: z.literal(true).optional(),
});

export type PaymentOrderView = z.output<typeof paymentOrderSchema>;
export type VerifyBody = z.output<typeof verifyBodySchema>;
