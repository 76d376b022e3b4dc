import type {
  GatewayDispute,
  GatewayOrder,
  GatewayPayment,
  GatewayRefund,
  ParsedPaymentEvent,
  ParsedReversalEvent,
} from '../port.ts';

/*
 * Everything that the adapter assumes of Razorpay. Pages are those of razorpay.com/docs. An
 * assumption that they don't settle is marked "unverified" and must be checked with live keys.
 */

export const paths = {
  orders: '/v1/orders',
  order: (id: string) => `/v1/orders/${id}`,
  paymentsOfOrder: (id: string) => `/v1/orders/${id}/payments`,
  refundsOfPayment: (id: string) => `/v1/payments/${id}/refunds`,
  disputes: '/v1/disputes',
  customer: (id: string) => `/v1/customers/${id}`,
  recurring: '/v1/payments/create/recurring',
} as const;

/** api/orders/fetch-all: `count` is 10 by default. Unverified: that a page has at most 100. */
export const pageSize = 100;

/** Bounds what one question may cost: 2,000 rows. */
export const maximumPages = 20;

/** api/orders/fetch-all: `receipt` narrows the list. */
export const receiptQuery = (receipt: string) => ({ receipt, count: String(pageSize) });

/** api/refunds/fetch-multiple-refund-payment, api/disputes/fetch-all: `count` and `skip`. */
export const pageQuery = (page: number) => ({
  count: String(pageSize),
  skip: String(page * pageSize),
});

/** test-s2s/error-index: a receipt that an order of the account has already. Unverified: that every
 * account is held to it; one that is not makes a second order. */
export const saysReceiptIsUsed = (message: string): boolean =>
  /receipt should be unique/i.test(message);

/** api/orders/fetch-with-id: an unknown id is a 400. Unverified: that it may be a plain 404. */
export const saysNotFound = (status: number, description: string): boolean =>
  status === 404 || (status === 400 && /does not exist|not a valid id/i.test(description));

/** errors: statuses that prove that a request was read and refused. */
export const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 422]);

/** api/orders/entity: an order is `attempted` until a payment is captured, and never closes. */
export const orderStatuses = {
  created: 'OPEN',
  attempted: 'OPEN',
  paid: 'PAID',
} as const satisfies Readonly<Record<string, GatewayOrder['status']>>;

/** api/payments/entity: an authorised payment may still be captured; a refunded one is so wholly. */
export const paymentStatuses = {
  created: 'PENDING',
  authorized: 'PENDING',
  captured: 'CAPTURED',
  refunded: 'REFUNDED',
  failed: 'FAILED',
} as const satisfies Readonly<Record<string, GatewayPayment['status']>>;

/** api/refunds/entity */
export const refundStatuses = {
  pending: 'PENDING',
  processed: 'PROCESSED',
  failed: 'FAILED',
} as const satisfies Readonly<Record<string, GatewayRefund['status']>>;

/** api/disputes/entity: `closed` ended without a loss. */
export const disputeStatuses = {
  open: 'OPEN',
  under_review: 'OPEN',
  won: 'WON',
  lost: 'LOST',
  closed: 'WON',
} as const satisfies Readonly<Record<string, GatewayDispute['status']>>;

/** webhooks/payments, webhooks/orders: `order.paid` has the payment beside its order. */
export const paymentEvents: ReadonlyMap<string, ParsedPaymentEvent['kind']> = new Map([
  ['payment.captured', 'captured'],
  ['order.paid', 'captured'],
  ['payment.failed', 'failed'],
]);

/** webhooks/refunds, webhooks/disputes: the part of the payload that says what went away. */
export const reversalEvents: ReadonlyMap<
  string,
  { readonly kind: ParsedReversalEvent['kind']; readonly part: 'refund' | 'dispute' }
> = new Map([
  ['refund.processed', { kind: 'refunded', part: 'refund' }],
  ['payment.dispute.lost', { kind: 'dispute_lost', part: 'dispute' }],
]);

/** webhooks/validate-test: hex HMAC-SHA256 of the raw body under the webhook's own secret; after a
 * change of the secret, retries of older events are still signed with the old one. */
export const signatureHeader = 'x-razorpay-signature';

/** webhooks/best-practices: unique to an event, the same on each delivery of it. */
export const eventIdHeader = 'x-razorpay-event-id';

/**
 * api/payments/recurring-payments: a debit names a customer and one of the customer's tokens, both
 * made by the authorisation payment. Our mandate token holds both: `cust_ID/token_ID`.
 */
export const mandateTokenPattern = /^(cust_\w{1,64})\/(token_\w{1,64})$/;

/** Our note on a recurring payment, by which a repeat finds it: the API has no idempotency key for
 * it. Unverified: that a payment is listed at its order as soon as the call was accepted. */
export const debitKeyNote = 'debit_key';

/** Our note on an order: the phone number of its customer, which a mandate must share. */
export const contactNote = 'contact';

/** api/customers/entity: a contact with or without its country code. */
export const isSameContact = (one: string, other: string): boolean => {
  const [own, theirs] = [one, other].map((contact) => contact.replace(/\D/g, '').slice(-10));
  return own?.length === 10 && own === theirs;
};

/** api/payments/recurring-payments: "1" charges the mandate. */
export const recurringFlag = '1';

/** Returns whose money a key id moves: Razorpay writes it into the id (docs: api/authentication). */
export const credentialsOf = (keyId: string): 'live' | 'test' | 'unknown' => {
  if (keyId.startsWith('rzp_test_')) return 'test';
  return keyId.startsWith('rzp_live_') ? 'live' : 'unknown';
};
