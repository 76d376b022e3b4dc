import { z } from 'zod';
import { parseSignedJson } from '../../../platform/http-client/index.ts';
import type { ParsedGatewayEvent, UnreadableEvent } from '../port.ts';
import * as charges from './cashfree-charges.wire.ts';
import * as payments from './cashfree-payments.wire.ts';
import * as wire from './cashfree.wire.ts';

/** payments/webhooks, subscription/webhooks: the events that report how a payment ended. */
const paymentEvents: ReadonlyMap<string, 'captured' | 'failed'> = new Map([
  ['PAYMENT_SUCCESS_WEBHOOK', 'captured'],
  ['PAYMENT_FAILED_WEBHOOK', 'failed'],
  // The customer left the checkout. If the bank pays nevertheless, a success follows.
  ['PAYMENT_USER_DROPPED_WEBHOOK', 'failed'],
]);

const chargeEvents: ReadonlyMap<string, 'captured' | 'failed'> = new Map([
  ['SUBSCRIPTION_PAYMENT_SUCCESS', 'captured'],
  ['SUBSCRIPTION_PAYMENT_FAILED', 'failed'],
  ['SUBSCRIPTION_PAYMENT_CANCELLED', 'failed'],
]);

const envelope = z.object({
  type: z.string().regex(/^[\w.-]{1,64}$/u),
  event_time: wire.moment.nullish().catch(undefined),
  data: z.record(z.string(), z.unknown()),
});

/** payments/webhooks */
const paymentData = z.object({
  order: z.object({ order_id: wire.id, order_currency: wire.optionalCurrency }),
  payment: z.object({
    cf_payment_id: wire.id,
    payment_amount: wire.rupees,
    payment_currency: wire.optionalCurrency,
    payment_group: wire.method,
    is_captured: z.boolean().nullish().catch(undefined),
  }),
});

/** subscription/webhooks: `payment_id` is the id of the order for which the charge was requested. */
const chargeData = z.object({
  payment_id: wire.id,
  cf_payment_id: wire.id,
  payment_amount: wire.rupees,
  payment_currency: wire.optionalCurrency,
  payment_type: z.string().nullish().catch(undefined),
});

const positiveRupees = wire.rupees.refine((amount) => amount > 0n);

/** refunds/webhooks, and the refunds of subscriptions. An automatic refund may name no order. */
const refundData = z.object({
  cf_refund_id: wire.id,
  cf_payment_id: wire.id,
  order_id: wire.id.nullish().catch(undefined),
  refund_amount: positiveRupees,
  refund_status: z.string(),
});

/** disputes/dispute-webhooks */
const disputeData = z.object({
  dispute: z.object({
    dispute_id: wire.id,
    dispute_amount: positiveRupees,
    dispute_status: z.string(),
  }),
  order_details: z.object({
    order_id: wire.id.nullish().catch(undefined),
    cf_payment_id: wire.id,
  }),
});

interface Envelope {
  readonly name: string;
  readonly occurredAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

type Read = (event: Envelope) => ParsedGatewayEvent | undefined;

const orderOf = (orderId: string | null | undefined) =>
  orderId === undefined || orderId === null ? {} : { gatewayOrderId: orderId };

const readPayment: Read = ({ name, occurredAt, data }) => {
  const read = paymentData.safeParse(data);
  if (!read.success) return undefined;
  const { order, payment } = read.data;
  const { payment_group: group } = payment;
  return {
    // Authorised money that is not captured yet is not a capture.
    kind: payment.is_captured === false ? 'other' : (paymentEvents.get(name) ?? 'other'),
    name,
    gatewayOrderId: order.order_id,
    gatewayPaymentId: payment.cf_payment_id,
    amountPaise: payment.payment_amount,
    currency: payment.payment_currency ?? order.order_currency ?? wire.homeCurrency,
    ...(group === undefined || group === null ? {} : { method: group }),
    occurredAt,
  };
};

const readCharge: Read = ({ name, occurredAt, data }) => {
  const read = chargeData.safeParse(data);
  if (!read.success) return undefined;
  const charge = read.data;
  // The type is optional in the types of `cashfree-pg`. Without a type, the payment is a charge.
  const isCharge = (charge.payment_type ?? charges.chargeType) === charges.chargeType;
  return {
    // The authorisation of a mandate is a payment too, but not for an order.
    kind: isCharge ? (chargeEvents.get(name) ?? 'other') : 'other',
    name,
    gatewayOrderId: charge.payment_id,
    gatewayPaymentId: charge.cf_payment_id,
    amountPaise: charge.payment_amount,
    currency: charge.payment_currency ?? charges.chargeCurrency,
    occurredAt,
  };
};

const readRefund =
  (partOf: (data: Envelope['data']) => unknown): Read =>
  ({ name, occurredAt, data }) => {
    const read = refundData.safeParse(partOf(data));
    if (!read.success) return undefined;
    const refund = read.data;
    if (payments.refundStatuses[refund.refund_status] !== 'PROCESSED') return undefined;
    return {
      kind: 'refunded',
      name,
      ...orderOf(refund.order_id),
      gatewayPaymentId: refund.cf_payment_id,
      reference: refund.cf_refund_id,
      amountPaise: refund.refund_amount,
      occurredAt,
    };
  };

const readDispute: Read = ({ name, occurredAt, data }) => {
  const read = disputeData.safeParse(data);
  if (!read.success) return undefined;
  const { dispute, order_details: order } = read.data;
  if (payments.disputeStatus(dispute.dispute_status) !== 'LOST') return undefined;
  return {
    kind: 'dispute_lost',
    name,
    ...orderOf(order.order_id),
    gatewayPaymentId: order.cf_payment_id,
    reference: dispute.dispute_id,
    amountPaise: dispute.dispute_amount,
    occurredAt,
  };
};

/** The readers of all events that can have an effect. A dispute may be lost at any of its stages. */
const readers: ReadonlyMap<string, Read> = new Map([
  ...[...paymentEvents.keys()].map((name): [string, Read] => [name, readPayment]),
  ...[...chargeEvents.keys()].map((name): [string, Read] => [name, readCharge]),
  ['REFUND_STATUS_WEBHOOK', readRefund(({ refund }) => refund)],
  ['AUTO_REFUND_STATUS_WEBHOOK', readRefund(({ auto_refund: refund }) => refund)],
  // The `payment_id` of a charge's refund is the id of the order.
  ['SUBSCRIPTION_REFUND_STATUS', readRefund((data) => ({ ...data, order_id: data['payment_id'] }))],
  ['DISPUTE_CREATED', readDispute],
  ['DISPUTE_UPDATED', readDispute],
  ['DISPUTE_CLOSED', readDispute],
]);

/**
 * Reads a signed webhook body. Returns `unreadable` if the service can't use it. An event without a
 * time has the current time.
 */
export const readCashfreeEvent = (
  rawBody: Buffer,
  now: Date,
): ParsedGatewayEvent | UnreadableEvent => {
  const parsed = envelope.safeParse(parseSignedJson(rawBody));
  if (!parsed.success) return { kind: 'unreadable' };
  const { type: name, event_time: at, data } = parsed.data;
  const occurredAt = at ?? now;
  // Any other event about a payment is stored as `other`.
  const read = readers.get(name) ?? readPayment;
  return read({ name, occurredAt, data }) ?? { kind: 'unreadable' };
};
