import { z } from 'zod';
import { fromSafePaise } from '../../../money/index.ts';
import { safeInteger } from '../../../platform/http-client/index.ts';
import type { GatewayDispute, GatewayOrder, GatewayPayment, GatewayRefund } from '../port.ts';

/*
 * The neutral gateway's answers and events (contract: payments-and-webhooks > Neutral gateway).
 * Only values that can be stored are accepted: an id is a short word, an amount a safe integer of
 * paise.
 */

const id = z.string().regex(/^[\w.:-]{1,128}$/);
const amountPaise = safeInteger.refine((value) => value >= 0).transform(fromSafePaise);
const currency = z.string().regex(/^[A-Za-z]{3}$/);
const method = z
  .string()
  .regex(/^[a-z_]{1,32}$/)
  .optional()
  .catch(undefined);
const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** An order. */
export const orderAnswer = z
  .object({
    id,
    receipt: z.string(),
    amount_paise: amountPaise,
    currency,
    status: z.enum(['created', 'paid']),
  })
  .transform((order): GatewayOrder => ({
    gatewayOrderId: order.id,
    receipt: order.receipt,
    amountPaise: order.amount_paise,
    currency: order.currency,
    status: order.status === 'paid' ? 'PAID' : 'OPEN',
  }));

const paymentAnswer = z
  .object({
    id,
    order_id: id,
    amount_paise: amountPaise,
    currency,
    method,
    status: z.enum(['captured', 'failed']),
    created_at: moment,
  })
  .transform((payment): GatewayPayment => ({
    gatewayPaymentId: payment.id,
    gatewayOrderId: payment.order_id,
    amountPaise: payment.amount_paise,
    currency: payment.currency,
    status: payment.status === 'captured' ? 'CAPTURED' : 'FAILED',
    ...(payment.method === undefined ? {} : { method: payment.method }),
    createdAt: payment.created_at,
  }));

const refundAnswer = z
  .object({
    id,
    amount_paise: amountPaise,
    status: z.enum(['processed', 'pending', 'failed']),
    created_at: moment,
  })
  .transform((refund): GatewayRefund => {
    const statuses = { processed: 'PROCESSED', pending: 'PENDING', failed: 'FAILED' } as const;
    return {
      refundId: refund.id,
      amountPaise: refund.amount_paise,
      status: statuses[refund.status],
      createdAt: refund.created_at,
    };
  });

const disputeAnswer = z
  .object({
    id,
    amount_paise: amountPaise,
    status: z.enum(['open', 'won', 'lost']),
    created_at: moment,
  })
  .transform((dispute): GatewayDispute => {
    const statuses = { open: 'OPEN', won: 'WON', lost: 'LOST' } as const;
    return {
      disputeId: dispute.id,
      amountPaise: dispute.amount_paise,
      status: statuses[dispute.status],
      createdAt: dispute.created_at,
    };
  });

/** Orders found by receipt. */
export const ordersAnswer = z.object({ items: z.array(orderAnswer) });

/** Payments of an order. */
export const paymentsAnswer = z.object({ items: z.array(paymentAnswer) });

/** Refunds of a payment. */
export const refundsAnswer = z.object({ items: z.array(refundAnswer) });

/** Disputes of a payment. */
export const disputesAnswer = z.object({ items: z.array(disputeAnswer) });

/** A debit under a mandate; how it ended comes as an event. */
export const debitAnswer = z.object({ id });

/** The error body of every call. */
export const errorAnswer = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const envelope = { event: z.string().regex(/^[\w.-]{1,64}$/), created_at: moment };

/** A webhook's body that reports a payment, or its order's. */
export const paymentEventBody = z.object({
  ...envelope,
  data: z.object({
    gateway_order_id: id,
    gateway_payment_id: id,
    amount_paise: amountPaise,
    currency,
    method,
  }),
});

/** A webhook's body that reports money of a payment that went away; the amount is that money's. */
export const reversalEventBody = z.object({
  ...envelope,
  event: z.enum(['refund.processed', 'dispute.lost']),
  data: z.object({
    gateway_order_id: id.optional(),
    gateway_payment_id: id,
    reference: id.optional(),
    amount_paise: amountPaise.refine((value) => value > 0n),
  }),
});
