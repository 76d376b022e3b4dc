import { z } from 'zod';
import type {
  GatewayDispute,
  GatewayOrder,
  GatewayPayment,
  GatewayRefund,
  ParsedPaymentEvent,
  ParsedReversalEvent,
} from '../port.ts';
import { fromSafePaise } from '../../../money/index.ts';
import { safeInteger } from '../../../platform/http-client/index.ts';

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

/**
 * api/orders/fetch-with-id: an unknown id is a 400. Unverified: that it may be a plain 404. An
 * address that the API does not have is neither: it says nothing about any order.
 */
export const saysNotFound = (status: number, description: string): boolean =>
  !/requested url/i.test(description) &&
  (status === 404 || (status === 400 && /does not exist|not a valid id/i.test(description)));

/** errors: statuses that prove that a request was read and refused. */
export const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 422]);

/** api/orders/entity: an order is `attempted` until a payment is captured, and never closes. */
const orderStatuses = {
  created: 'OPEN',
  attempted: 'OPEN',
  paid: 'PAID',
} as const satisfies Readonly<Record<string, GatewayOrder['status']>>;

/**
 * api/payments/entity: an authorised payment may still be captured; a refunded one is so wholly.
 */
const paymentStatuses = {
  created: 'PENDING',
  authorized: 'PENDING',
  captured: 'CAPTURED',
  refunded: 'REFUNDED',
  failed: 'FAILED',
} as const satisfies Readonly<Record<string, GatewayPayment['status']>>;

/** api/refunds/entity */
const refundStatuses = {
  pending: 'PENDING',
  processed: 'PROCESSED',
  failed: 'FAILED',
} as const satisfies Readonly<Record<string, GatewayRefund['status']>>;

/** api/disputes/entity: `closed` ended without a loss. */
const disputeStatuses = {
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

/**
 * Returns whose money a key id moves: Razorpay writes it into the id (docs: api/authentication).
 */
export const credentialsOf = (keyId: string): 'live' | 'test' | 'unknown' => {
  if (keyId.startsWith('rzp_test_')) return 'test';
  return keyId.startsWith('rzp_live_') ? 'live' : 'unknown';
};

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

/** A refund, with the payment that it pays back. */
interface ListedRefund extends GatewayRefund {
  readonly gatewayPaymentId: string;
}

/** api/refunds/entity */
const refundAnswer = z
  .object({ id, payment_id: id, amount, status: nameOf(refundStatuses), created_at: moment })
  .transform((refund): ListedRefund => ({
    refundId: refund.id,
    gatewayPaymentId: refund.payment_id,
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
  id,
  notes: z.object({ [contactNote]: z.string().optional() }).catch({}),
});

/** api/customers/fetch: what a recurring payment has to repeat. */
export const customerAnswer = z.object({
  id,
  email: z.string().min(1),
  contact: z.string().min(1),
});

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
