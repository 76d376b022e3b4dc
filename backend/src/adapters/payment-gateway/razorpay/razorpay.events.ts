import { z } from 'zod';
import type { ParsedPaymentEvent, ParsedReversalEvent } from '../port.ts';
import {
  amount,
  currency,
  disputeFields,
  id,
  lostAmount,
  method,
  optionalMoment,
} from './razorpay.wire.ts';

/* What Razorpay's webhooks carry. Pages are those of razorpay.com/docs, as in `razorpay.wire.ts`. */

/** webhooks/payments, webhooks/orders: `order.paid` contains the payment and its order. */
export const paymentEvents: ReadonlyMap<string, ParsedPaymentEvent['kind']> = new Map([
  ['payment.captured', 'captured'],
  ['order.paid', 'captured'],
  ['payment.failed', 'failed'],
]);

/** webhooks/refunds, webhooks/disputes: the part of the payload that says what went away. */
export const reversalEvents: ReadonlyMap<
  string,
  { readonly kind: ParsedReversalEvent['kind']; readonly part: 'refund' | 'dispute' }
> = new Map([
  ['refund.processed', { kind: 'refunded', part: 'refund' }],
  ['payment.dispute.lost', { kind: 'dispute_lost', part: 'dispute' }],
]);

/** webhooks/payloads: the envelope, with each part of the payload under its name. */
export const eventBody = z.object({
  event: z.string().regex(/^[\w.-]{1,64}$/),
  created_at: optionalMoment,
  payload: z.record(z.string(), z.object({ entity: z.unknown() }).catch({ entity: undefined })),
});

/** The payment of an event: its snapshot may lack what an answer has. */
export const paymentOfEvent = z.object({
  id,
  order_id: id,
  amount,
  currency,
  method,
  captured: z.boolean().optional().catch(undefined),
  created_at: optionalMoment,
});

/** The refund of an event. */
export const refundOfEvent = z.object({ id, payment_id: id, amount });

/** The dispute of an event, its amount what was lost. */
export const disputeOfEvent = disputeFields.extend({ payment_id: id }).transform((dispute) => ({
  ...dispute,
  amount: lostAmount(dispute),
}));
