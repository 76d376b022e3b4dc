import { z } from 'zod';
import { parseSignedJson } from '../../../platform/http-client/index.ts';
import type {
  ParsedGatewayEvent,
  ParsedPaymentEvent,
  ParsedReversalEvent,
  UnreadableEvent,
} from '../port.ts';
import {
  amount,
  currency,
  disputeFields,
  id,
  lostAmount,
  method,
  optionalMoment,
} from './razorpay.wire.ts';

/* Pages are those of razorpay.com/docs, as in `razorpay.wire.ts`. */

/** webhooks/payments, webhooks/orders: `order.paid` contains the payment and its order. */
const paymentEvents: ReadonlyMap<string, ParsedPaymentEvent['kind']> = new Map([
  ['payment.captured', 'captured'],
  ['order.paid', 'captured'],
  ['payment.failed', 'failed'],
]);

/** webhooks/refunds, webhooks/disputes: the part of the payload that has the reversed amount. */
const reversalEvents: ReadonlyMap<
  string,
  { readonly kind: ParsedReversalEvent['kind']; readonly part: 'refund' | 'dispute' }
> = new Map([
  ['refund.processed', { kind: 'refunded', part: 'refund' }],
  ['payment.dispute.lost', { kind: 'dispute_lost', part: 'dispute' }],
]);

/** webhooks/payloads: the envelope has each part of the payload under its name. */
const eventBody = z.object({
  event: z.string().regex(/^[\w.-]{1,64}$/),
  created_at: optionalMoment,
  payload: z.record(z.string(), z.object({ entity: z.unknown() }).catch({ entity: undefined })),
});

/** The payment of an event. It may lack fields that a response has. */
const paymentOfEvent = z.object({
  id,
  order_id: id,
  amount,
  currency,
  method,
  captured: z.boolean().optional().catch(undefined),
  created_at: optionalMoment,
});

/** The refund of an event. */
const refundOfEvent = z.object({ id, payment_id: id, amount });

/** The dispute of an event, with the lost amount. */
const disputeOfEvent = disputeFields.extend({ payment_id: id }).transform((dispute) => ({
  ...dispute,
  amount: lostAmount(dispute),
}));

const unreadable: UnreadableEvent = { kind: 'unreadable' };

type Envelope = z.output<typeof eventBody>;

const readPayment = (
  { event: name }: Envelope,
  occurredAt: Date,
  kind: ParsedPaymentEvent['kind'],
  payment: z.output<typeof paymentOfEvent>,
): ParsedPaymentEvent => ({
  kind,
  name,
  gatewayOrderId: payment.order_id,
  gatewayPaymentId: payment.id,
  amountPaise: payment.amount,
  currency: payment.currency,
  ...(payment.method === undefined ? {} : { method: payment.method }),
  occurredAt,
});

const readReversal = (
  { event: name, payload }: Envelope,
  occurredAt: Date,
  { kind, part }: { kind: ParsedReversalEvent['kind']; part: 'refund' | 'dispute' },
  gatewayOrderId: string | undefined,
): ParsedReversalEvent | UnreadableEvent => {
  const schema = part === 'refund' ? refundOfEvent : disputeOfEvent;
  const read = schema.safeParse(payload[part]?.entity);
  if (!read.success || read.data.amount === 0n) return unreadable;
  const { id: reference, payment_id: gatewayPaymentId, amount: amountPaise } = read.data;
  return {
    kind,
    name,
    ...(gatewayOrderId === undefined ? {} : { gatewayOrderId }),
    gatewayPaymentId,
    reference,
    amountPaise,
    occurredAt,
  };
};

/**
 * Reads a signed webhook body. Returns `unreadable` if the service can't use it. The event's name
 * decides what happened, because the snapshot in the event may already be newer. An event without a
 * time has the time of its payment, or the current time.
 */
export const readRazorpayEvent = (
  rawBody: Buffer,
  now: Date,
): ParsedGatewayEvent | UnreadableEvent => {
  const parsed = eventBody.safeParse(parseSignedJson(rawBody));
  if (!parsed.success) return unreadable;
  const { event: name, payload, created_at: at } = parsed.data;
  const payment = paymentOfEvent.safeParse(payload['payment']?.entity);
  const occurredAt = at ?? payment.data?.created_at ?? now;
  const reversal = reversalEvents.get(name);
  // webhooks/refunds: a payment that was never captured is refunded automatically. No captured
  // money was reversed.
  const isAutoRefund = payment.success && payment.data.captured === false;
  if (reversal !== undefined && !isAutoRefund) {
    return readReversal(parsed.data, occurredAt, reversal, payment.data?.order_id);
  }
  if (!payment.success) return unreadable;
  return readPayment(parsed.data, occurredAt, paymentEvents.get(name) ?? 'other', payment.data);
};
