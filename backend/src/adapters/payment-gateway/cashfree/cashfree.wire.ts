import { z } from 'zod';
import { addMs } from '../../../platform/clock/clock.ts';
import type { GatewayDispute, GatewayOrder, GatewayPayment, GatewayRefund } from '../port.ts';
import { paise, parseDecimal, type Paise } from '../../../money/index.ts';
import { textOrDigits } from '../../../platform/http-client/index.ts';

/*
 * The adapter's assumptions about Cashfree, in one place. Pages are those of
 * www.cashfree.com/docs/api-reference/payments/latest; types are those of Cashfree's own npm
 * package `cashfree-pg`. What neither settles is marked "unverified" and is to be checked with test
 * keys.
 */

const inPath = encodeURIComponent;
const dayMs = 86_400_000;

/** The version whose webhooks carry `x-idempotency-key` (payments/webhooks). */
export const apiVersion = '2025-01-01';

export const headers = {
  clientId: 'x-client-id',
  clientSecret: 'x-client-secret',
  apiVersion: 'x-api-version',
  // A repeat under the same key gets the first answer; another body under it is a 422.
  idempotencyKey: 'x-idempotency-key',
  // payments/webhooks: milliseconds, and the signature over them and the raw body.
  webhookTimestamp: 'x-webhook-timestamp',
  webhookSignature: 'x-webhook-signature',
  webhookEventId: 'x-idempotency-key',
} as const;

export const paths = {
  orders: '/orders',
  order: (id: string) => `/orders/${inPath(id)}`,
  payments: (id: string) => `/orders/${inPath(id)}/payments`,
  refunds: (id: string) => `/orders/${inPath(id)}/refunds`,
  disputes: (paymentId: string) => `/payments/${inPath(paymentId)}/disputes`,
  subscription: (id: string) => `/subscriptions/${inPath(id)}`,
  charges: '/subscriptions/pay',
  charge: (subscriptionId: string, paymentId: string) =>
    `/subscriptions/${inPath(subscriptionId)}/payments/${inPath(paymentId)}`,
} as const;

/**
 * orders/create: 409 for a second order of one `order_id`, 422 for another body under a known key
 * (a repeat may carry a later expiry). Unverified for charges: the same.
 */
export const alreadyRequested: ReadonlySet<number> = new Set([409, 422]);

/**
 * `CustomerDetails.customer_id`: alphanumeric only. Ours is a UUID, whose hyphens carry nothing.
 */
export const customerId = (id: string): string => id.replace(/[^A-Za-z0-9]/gu, '');

/** `CustomerDetails.customer_phone`: ten digits; with a `+` any number. */
export const customerPhone = (phone: string): string => phone.replace(/^\+91/u, '');

const lastTenDigits = (phone: string): string => phone.replace(/\D/gu, '').slice(-10);

/**
 * Compares two phone numbers by their last ten digits: what stands before is written in many ways.
 */
export const isSamePhone = (one: string, other: string): boolean =>
  lastTenDigits(one).length === 10 && lastTenDigits(one) === lastTenDigits(other);

/**
 * Returns the time after which Cashfree takes no new attempt. The API refuses an expiry that is not
 * more than 15 minutes and less than 30 days away (400 `order_expiry_time_invalid`), so an order
 * may outlive its price lock: a payment of those minutes is a late capture, which the service knows
 * how to treat. Unverified by the public pages: the limits are in the API's own error message.
 */
export const orderExpiry = (expiresAt: Date, now: Date, shortestMs: number): Date => {
  const soonest = addMs(now, shortestMs);
  const latest = addMs(now, 29 * dayMs);
  if (expiresAt < soonest) return soonest;
  return expiresAt > latest ? latest : expiresAt;
};

/** `OrderTags`: the tag under which an order names the subscription that it is charged to. */
export const mandateTag = 'subscription_id';

/** resources/payment-lifecycle: an EXPIRED order may become PAID while an attempt is under way. */
const orderStatuses: Readonly<Record<string, GatewayOrder['status']>> = {
  ACTIVE: 'OPEN',
  PAID: 'PAID',
  EXPIRED: 'CLOSED',
  TERMINATED: 'CLOSED',
  TERMINATION_REQUESTED: 'CLOSED',
};

/**
 * `PaymentEntityPaymentStatusEnum`. Any other status is read as PENDING and queried again. A
 * payment stays SUCCESS when it is refunded.
 */
const paymentStatuses: Readonly<Record<string, GatewayPayment['status']>> = {
  SUCCESS: 'CAPTURED',
  FAILED: 'FAILED',
  USER_DROPPED: 'FAILED',
  CANCELLED: 'FAILED',
  VOID: 'FAILED',
};

/** `RefundEntityRefundStatusEnum`, `SubscriptionPaymentRefundEntity`; any other is PENDING. */
export const refundStatuses: Readonly<Record<string, GatewayRefund['status']>> = {
  SUCCESS: 'PROCESSED',
  CANCELLED: 'FAILED',
  CANCEL: 'FAILED',
  FAILED: 'FAILED',
};

/**
 * Reads a dispute's status, of which each stage has its own (`DisputesEntityDisputeStatusEnum`):
 * a dispute, chargeback or arbitration that we lost or accepted has taken the money away.
 */
export const disputeStatus = (status: string): GatewayDispute['status'] => {
  if (/_MERCHANT_(?:LOST|ACCEPTED)$/u.test(status)) return 'LOST';
  return status.endsWith('_MERCHANT_WON') ? 'WON' : 'OPEN';
};

/** `PaymentEntity.payment_group`: the groups of an instrument that a customer can ask for. */
const methodOfGroup: Readonly<Record<string, string>> = {
  net_banking: 'netbanking',
  credit_card: 'card',
  debit_card: 'card',
  prepaid_card: 'card',
  upi_credit_card: 'upi',
  upi_ppi: 'upi',
};

/** Returns our name of a payment's instrument, or Cashfree's own where we have none. */
const methodOf = (group: string): string => methodOfGroup[group] ?? group;

/** payments/webhooks, subscription/webhooks: the events that say how a payment ended. */
export const paymentEvents: ReadonlyMap<string, 'captured' | 'failed'> = new Map([
  ['PAYMENT_SUCCESS_WEBHOOK', 'captured'],
  ['PAYMENT_FAILED_WEBHOOK', 'failed'],
  // The customer left the checkout; should the bank pay all the same, a success follows.
  ['PAYMENT_USER_DROPPED_WEBHOOK', 'failed'],
]);

export const chargeEvents: ReadonlyMap<string, 'captured' | 'failed'> = new Map([
  ['SUBSCRIPTION_PAYMENT_SUCCESS', 'captured'],
  ['SUBSCRIPTION_PAYMENT_FAILED', 'failed'],
  ['SUBSCRIPTION_PAYMENT_CANCELLED', 'failed'],
]);

/** `CreateSubscriptionPaymentRequest`: a debit, and no authorisation of the mandate. */
export const chargeType = 'CHARGE';

/** Subscriptions are in rupees; their payments name no currency when they are read. */
export const chargeCurrency = 'INR';

/**
 * Returns whose money the credentials move: test ones start with `TEST`, or their secret with
 * `cfsk_ma_test_`, and the host of the sandbox takes no others.
 */
export const credentialsOf = (given: {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}): 'live' | 'test' | 'unknown' => {
  const { hostname } = new URL(given.baseUrl);
  const isTest =
    hostname === 'sandbox.cashfree.com' ||
    given.clientId.startsWith('TEST') ||
    given.clientSecret.startsWith('cfsk_ma_test_');
  if (isTest) return 'test';
  return hostname === 'api.cashfree.com' ? 'live' : 'unknown';
};

/*
 * Cashfree's answers. Amounts are rupees with decimals, written as JSON numbers: they are read
 * digit by digit and never become a float. Only values that can be stored are accepted: an id is a
 * short word, an amount a safe integer of paise.
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
  .transform(methodOf)
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
    const tag = answer.order_tags?.[mandateTag];
    const order: GatewayOrder = {
      gatewayOrderId: answer.order_id,
      receipt: answer.order_id,
      amountPaise: answer.order_amount,
      currency: answer.order_currency,
      status: orderStatuses[answer.order_status] ?? 'OPEN',
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
      const status = paymentStatuses[payment.payment_status] ?? 'PENDING';
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
    currency: chargeCurrency,
    status: paymentStatuses[charge.payment_status ?? ''] ?? ('PENDING' as const),
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
        status: refundStatuses[answer.refund_status] ?? 'PENDING',
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
      status: disputeStatus(dispute.dispute_status),
      createdAt: dispute.created_at,
    })),
);

/**
 * `ApiError404` and its like: the error body of every call. A proxy before the API answers with a
 * message too, but with neither code nor type, and knows nothing about any order.
 */
export const errorAnswer = z
  .object({ code: z.string().nullish(), type: z.string().nullish(), message: z.string() })
  .refine(({ code, type }) => (code ?? type ?? '') !== '');
