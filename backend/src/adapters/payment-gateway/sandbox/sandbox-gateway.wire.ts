import { z } from 'zod';
import { fromSafePaise } from '../../../money/index.ts';
import { safeInteger } from '../../../platform/http-client/index.ts';
import { meaningOf } from '../../http-texts.ts';
import type { RowRules } from '../../read-rows.ts';
import type {
  AccountDispute,
  AccountPayment,
  AccountRefund,
  GatewayDispute,
  GatewayOrder,
  GatewayPayment,
  GatewayRefund,
} from '../port.ts';

/*
 * The neutral gateway's responses (contract: payments-and-webhooks > Neutral gateway). Only values that
 * can be stored are accepted. An id is a short word, and an amount is a safe integer of paise.
 */

export const id = z.string().regex(/^[\w.:-]{1,128}$/);
export const amountPaise = safeInteger.refine((value) => value >= 0).transform(fromSafePaise);
export const currency = z.string().regex(/^[A-Za-z]{3}$/);
export const method = z
  .string()
  .regex(/^[a-z_]{1,32}$/)
  .optional()
  .catch(undefined);
export const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const orderStatuses: Readonly<Record<string, GatewayOrder['status']>> = {
  created: 'OPEN',
  paid: 'PAID',
};
const paymentStatuses: Readonly<Record<string, GatewayPayment['status']>> = {
  captured: 'CAPTURED',
  failed: 'FAILED',
};
const refundStatuses: Readonly<Record<string, GatewayRefund['status']>> = {
  processed: 'PROCESSED',
  pending: 'PENDING',
  failed: 'FAILED',
};
const disputeStatuses: Readonly<Record<string, GatewayDispute['status']>> = {
  open: 'OPEN',
  won: 'WON',
  lost: 'LOST',
};

/** An order. */
export const orderAnswer = z
  .object({
    id,
    receipt: z.string().nullish(),
    amount_paise: amountPaise,
    currency,
    status: z.string().nullish(),
  })
  .transform((order): GatewayOrder => ({
    gatewayOrderId: order.id,
    receipt: order.receipt ?? '',
    amountPaise: order.amount_paise,
    currency: order.currency,
    status: meaningOf<GatewayOrder['status']>(orderStatuses, order.status, 'UNKNOWN'),
  }));

const stateIn = (table: Readonly<Record<string, unknown>>) => ({
  of: (row: Readonly<Record<string, unknown>>) => row['status'],
  isKnown: (name: string) => Object.hasOwn(table, name),
});

const paymentFields = z.object({
  id,
  amount_paise: amountPaise,
  currency,
  method,
  status: z.string().nullish(),
  created_at: moment,
});

const toPayment = (payment: z.output<typeof paymentFields>) => ({
  gatewayPaymentId: payment.id,
  amountPaise: payment.amount_paise,
  currency: payment.currency,
  status: meaningOf<GatewayPayment['status']>(paymentStatuses, payment.status, 'PENDING'),
  ...(payment.method === undefined ? {} : { method: payment.method }),
  createdAt: payment.created_at,
});

/** Payments of an order. */
export const paymentRows = (orderId: string): RowRules<GatewayPayment> => ({
  subject: { id: orderId, idOf: (row) => row['order_id'] },
  state: stateIn(paymentStatuses),
  schema: paymentFields.transform((payment): GatewayPayment => ({
    ...toPayment(payment),
    gatewayOrderId: orderId,
  })),
});

/** Payments of the account. */
export const accountPayments: RowRules<AccountPayment> = {
  subjectOf: (row) => row['order_id'],
  state: stateIn(paymentStatuses),
  schema: paymentFields.extend({ order_id: id.nullish() }).transform((payment): AccountPayment => ({
    ...toPayment(payment),
    gatewayOrderId: payment.order_id ?? null,
  })),
};

const reversal = z.object({
  id,
  amount_paise: amountPaise,
  status: z.string().nullish(),
  created_at: moment,
});

const ofPayment = (paymentId: string) => ({
  id: paymentId,
  idOf: (row: Readonly<Record<string, unknown>>) => row['payment_id'],
});

const toRefund = (refund: z.output<typeof reversal>): GatewayRefund => ({
  refundId: refund.id,
  amountPaise: refund.amount_paise,
  status: meaningOf(refundStatuses, refund.status, 'PENDING'),
  createdAt: refund.created_at,
});

const toDispute = (dispute: z.output<typeof reversal>): GatewayDispute => ({
  disputeId: dispute.id,
  amountPaise: dispute.amount_paise,
  status: meaningOf(disputeStatuses, dispute.status, 'OPEN'),
  createdAt: dispute.created_at,
});

/** Refunds of a payment. */
export const refundRows = (paymentId: string): RowRules<GatewayRefund> => ({
  subject: ofPayment(paymentId),
  state: stateIn(refundStatuses),
  schema: reversal.transform(toRefund),
});

const named = reversal.extend({ payment_id: id });
const paymentOf = (row: Readonly<Record<string, unknown>>): unknown => row['payment_id'];

/** Refunds of the account. */
export const accountRefunds: RowRules<AccountRefund> = {
  subjectOf: paymentOf,
  state: stateIn(refundStatuses),
  schema: named.transform((row) => ({ ...toRefund(row), gatewayPaymentId: row.payment_id })),
};

/** Disputes of the account. */
export const accountDisputes: RowRules<AccountDispute> = {
  subjectOf: paymentOf,
  state: stateIn(disputeStatuses),
  schema: named.transform((row) => ({ ...toDispute(row), gatewayPaymentId: row.payment_id })),
};

/** Disputes of a payment. */
export const disputeRows = (paymentId: string): RowRules<GatewayDispute> => ({
  subject: ofPayment(paymentId),
  state: stateIn(disputeStatuses),
  schema: reversal.transform(toDispute),
});

/** Orders found by receipt. */
export const orderRows = (receipt: string): RowRules<GatewayOrder> => ({
  subject: { id: receipt, idOf: (row) => row['receipt'] },
  schema: orderAnswer,
});

/** The number of rows of a full page of a list of the account. */
export const pageSize = 100;

/** The response of every list. */
export const listAnswer = z
  .object({ items: z.array(z.unknown()) })
  .transform(({ items }): readonly unknown[] => items);

/** A debit under a mandate. An event reports how it ends. */
export const debitAnswer = z.object({ id });

/** The error body of every call. */
export const errorAnswer = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
