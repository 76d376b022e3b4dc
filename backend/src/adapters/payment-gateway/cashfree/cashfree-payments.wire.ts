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

/** `PaymentEntityPaymentStatusEnum`: a payment with one of these statuses is in progress. */
const openPayments: ReadonlySet<string> = new Set(['PENDING', 'NOT_ATTEMPTED']);

const optionalMethod = (name: string | null | undefined) =>
  name === undefined || name === null ? {} : { method: name };

/**
 * Rules for the payments of an order. The amount is `payment_amount`, which the customer paid. It may
 * be less than `order_amount` by an offer, or more by a surcharge. A payment without a currency has
 * the currency of its order. A payment without a time has the current time.
 */
export const paymentRows = (orderId: string, now: Date): RowRules<GatewayPayment> => ({
  entity: 'payment',
  subject: { id: orderId, idOf: (row) => row['order_id'] },
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

/** `RefundEntityRefundStatusEnum`, `SubscriptionPaymentRefundEntity`. Any other status is PENDING. */
export const refundStatuses: Readonly<Record<string, GatewayRefund['status']>> = {
  SUCCESS: 'PROCESSED',
  CANCELLED: 'FAILED',
  CANCEL: 'FAILED',
  FAILED: 'FAILED',
};

/** `RefundEntityRefundStatusEnum`: a refund with one of these statuses is in progress. */
const openRefunds: ReadonlySet<string> = new Set(['PENDING', 'ONHOLD']);

const ofPayment = (paymentId: string, idOf: (row: Fields) => unknown) => ({
  id: paymentId,
  idOf,
  isMixed: true,
});

/**
 * Rules for the refunds of a payment, in a list of its order's refunds. A refund without a payment id
 * may be of any payment of the order, so it is unreadable.
 */
export const refundRows = (paymentId: string, now: Date): RowRules<GatewayRefund> => ({
  entity: 'refund',
  subject: ofPayment(paymentId, (row) => row['cf_payment_id']),
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
 * Reads a dispute's status (`DisputesEntityDisputeStatusEnum`). Each stage has its own statuses. A
 * dispute, chargeback or arbitration that the merchant lost or accepted has taken the money.
 */
export const disputeStatus = (status: string): GatewayDispute['status'] => {
  if (/_MERCHANT_(?:LOST|ACCEPTED)$/u.test(status)) return 'LOST';
  return status.endsWith('_MERCHANT_WON') ? 'WON' : 'OPEN';
};

/** `DisputesEntityDisputeStatusEnum`: the name of a status contains its stage. */
const isKnownDispute = (name: string): boolean =>
  /^[A-Z_]*(?:DISPUTE|RETRIEVAL|CHARGEBACK|ARBITRATION)_[A-Z_]+$/u.test(name);

/** Rules for the disputes of a payment. */
export const disputeRows = (paymentId: string, now: Date): RowRules<GatewayDispute> => ({
  entity: 'dispute',
  subject: {
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
