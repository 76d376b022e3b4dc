import { z } from 'zod';
import { fromSafePaise } from '../../../money/index.ts';
import { safeInteger } from '../../../platform/http-client/index.ts';
import type { GatewayDispute, GatewayOrder, GatewayPayment, GatewayRefund } from '../port.ts';
import {
  contactNote,
  debitKeyNote,
  disputeStatuses,
  orderStatuses,
  paymentStatuses,
  refundStatuses,
} from './razorpay.facts.ts';

/*
 * Razorpay's answers and events. Only values that can be stored are accepted: an id is a short
 * word, an amount a safe integer of paise read from its digits.
 */

const id = z.string().regex(/^\w{1,64}$/);
const amount = safeInteger.refine((value) => value >= 0).transform(fromSafePaise);
const currency = z.string().regex(/^[A-Za-z]{3}$/);
const method = z
  .string()
  .regex(/^[a-z_]{1,32}$/)
  .optional()
  .catch(undefined);
const moment = safeInteger
  .refine((seconds) => seconds > 0 && seconds < 100_000_000_000)
  .transform((seconds) => new Date(seconds * 1000));

/** Accepts the names of a table of statuses; an answer with another status can't be read. */
const nameOf = <T extends Readonly<Record<string, string>>>(table: T) =>
  z.custom<keyof T & string>((value) => typeof value === 'string' && Object.hasOwn(table, value));

/** api/orders/entity */
export const orderAnswer = z
  .object({
    id,
    receipt: z.string().nullable(),
    amount,
    currency,
    status: nameOf(orderStatuses),
  })
  .transform((order): GatewayOrder => ({
    gatewayOrderId: order.id,
    receipt: order.receipt ?? '',
    amountPaise: order.amount,
    currency: order.currency,
    status: orderStatuses[order.status],
  }));

/** A payment of an order, with the key of the debit that it is, if it is one. */
export interface ListedPayment extends GatewayPayment {
  readonly debitKey?: string;
}

/** api/payments/entity; `notes` is an empty list where there are none. */
const paymentAnswer = z
  .object({
    id,
    order_id: id,
    amount,
    currency,
    method,
    status: nameOf(paymentStatuses),
    notes: z.object({ [debitKeyNote]: z.string().optional() }).catch({}),
    created_at: moment,
  })
  .transform((payment): ListedPayment => {
    const { [debitKeyNote]: debitKey } = payment.notes;
    return {
      gatewayPaymentId: payment.id,
      gatewayOrderId: payment.order_id,
      amountPaise: payment.amount,
      currency: payment.currency,
      status: paymentStatuses[payment.status],
      ...(payment.method === undefined ? {} : { method: payment.method }),
      createdAt: payment.created_at,
      ...(debitKey === undefined ? {} : { debitKey }),
    };
  });

/** api/refunds/entity */
const refundAnswer = z
  .object({ id, amount, status: nameOf(refundStatuses), created_at: moment })
  .transform((refund): GatewayRefund => ({
    refundId: refund.id,
    amountPaise: refund.amount,
    status: refundStatuses[refund.status],
    createdAt: refund.created_at,
  }));

const disputeFields = z.object({
  id,
  payment_id: id,
  amount,
  amount_deducted: amount.nullish().catch(undefined),
});

/** Returns what a lost dispute took: what was deducted, else what was disputed. */
const lostAmount = ({
  amount: disputed,
  amount_deducted: deducted,
}: z.output<typeof disputeFields>) =>
  deducted === null || deducted === undefined || deducted === 0n ? disputed : deducted;

/** A dispute, with the payment that it is about. */
interface ListedDispute extends GatewayDispute {
  readonly gatewayPaymentId: string;
}

/** api/disputes/entity */
const disputeAnswer = disputeFields
  .extend({ status: nameOf(disputeStatuses), created_at: moment })
  .transform((dispute): ListedDispute => {
    const status = disputeStatuses[dispute.status];
    return {
      disputeId: dispute.id,
      gatewayPaymentId: dispute.payment_id,
      amountPaise: status === 'LOST' ? lostAmount(dispute) : dispute.amount,
      status,
      createdAt: dispute.created_at,
    };
  });

/** api/orders/fetch-all */
export const ordersAnswer = z.object({ items: z.array(orderAnswer) });

/** api/orders/fetch-payments */
export const paymentsAnswer = z.object({ items: z.array(paymentAnswer) });

/** api/refunds/fetch-multiple-refund-payment */
export const refundsAnswer = z.object({ items: z.array(refundAnswer) });

/** api/disputes/fetch-all */
export const disputesAnswer = z.object({ items: z.array(disputeAnswer) });

/** api/orders/entity: whose order it is, by our note. */
export const orderContactAnswer = z.object({
  notes: z.object({ [contactNote]: z.string().optional() }).catch({}),
});

/** api/customers/fetch: what a recurring payment has to repeat. */
export const customerAnswer = z.object({ email: z.string().min(1), contact: z.string().min(1) });

/** api/payments/recurring-payments: how the payment ends comes as an event. */
export const recurringAnswer = z.object({ razorpay_payment_id: id });

/** errors: the error body of every call. */
export const errorAnswer = z.object({
  error: z.object({ code: z.string(), description: z.string() }),
});

/** webhooks/payloads: the envelope, with each part of the payload under its name. */
export const eventBody = z.object({
  event: z.string().regex(/^[\w.-]{1,64}$/),
  created_at: moment,
  payload: z.record(z.string(), z.object({ entity: z.unknown() })),
});

/** The payment of an event: its snapshot may lack what an answer has. */
export const paymentOfEvent = z.object({
  id,
  order_id: id,
  amount,
  currency,
  method,
  captured: z.boolean().optional().catch(undefined),
});

/** The refund of an event. */
export const refundOfEvent = z.object({ id, payment_id: id, amount });

/** The dispute of an event, its amount what was lost. */
export const disputeOfEvent = disputeFields.transform((dispute) => ({
  ...dispute,
  amount: lostAmount(dispute),
}));
