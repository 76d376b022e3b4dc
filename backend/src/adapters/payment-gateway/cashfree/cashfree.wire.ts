import { z } from 'zod';
import { paise, parseDecimal, type Paise } from '../../../money/index.ts';
import { decimalText, textOrDigits } from '../../../platform/http-client/index.ts';
import { inPath } from '../../http-texts.ts';
import type { GatewayPayment } from '../port.ts';

/*
 * The adapter's assumptions about Cashfree are in the files `*.wire.ts` of this folder. This file has
 * the assumptions that all calls share, and each flow has a file of its own. Pages are those of
 * www.cashfree.com/docs/api-reference/payments/latest. Types are those of Cashfree's own npm package
 * `cashfree-pg`. An assumption that neither settles is marked "unverified" and must be checked with
 * test keys.
 */

/** The version whose webhooks carry `x-idempotency-key` (payments/webhooks). */
export const apiVersion = '2025-01-01';

export const headers = {
  clientId: 'x-client-id',
  clientSecret: 'x-client-secret',
  apiVersion: 'x-api-version',
  // A repeat with the same key gets the first response. Another body with the key is a 422.
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
 * orders/create: a second order with one `order_id` is a 409. Another body with a known key is a 422,
 * since a repeat may have a later expiry. Unverified: that this applies to charges too.
 */
export const alreadyRequested: ReadonlySet<number> = new Set([409, 422]);

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

/** The currency of a payment if neither the payment nor its order names one. */
export const homeCurrency = 'INR';

/**
 * Returns the kind of the credentials. Test credentials have an id that starts with `TEST`, or a
 * secret that starts with `cfsk_ma_test_`. The host of Cashfree's sandbox accepts only these.
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
 * Cashfree's amounts are rupees with decimals, written as JSON numbers. They are read from their digits
 * and never become a float. Only values that can be stored are accepted. An id is a short word, and an
 * amount is a safe integer of paise.
 */

/** Reads an id of ours or of Cashfree, as text or as a number. */
export const id = textOrDigits.refine((text) => /^[\w.:-]{1,128}$/u.test(text));

/**
 * Reads rupees into paise, also if they are printed in exponent form, such as 1.0005E+3. Half a
 * paisa is unreadable rather than rounded.
 */
export const rupees = decimalText.transform((text, context): Paise => {
  const value = parseDecimal(text, 2);
  if (value !== undefined && value >= 0n && value <= Number.MAX_SAFE_INTEGER) return paise(value);
  context.addIssue({ code: 'custom', message: 'not an amount in rupees' });
  return z.NEVER;
});

export const currency = z.string().regex(/^[A-Za-z]{3}$/u);

/** Reads a time. Without an offset it is in IST, as documented for `order_expiry_time`. */
export const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?$/u)
  .transform((text) => {
    const time = text.includes('T') ? text : `${text}T00:00:00`;
    return new Date(/(?:Z|[+-]\d\d:\d\d)$/u.test(time) ? time : `${time}+05:30`);
  })
  .refine((at) => !Number.isNaN(at.getTime()));

/** `PaymentEntity.payment_group`: our names of the groups of payment instruments. */
const methodOfGroup: Readonly<Record<string, string>> = {
  net_banking: 'netbanking',
  credit_card: 'card',
  debit_card: 'card',
  prepaid_card: 'card',
  upi_credit_card: 'upi',
  upi_ppi: 'upi',
};

/** Returns our name of a payment's instrument, or Cashfree's own if we have none. */
const methodOf = (group: string): string => methodOfGroup[group] ?? group;

/** Reads a payment's group as our name of the instrument. An unreadable group is undefined. */
export const method = z
  .string()
  .regex(/^[a-z_]{1,32}$/u)
  .transform(methodOf)
  .nullish()
  .catch(undefined);

/** By the types of `cashfree-pg`, every field of a response is optional. */
export const optionalText = z.string().nullish().catch(undefined);
export const optionalMoment = moment.nullish().catch(undefined);
export const optionalCurrency = currency.nullish().catch(undefined);

/** The response of every list. */
export const listAnswer = z.array(z.unknown());

/**
 * `ApiError404` and similar types: the error body of every call. The error body of a proxy before the
 * API has a message, but neither code nor type. It is not accepted, since it shows nothing about any
 * order.
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
