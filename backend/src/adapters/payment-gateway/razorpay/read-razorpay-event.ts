import type { z } from 'zod';
import { parseSignedJson } from '../../../platform/http-client/index.ts';
import type {
  ParsedGatewayEvent,
  ParsedPaymentEvent,
  ParsedReversalEvent,
  UnreadableEvent,
} from '../port.ts';
import {
  paymentEvents,
  reversalEvents,
  disputeOfEvent,
  eventBody,
  paymentOfEvent,
  refundOfEvent,
} from './razorpay.wire.ts';

const unreadable: UnreadableEvent = { kind: 'unreadable' };

type Envelope = z.output<typeof eventBody>;

const readPayment = (
  { event: name, created_at: occurredAt }: Envelope,
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
  { event: name, created_at: occurredAt, payload }: Envelope,
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
 * A signed webhook body in our words; `unreadable` when it is none of ours to understand. The
 * event's name decides what happened: the snapshot beside it may already say more.
 */
export const readRazorpayEvent = (rawBody: Buffer): ParsedGatewayEvent | UnreadableEvent => {
  const parsed = eventBody.safeParse(parseSignedJson(rawBody));
  if (!parsed.success) return unreadable;
  const { event: name, payload } = parsed.data;
  const payment = paymentOfEvent.safeParse(payload['payment']?.entity);
  const reversal = reversalEvents.get(name);
  // webhooks/refunds: a payment that was never captured is refunded by itself. No money of ours
  // went away.
  const isAutoRefund = payment.success && payment.data.captured === false;
  if (reversal !== undefined && !isAutoRefund) {
    return readReversal(parsed.data, reversal, payment.success ? payment.data.order_id : undefined);
  }
  if (!payment.success) return unreadable;
  return readPayment(parsed.data, paymentEvents.get(name) ?? 'other', payment.data);
};
