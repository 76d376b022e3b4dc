import { z } from 'zod';
import type {
  AccountDispute,
  AccountPayment,
  AccountRefund,
  GatewayDispute,
  GatewayOrder,
  GatewayPayment,
  GatewayRefund,
} from '../port.ts';
import { fromSafePaise } from '../../../money/index.ts';
import { safeInteger, textOrDigits } from '../../../platform/http-client/index.ts';
import { meaningOf } from '../../http-texts.ts';
import type { RowRules } from '../../read-rows.ts';

/*
 * This file has all assumptions of the adapter about Razorpay. Pages are those of razorpay.com/docs. An
 * assumption that the pages don't settle is marked "unverified" and must be checked with live keys.
 */

export const paths = {
  orders: '/v1/orders',
  order: (id: string) => `/v1/orders/${id}`,
  paymentsOfOrder: (id: string) => `/v1/orders/${id}/payments`,
  refundsOfPayment: (id: string) => `/v1/payments/${id}/refunds`,
  payments: '/v1/payments',
  refunds: '/v1/refunds',
  disputes: '/v1/disputes',
  customer: (id: string) => `/v1/customers/${id}`,
  recurring: '/v1/payments/create/recurring',
} as const;

/** api/orders/fetch-all: `count` is 10 by default. Unverified: that a page has at most 100. */
export const pageSize = 100;

/** The limits of one query: 2,000 rows of a payment, or 20,000 disputes of the account. */
export const maximumPages = 20;
export const maximumDisputePages = 200;

/** api/orders/fetch-all: `receipt` narrows the list. */
export const receiptQuery = (receipt: string) => ({ receipt, count: String(pageSize) });

/** api/refunds/fetch-multiple-refund-payment, api/disputes/fetch-all: `count` and `skip`. */
export const pageQuery = (page: number) => ({
  count: String(pageSize),
  skip: String(page * pageSize),
});

/** A stretch of time in whole seconds. Without `from` or `to`, the stretch has no such limit. */
export interface Stretch {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * api/disputes/fetch-all, types of `razorpay`: `from` and `to` narrow a list by `created_at`.
 * Unverified: that rows of both ends are listed.
 */
export const stretchQuery = ({ from, to }: Stretch): Readonly<Record<string, string>> => ({
  ...(from !== undefined && { from: String(from) }),
  ...(to !== undefined && { to: String(to) }),
});

/** api/payments/fetch-all-payments, api/refunds/fetch-all: `from` and `to` in whole seconds. */
export const secondsOf = (at: Date): string => String(Math.floor(at.getTime() / 1000));

/** The maximum time in ms from a payment to its report. A dispute always follows its payment. */
const reportedWithinMs = 7 * 86_400_000;

/** Returns the stretch of time in which a payment may have disputes. */
export const disputesSince = (createdAt: Date | undefined): Stretch =>
  createdAt === undefined
    ? {}
    : { from: Math.floor((createdAt.getTime() - reportedWithinMs) / 1000) };

/**
 * test-s2s/error-index: an order of the account already has this receipt. Unverified: that this
 * applies to every account. An account without the check would create a second order.
 */
export const saysReceiptIsUsed = (message: string): boolean =>
  /receipt should be unique/i.test(message);

/**
 * api/orders/fetch-with-id: an unknown id is a 400. Unverified: that it may also be a plain 404. The
 * refusal of an unknown address is excluded, since it shows nothing about any order.
 */
export const saysNotFound = (status: number, description: string): boolean =>
  description !== '' &&
  !/requested url/i.test(description) &&
  (status === 404 || (status === 400 && /does not exist|not a valid id/i.test(description)));

/** errors: the statuses which show that a request was read and refused. */
export const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 422]);

/** api/orders/entity: an order is `attempted` until a payment is captured, and never closes. */
const orderStatuses = {
  created: 'OPEN',
  attempted: 'OPEN',
  paid: 'PAID',
} as const satisfies Readonly<Record<string, GatewayOrder['status']>>;

/** api/payments/entity: an authorised payment may still be captured. `refunded` means in full. */
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

/** api/disputes/entity: a `closed` dispute ended without a loss. */
const disputeStatuses = {
  open: 'OPEN',
  under_review: 'OPEN',
  won: 'WON',
  lost: 'LOST',
  closed: 'WON',
} as const satisfies Readonly<Record<string, GatewayDispute['status']>>;

/**
 * webhooks/validate-test: the header has the hex HMAC-SHA256 of the raw body under the webhook's own
 * secret. After a change of the secret, retries of older events still have the old signature.
 */
export const signatureHeader = 'x-razorpay-signature';

/** webhooks/best-practices: the header has the id of the event, the same for each delivery. */
export const eventIdHeader = 'x-razorpay-event-id';

/**
 * api/payments/recurring-payments: a debit names a customer and one of the customer's tokens. The
 * authorisation payment creates both. Our mandate token has the form `cust_ID/token_ID`.
 */
export const mandateTokenPattern = /^(cust_\w{1,64})\/(token_\w{1,64})$/;

/**
 * The note of a recurring payment with our key, by which a repeat finds the payment. The API has no
 * idempotency key for it. Unverified: that a payment is listed as soon as the call was accepted.
 */
export const debitKeyNote = 'debit_key';

/** The note of an order with its customer's phone number, which a mandate's owner must have too. */
export const contactNote = 'contact';

/** api/customers/entity: a contact may have its country code, so the last ten digits are compared. */
export const isSameContact = (one: string, other: string): boolean => {
  const [own, theirs] = [one, other].map((contact) => contact.replace(/\D/g, '').slice(-10));
  return own?.length === 10 && own === theirs;
};

/** api/payments/recurring-payments: "1" charges the mandate. */
export const recurringFlag = '1';

/** Returns the kind of the credentials, which the prefix of the key id shows (api/authentication). */
export const credentialsOf = (keyId: string): 'live' | 'test' | 'unknown' => {
  if (keyId.startsWith('rzp_test_')) return 'test';
  return keyId.startsWith('rzp_live_') ? 'live' : 'unknown';
};

/*
 * Razorpay's responses and events. Only values that can be stored are accepted. An id is a short word,
 * and an amount is a safe integer of paise, which is read from its digits.
 */

export const id = z.string().regex(/^\w{1,64}$/);
export const amount = safeInteger.refine((value) => value >= 0).transform(fromSafePaise);
export const currency = z.string().regex(/^[A-Za-z]{3}$/);
export const method = z
  .string()
  .regex(/^[a-z_]{1,32}$/)
  .optional()
  .catch(undefined);
const moment = safeInteger
  .refine((seconds) => seconds > 0 && seconds < 100_000_000_000)
  .transform((seconds) => new Date(seconds * 1000));

type Fields = Readonly<Record<string, unknown>>;

/** Returns the rule that the states of a table are known. */
const stateIn = (table: Readonly<Record<string, unknown>>) => ({
  of: (row: Fields) => row['status'],
  isKnown: (name: string) => Object.hasOwn(table, name),
});

export const optionalMoment = moment.nullish().catch(undefined);
const status = z.string().nullish().catch(undefined);

/** Types of `razorpay`: a note is text or a number. `notes` is an empty list if there are none. */
const note = textOrDigits.nullish().catch(undefined);

/** api/orders/entity: an order may have no receipt. */
export const orderAnswer = z
  .object({ id, receipt: z.string().nullish(), amount, currency, status })
  .transform((order): GatewayOrder => ({
    gatewayOrderId: order.id,
    receipt: order.receipt ?? '',
    amountPaise: order.amount,
    currency: order.currency,
    status: meaningOf<GatewayOrder['status']>(orderStatuses, order.status, 'UNKNOWN'),
  }));

/** A payment of an order. A debit has its key. */
export interface ListedPayment extends GatewayPayment {
  readonly debitKey?: string;
}

const paymentFields = z.object({
  id,
  amount,
  currency,
  method,
  status,
  created_at: optionalMoment,
});

const toPayment = (payment: z.output<typeof paymentFields>, now: Date) => ({
  gatewayPaymentId: payment.id,
  amountPaise: payment.amount,
  currency: payment.currency,
  status: meaningOf<GatewayPayment['status']>(paymentStatuses, payment.status, 'PENDING'),
  ...(payment.method === undefined ? {} : { method: payment.method }),
  createdAt: payment.created_at ?? now,
});

/** api/orders/fetch-payments, api/payments/entity */
export const paymentRows = (orderId: string, now: Date): RowRules<ListedPayment> => ({
  entity: 'payment',
  subject: { id: orderId, idOf: (row) => row['order_id'] },
  state: stateIn(paymentStatuses),
  schema: paymentFields
    .extend({ notes: z.object({ [debitKeyNote]: note }).catch({ [debitKeyNote]: undefined }) })
    .transform((payment): ListedPayment => {
      const { [debitKeyNote]: debitKey } = payment.notes;
      return {
        ...toPayment(payment, now),
        gatewayOrderId: orderId,
        ...(typeof debitKey === 'string' && { debitKey }),
      };
    }),
});

/**
 * api/payments/fetch-all-payments: the payments of the account. A payment of a payment link has no
 * order.
 */
export const accountPayments = (now: Date): RowRules<AccountPayment> => ({
  entity: 'payment',
  subjectOf: (row) => row['order_id'],
  state: stateIn(paymentStatuses),
  schema: paymentFields.extend({ order_id: id.nullish() }).transform((payment) => ({
    ...toPayment(payment, now),
    gatewayOrderId: payment.order_id ?? null,
  })),
});

const refundFields = z.object({ id, amount, status, created_at: optionalMoment });

const toRefund = (refund: z.output<typeof refundFields>, now: Date): GatewayRefund => ({
  refundId: refund.id,
  amountPaise: refund.amount,
  status: meaningOf<GatewayRefund['status']>(refundStatuses, refund.status, 'PENDING'),
  createdAt: refund.created_at ?? now,
});

/** api/refunds/fetch-multiple-refund-payment, api/refunds/entity */
export const refundRows = (paymentId: string, now: Date): RowRules<GatewayRefund> => ({
  entity: 'refund',
  subject: { id: paymentId, idOf: (row) => row['payment_id'] },
  state: stateIn(refundStatuses),
  schema: refundFields.transform((refund) => toRefund(refund, now)),
});

const paymentOf = (row: Fields): unknown => row['payment_id'];

/** api/refunds/fetch-all: the refunds of the account. */
export const accountRefunds = (now: Date): RowRules<AccountRefund> => ({
  entity: 'refund',
  subjectOf: paymentOf,
  state: stateIn(refundStatuses),
  schema: refundFields
    .extend({ payment_id: id })
    .transform((refund) => ({ ...toRefund(refund, now), gatewayPaymentId: refund.payment_id })),
});

export const disputeFields = z.object({
  id,
  amount,
  amount_deducted: amount.nullish().catch(undefined),
});

/** Returns the amount that a lost dispute took: the deducted amount, or else the disputed amount. */
export const lostAmount = ({
  amount: disputed,
  amount_deducted: deducted,
}: z.output<typeof disputeFields>) =>
  deducted === null || deducted === undefined || deducted === 0n ? disputed : deducted;

const disputeRow = disputeFields.extend({ status, created_at: optionalMoment });

const toDispute = (dispute: z.output<typeof disputeRow>, now: Date): GatewayDispute => {
  const found = meaningOf<GatewayDispute['status']>(disputeStatuses, dispute.status, 'OPEN');
  return {
    disputeId: dispute.id,
    amountPaise: found === 'LOST' ? lostAmount(dispute) : dispute.amount,
    status: found,
    createdAt: dispute.created_at ?? now,
  };
};

/**
 * api/disputes/fetch-all, api/disputes/entity: the list is of the whole account. A dispute that names
 * no payment is left out, because it would count for every payment.
 */
export const disputeRows = (paymentId: string, now: Date): RowRules<GatewayDispute> => ({
  entity: 'dispute',
  subject: { id: paymentId, idOf: (row) => row['payment_id'], isMixed: true, isNamed: true },
  state: stateIn(disputeStatuses),
  schema: disputeRow.transform((dispute) => toDispute(dispute, now)),
});

/** api/disputes/fetch-all: the disputes of the account. */
export const accountDisputes = (now: Date): RowRules<AccountDispute> => ({
  entity: 'dispute',
  subjectOf: paymentOf,
  state: stateIn(disputeStatuses),
  schema: disputeRow
    .extend({ payment_id: id })
    .transform((dispute) => ({ ...toDispute(dispute, now), gatewayPaymentId: dispute.payment_id })),
});

/** api/orders/fetch-all */
export const orderRows = (receipt: string): RowRules<GatewayOrder> => ({
  entity: 'order',
  subject: { id: receipt, idOf: (row) => row['receipt'], isNamed: true },
  schema: orderAnswer,
});

/** api/disputes/fetch-all: the fields that find the next stretch of a long list. */
export const idAndTime = z.object({ id, created_at: moment });

/** The response of every list. */
export const listAnswer = z
  .object({ items: z.array(z.unknown()) })
  .transform(({ items }): readonly unknown[] => items);

/** api/orders/entity: an order with our note of its customer's phone number. */
export const orderContactAnswer = z.object({
  id,
  notes: z.object({ [contactNote]: note }).catch({ [contactNote]: undefined }),
});

/**
 * api/customers/fetch, types of `razorpay`: a customer may have neither email nor phone number.
 * Without the number, the owner of the mandate can't be determined.
 */
export const customerAnswer = z.object({
  id,
  email: z.string().nullish().catch(undefined),
  contact: note,
});

/**
 * The email of a recurring payment whose customer has no email, since the call requires an email.
 * Unverified: that Razorpay shows this email for payments without an email.
 */
export const noEmail = 'void@razorpay.com';

/** api/payments/recurring-payments: an event reports how the payment ends. */
export const recurringAnswer = z.object({ razorpay_payment_id: id });
