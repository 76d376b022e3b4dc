import { z } from 'zod';
import { paise, parseDecimal, type Paise } from '../../../money/index.ts';
import { decimalText, textOrDigits } from '../../../platform/http-client/index.ts';
import { meaningOf } from '../../http-texts.ts';
import { within, type RowRules } from '../../read-rows.ts';
import type { GatewayDispute, GatewayOrder, GatewayPayment, GatewayRefund } from '../port.ts';
import {
  chargeCurrency,
  disputeStatus,
  homeCurrency,
  isKnownDispute,
  mandateTag,
  methodOf,
  openPayments,
  openRefunds,
  orderStatuses,
  paymentStatuses,
  refundStatuses,
} from './cashfree.wire.ts';

/*
 * Cashfree's answers. Amounts are rupees with decimals, written as JSON numbers: they are read
 * digit by digit and never become a float. Only values that can be stored are accepted: an id is a
 * short word, an amount a safe integer of paise.
 */

/** Reads an id, ours or Cashfree's, as text or as a number. */
export const id = textOrDigits.refine((text) => /^[\w.:-]{1,128}$/u.test(text));

/**
 * Reads rupees into paise, also where they are printed in exponent form, such as 1.0005E+3. Half a
 * paisa is unreadable rather than rounded.
 */
export const rupees = decimalText.transform((text, context): Paise => {
  const value = parseDecimal(text, 2);
  if (value !== undefined && value >= 0n && value <= Number.MAX_SAFE_INTEGER) return paise(value);
  context.addIssue({ code: 'custom', message: 'not an amount in rupees' });
  return z.NEVER;
});

const currency = z.string().regex(/^[A-Za-z]{3}$/u);

/** Reads a time. One without an offset is Indian, as `order_expiry_time` says of all of them. */
export const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?$/u)
  .transform((text) => {
    const time = text.includes('T') ? text : `${text}T00:00:00`;
    return new Date(/(?:Z|[+-]\d\d:\d\d)$/u.test(time) ? time : `${time}+05:30`);
  })
  .refine((at) => !Number.isNaN(at.getTime()));

/** Reads a payment's group as our name of the instrument. An unexpected one counts as none. */
export const method = z
  .string()
  .regex(/^[a-z_]{1,32}$/u)
  .transform(methodOf)
  .nullish()
  .catch(undefined);

const optionalMethod = (name: string | null | undefined) =>
  name === undefined || name === null ? {} : { method: name };

const tags = z.record(z.string(), z.unknown()).nullish();

/** The types of `cashfree-pg` call every field of an answer optional. */
const optionalText = z.string().nullish().catch(undefined);
const optionalMoment = moment.nullish().catch(undefined);
export const optionalCurrency = currency.nullish().catch(undefined);

/** An order, with what only this adapter needs of it. */
export const orderAnswer = z
  .object({
    order_id: id,
    order_amount: rupees,
    order_currency: currency,
    order_status: optionalText,
    payment_session_id: z.string().min(1).max(512).nullish().catch(undefined),
    customer_details: z
      .object({ customer_phone: textOrDigits.nullish() })
      .nullish()
      .catch(undefined),
    order_tags: tags.catch(undefined),
  })
  .transform((answer) => {
    const tag = answer.order_tags?.[mandateTag];
    const order: GatewayOrder = {
      gatewayOrderId: answer.order_id,
      receipt: answer.order_id,
      amountPaise: answer.order_amount,
      currency: answer.order_currency,
      status: meaningOf<GatewayOrder['status']>(orderStatuses, answer.order_status, 'UNKNOWN'),
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

type Fields = Readonly<Record<string, unknown>>;

/** Every list. */
export const listAnswer = z.array(z.unknown());

/**
 * Payments of an order. The amount is what the customer paid (`payment_amount`): an offer makes it
 * less than the order's, a surcharge more, and `order_amount` would hide both. A payment that names
 * no currency is in its order's, and one that names no time counts from now.
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

/**
 * A charge under a subscription. `payment_id` is the order that it was requested for. Before it has
 * been presented it may have no id at Cashfree, and is identified by the order until then.
 */
export const chargeAnswer = z
  .object({
    cf_payment_id: id.nullish().catch(undefined),
    payment_id: id,
    payment_amount: rupees,
    payment_status: optionalText,
    payment_initiated_date: optionalMoment,
  })
  .refine(
    ({ cf_payment_id: given, payment_status: status }) =>
      typeof given === 'string' || meaningOf(paymentStatuses, status, 'PENDING') !== 'CAPTURED',
    { path: ['cf_payment_id'], message: 'a charge that was paid has an id' },
  )
  .transform((charge) => ({
    gatewayPaymentId: charge.cf_payment_id ?? charge.payment_id,
    gatewayOrderId: charge.payment_id,
    amountPaise: charge.payment_amount,
    currency: chargeCurrency,
    status: meaningOf<GatewayPayment['status']>(paymentStatuses, charge.payment_status, 'PENDING'),
    initiatedAt: charge.payment_initiated_date ?? undefined,
  }));

/** A subscription: whose mandate it is, where Cashfree says so. */
export const subscriptionAnswer = z.object({
  subscription_id: id,
  customer_details: z.object({ customer_phone: textOrDigits.nullish() }).nullish().catch(undefined),
});

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

/**
 * `ApiError404` and its like: the error body of every call. A proxy before the API answers with a
 * message too, but with neither code nor type, and knows nothing about any order.
 */
export const errorAnswer = z
  .object({
    code: z.string().nullish(),
    type: z.string().nullish(),
    message: z
      .string()
      .nullish()
      .transform((message) => message ?? ''),
  })
  .refine(({ code, type }) => ((code ?? '') || (type ?? '')) !== '');
