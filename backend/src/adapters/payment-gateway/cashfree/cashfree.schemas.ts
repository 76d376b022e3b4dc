import { z } from 'zod';
import { paise, parseDecimal, type Paise } from '../../../money/index.ts';
import { textOrDigits } from '../../../platform/http-client/index.ts';
import type { GatewayDispute, GatewayOrder, GatewayPayment, GatewayRefund } from '../port.ts';
import * as facts from './cashfree.facts.ts';

/*
 * Cashfree's answers. Amounts are rupees with decimals, written as JSON numbers: they are read digit
 * by digit and never become a float. Only values that can be stored are accepted: an id is a short
 * word, an amount a safe integer of paise.
 */

/** Reads an id of ours or of Cashfree's, as text or as a number. */
export const id = textOrDigits.refine((text) => /^[\w.:-]{1,128}$/u.test(text));

/** Reads rupees into paise; half a paisa or an exponent is unreadable rather than rounded. */
export const rupees = textOrDigits.transform((text, context): Paise => {
  const value = parseDecimal(text, 2);
  if (value !== undefined && value >= 0n && value <= Number.MAX_SAFE_INTEGER) return paise(value);
  context.addIssue({ code: 'custom', message: 'not an amount in rupees' });
  return z.NEVER;
});

export const currency = z.string().regex(/^[A-Za-z]{3}$/u);

/** Reads a time; one without an offset is Indian, as `order_expiry_time` says of all of them. */
export const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?$/u)
  .transform((text) => {
    const time = text.includes('T') ? text : `${text}T00:00:00`;
    return new Date(/(?:Z|[+-]\d\d:\d\d)$/u.test(time) ? time : `${time}+05:30`);
  })
  .refine((at) => !Number.isNaN(at.getTime()));

/** Reads a payment's group as our name of the instrument; an unexpected one counts as none. */
export const method = z
  .string()
  .regex(/^[a-z_]{1,32}$/u)
  .transform(facts.methodOf)
  .nullish()
  .catch(undefined);

const optionalMethod = (name: string | null | undefined) =>
  name === undefined || name === null ? {} : { method: name };

const tags = z.record(z.string(), z.unknown()).nullish();

/** An order, with what only this adapter needs of it. */
export const orderAnswer = z
  .object({
    order_id: id,
    order_amount: rupees,
    order_currency: currency,
    order_status: z.string(),
    payment_session_id: z.string().min(1).max(512).nullish(),
    customer_details: z.object({ customer_phone: z.string().nullish() }).nullish(),
    order_tags: tags,
  })
  .transform((answer) => {
    const tag = answer.order_tags?.[facts.mandateTag];
    const order: GatewayOrder = {
      gatewayOrderId: answer.order_id,
      receipt: answer.order_id,
      amountPaise: answer.order_amount,
      currency: answer.order_currency,
      status: facts.orderStatuses[answer.order_status] ?? 'OPEN',
      ...(typeof answer.payment_session_id === 'string' && {
        checkoutSession: answer.payment_session_id,
      }),
    };
    return {
      order,
      customerPhone: answer.customer_details?.customer_phone ?? '',
      mandate: typeof tag === 'string' ? tag : undefined,
    };
  });

/**
 * Payments of an order. The amount is what the customer paid (`payment_amount`): an offer makes it
 * less than the order's, a surcharge more, and `order_amount` would hide both.
 */
export const paymentsAnswer = z.array(
  z
    .object({
      cf_payment_id: id,
      order_id: id,
      payment_amount: rupees,
      payment_currency: currency,
      payment_status: z.string(),
      is_captured: z.boolean().nullish(),
      payment_group: method,
      payment_time: moment,
    })
    .transform((payment): GatewayPayment => {
      const status = facts.paymentStatuses[payment.payment_status] ?? 'PENDING';
      // Authorised money that nobody has captured yet is no capture.
      const isHeld = status === 'CAPTURED' && payment.is_captured === false;
      return {
        gatewayPaymentId: payment.cf_payment_id,
        gatewayOrderId: payment.order_id,
        amountPaise: payment.payment_amount,
        currency: payment.payment_currency,
        status: isHeld ? 'PENDING' : status,
        ...optionalMethod(payment.payment_group),
        createdAt: payment.payment_time,
      };
    }),
);

/** A charge under a subscription; `payment_id` is the order that it was requested for. */
export const chargeAnswer = z
  .object({
    cf_payment_id: id,
    payment_id: id,
    payment_amount: rupees,
    payment_status: z.string().nullish(),
    payment_initiated_date: moment.nullish().catch(undefined),
  })
  .transform((charge) => ({
    gatewayPaymentId: charge.cf_payment_id,
    gatewayOrderId: charge.payment_id,
    amountPaise: charge.payment_amount,
    currency: facts.chargeCurrency,
    status: facts.paymentStatuses[charge.payment_status ?? ''] ?? ('PENDING' as const),
    initiatedAt: charge.payment_initiated_date ?? undefined,
  }));

/** A subscription: whose mandate it is. */
export const subscriptionAnswer = z.object({
  subscription_id: id,
  customer_details: z.object({ customer_phone: z.string() }),
});

/** Refunds of an order, each with the payment that it pays back. */
export const refundsAnswer = z.array(
  z
    .object({
      cf_refund_id: id,
      cf_payment_id: id,
      refund_amount: rupees,
      refund_status: z.string(),
      created_at: moment,
    })
    .transform((answer) => {
      const refund: GatewayRefund = {
        refundId: answer.cf_refund_id,
        amountPaise: answer.refund_amount,
        status: facts.refundStatuses[answer.refund_status] ?? 'PENDING',
        createdAt: answer.created_at,
      };
      return { gatewayPaymentId: answer.cf_payment_id, refund };
    }),
);

/** Disputes of a payment. */
export const disputesAnswer = z.array(
  z
    .object({
      dispute_id: id,
      dispute_amount: rupees,
      dispute_status: z.string(),
      created_at: moment,
    })
    .transform((dispute): GatewayDispute => ({
      disputeId: dispute.dispute_id,
      amountPaise: dispute.dispute_amount,
      status: facts.disputeStatus(dispute.dispute_status),
      createdAt: dispute.created_at,
    })),
);

/** The error body of every call. */
export const errorAnswer = z.object({
  code: z.string().nullish(),
  type: z.string().nullish(),
  message: z.string(),
});
