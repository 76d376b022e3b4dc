import { z } from 'zod';
import { meaningOf } from '../../http-texts.ts';
import { within, type RowRules } from '../../read-rows.ts';
import type { GatewayDispute, GatewayPayment, GatewayRefund } from '../port.ts';
import {
  homeCurrency,
  id,
  method,
  optionalCurrency,
  optionalMoment,
  optionalText,
  paymentStatuses,
  rupees,
} from './cashfree.wire.ts';

type Fields = Readonly<Record<string, unknown>>;

/** `PaymentEntityPaymentStatusEnum`: a payment with one of these statuses is under way. */
const openPayments: ReadonlySet<string> = new Set(['PENDING', 'NOT_ATTEMPTED']);

const optionalMethod = (name: string | null | undefined) =>
  name === undefined || name === null ? {} : { method: name };

/**
 * Payments of an order. The amount is what the customer paid (`payment_amount`): an offer makes it
 * less than the order's, a surcharge more, and `order_amount` would hide both. A payment without
 * a currency has that of its order. A payment without a time has the time now.
 */
export const paymentRows = (orderId: string, now: Date): RowRules<GatewayPayment> => ({
  entity: 'payment',
  about: { id: orderId, idOf: (row) => row['order_id'] },
  state: {
    of: (row) => row['payment_status'],
    isKnown: (name) => Object.hasOwn(paymentStatuses, name) || openPayments.has(name),
  },
  schema: z
    .object({
      cf_payment_id: id,
      payment_amount: rupees,
      payment_currency: optionalCurrency,
      order_currency: optionalCurrency,
      payment_status: optionalText,
      is_captured: z.boolean().nullish().catch(undefined),
      payment_group: method,
      payment_time: optionalMoment,
      payment_completion_time: optionalMoment,
    })
    .transform((payment): GatewayPayment => {
      const status = meaningOf(paymentStatuses, payment.payment_status, 'PENDING');
      // Authorised money that is not captured yet is not a capture.
      const isHeld = status === 'CAPTURED' && payment.is_captured === false;
      return {
        gatewayPaymentId: payment.cf_payment_id,
        gatewayOrderId: orderId,
        amountPaise: payment.payment_amount,
        currency: payment.payment_currency ?? payment.order_currency ?? homeCurrency,
        status: isHeld ? 'PENDING' : status,
        ...optionalMethod(payment.payment_group),
        createdAt: payment.payment_time ?? payment.payment_completion_time ?? now,
      };
    }),
});

/** `RefundEntityRefundStatusEnum`, `SubscriptionPaymentRefundEntity`. Any other is PENDING. */
export const refundStatuses: Readonly<Record<string, GatewayRefund['status']>> = {
  SUCCESS: 'PROCESSED',
  CANCELLED: 'FAILED',
  CANCEL: 'FAILED',
  FAILED: 'FAILED',
};

/** `RefundEntityRefundStatusEnum`: a refund with one of these statuses is under way. */
const openRefunds: ReadonlySet<string> = new Set(['PENDING', 'ONHOLD']);

const ofPayment = (paymentId: string, idOf: (row: Fields) => unknown) => ({
  id: paymentId,
  idOf,
  isMixed: true,
});

/**
 * Refunds of an order, or of one of its payments. A refund without a payment id may belong to any
 * of them, so it is not assigned to one.
 */
export const refundRows = (paymentId: string, now: Date): RowRules<GatewayRefund> => ({
  entity: 'refund',
  about: ofPayment(paymentId, (row) => row['cf_payment_id']),
  state: {
    of: (row) => row['refund_status'],
    isKnown: (name) => Object.hasOwn(refundStatuses, name) || openRefunds.has(name),
  },
  schema: z
    .object({
      cf_refund_id: id,
      cf_payment_id: id,
      refund_amount: rupees,
      refund_status: optionalText,
      created_at: optionalMoment,
      processed_at: optionalMoment,
    })
    .transform((refund) => ({
      refundId: refund.cf_refund_id,
      amountPaise: refund.refund_amount,
      status: meaningOf(refundStatuses, refund.refund_status, 'PENDING'),
      createdAt: refund.created_at ?? refund.processed_at ?? now,
    })),
});

/**
 * Reads a dispute's status, of which each stage has its own (`DisputesEntityDisputeStatusEnum`):
 * a dispute, chargeback or arbitration that we lost or accepted has taken the money away.
 */
export const disputeStatus = (status: string): GatewayDispute['status'] => {
  if (/_MERCHANT_(?:LOST|ACCEPTED)$/u.test(status)) return 'LOST';
  return status.endsWith('_MERCHANT_WON') ? 'WON' : 'OPEN';
};

/** `DisputesEntityDisputeStatusEnum`: each stage is created, received, reviewed, and ends. */
const isKnownDispute = (name: string): boolean =>
  /^[A-Z_]*(?:DISPUTE|RETRIEVAL|CHARGEBACK|ARBITRATION)_[A-Z_]+$/u.test(name);

/** Disputes of a payment. */
export const disputeRows = (paymentId: string, now: Date): RowRules<GatewayDispute> => ({
  entity: 'dispute',
  about: {
    id: paymentId,
    idOf: (row) => within(row, 'order_details')['cf_payment_id'],
  },
  state: { of: (row) => row['dispute_status'], isKnown: isKnownDispute },
  schema: z
    .object({
      dispute_id: id,
      dispute_amount: rupees,
      dispute_status: optionalText,
      created_at: optionalMoment,
    })
    .transform((dispute) => ({
      disputeId: dispute.dispute_id,
      amountPaise: dispute.dispute_amount,
      status: disputeStatus(dispute.dispute_status ?? ''),
      createdAt: dispute.created_at ?? now,
    })),
});
