import { addMs } from '../../../platform/clock/clock.ts';
import { inPath } from '../../http-texts.ts';
import type { GatewayDispute, GatewayOrder, GatewayPayment, GatewayRefund } from '../port.ts';

/*
 * The adapter's assumptions about Cashfree, in one place. Pages are those of
 * www.cashfree.com/docs/api-reference/payments/latest. Types are those of Cashfree's own npm
 * package `cashfree-pg`. What neither settles is marked "unverified" and is to be checked with test
 * keys.
 */

const dayMs = 86_400_000;

/** The version whose webhooks carry `x-idempotency-key` (payments/webhooks). */
export const apiVersion = '2025-01-01';

export const headers = {
  clientId: 'x-client-id',
  clientSecret: 'x-client-secret',
  apiVersion: 'x-api-version',
  // A repeat under the same key gets the first answer. Another body under it is a 422.
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

/** `CustomerDetails.customer_phone`: ten digits, or any number with a `+`. */
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
export const orderStatuses: Readonly<Record<string, GatewayOrder['status']>> = {
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
export const paymentStatuses: Readonly<Record<string, GatewayPayment['status']>> = {
  SUCCESS: 'CAPTURED',
  FAILED: 'FAILED',
  USER_DROPPED: 'FAILED',
  CANCELLED: 'FAILED',
  VOID: 'FAILED',
};

/** `PaymentEntityPaymentStatusEnum`: those that are under way, of which none is in the table. */
export const openPayments: ReadonlySet<string> = new Set(['PENDING', 'NOT_ATTEMPTED']);

/** `RefundEntityRefundStatusEnum`: the same of refunds. */
export const openRefunds: ReadonlySet<string> = new Set(['PENDING', 'ONHOLD']);

/** `RefundEntityRefundStatusEnum`, `SubscriptionPaymentRefundEntity`. Any other is PENDING. */
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

/** `DisputesEntityDisputeStatusEnum`: each stage is created, received, reviewed, and ends. */
export const isKnownDispute = (name: string): boolean =>
  /^[A-Z_]*(?:DISPUTE|RETRIEVAL|CHARGEBACK|ARBITRATION)_[A-Z_]+$/u.test(name);

/** `PaymentEntity.payment_group`: the groups of an instrument that a customer can choose. */
const methodOfGroup: Readonly<Record<string, string>> = {
  net_banking: 'netbanking',
  credit_card: 'card',
  debit_card: 'card',
  prepaid_card: 'card',
  upi_credit_card: 'upi',
  upi_ppi: 'upi',
};

/** Returns our name of a payment's instrument, or Cashfree's own where we have none. */
export const methodOf = (group: string): string => methodOfGroup[group] ?? group;

/** payments/webhooks, subscription/webhooks: the events that say how a payment ended. */
export const paymentEvents: ReadonlyMap<string, 'captured' | 'failed'> = new Map([
  ['PAYMENT_SUCCESS_WEBHOOK', 'captured'],
  ['PAYMENT_FAILED_WEBHOOK', 'failed'],
  // The customer left the checkout. Should the bank pay all the same, a success follows.
  ['PAYMENT_USER_DROPPED_WEBHOOK', 'failed'],
]);

export const chargeEvents: ReadonlyMap<string, 'captured' | 'failed'> = new Map([
  ['SUBSCRIPTION_PAYMENT_SUCCESS', 'captured'],
  ['SUBSCRIPTION_PAYMENT_FAILED', 'failed'],
  ['SUBSCRIPTION_PAYMENT_CANCELLED', 'failed'],
]);

/** `CreateSubscriptionPaymentRequest`: a debit, and no authorisation of the mandate. */
export const chargeType = 'CHARGE';

/** A payment that names no currency, of an order that names none either, is in rupees. */
export const homeCurrency = 'INR';

/** Subscriptions are in rupees. Their payments name no currency when they are read. */
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
