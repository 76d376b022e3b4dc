import { z } from 'zod';
import { badRequest } from '../razorpayx/razorpayx.wire.ts';

const currency = z.string().regex(/^[A-Z]{3}$/u);
const amount = z.number().int().min(100).max(Number.MAX_SAFE_INTEGER);

/**
 * Describes notes: at most 15 pairs of at most 256 characters each. An empty list means no notes.
 */
const notes = z
  .union([
    z
      .record(z.string(), z.union([z.string().max(256), z.number()]))
      .refine((pairs) => Object.keys(pairs).length <= 15),
    z.array(z.never()),
  ])
  .default([]);

/** Describes the body of POST orders (page api/orders/create). */
export const orderSchema = z.object({
  amount,
  currency,
  receipt: z.string().min(1).max(40),
  notes,
  partial_payment: z.literal(false).optional(),
});

/** Describes the body of POST payments/create/recurring (page create-subsequent-payments). */
export const recurringSchema = z.object({
  email: z.string().min(3),
  contact: z.union([z.string().min(8), z.number()]),
  amount,
  currency,
  order_id: z.string().min(1),
  customer_id: z.string().min(1),
  token: z.string().min(1),
  recurring: z.union([z.literal('1'), z.literal(1), z.literal(true)]),
  notes,
});

/**
 * Describes the body of POST payments/:id/refund. Without an amount, the whole remaining amount is
 * refunded.
 */
export const refundSchema = z.object({ amount: z.number().int().min(1).optional() });

/** Describes the requested page of a list: 10 rows by default, 100 at most. */
export const pageSchema = z.object({
  count: z.coerce.number().int().min(1).max(100).default(10),
  skip: z.coerce.number().int().min(0).default(0),
  receipt: z.string().optional(),
  from: z.coerce.number().int().optional(),
  to: z.coerce.number().int().optional(),
});

/** Refuses a receipt that another order already has (page test-s2s/error-index). */
export const usedReceipt = badRequest('Order receipt should be unique.', 'receipt');

/** Refuses a payment for an order that was already paid. */
export const alreadyPaid = badRequest('Order already paid', 'order_id');
