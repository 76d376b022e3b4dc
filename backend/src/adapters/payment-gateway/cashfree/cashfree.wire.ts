import { z } from 'zod';
import { paise, parseDecimal, type Paise } from '../../../money/index.ts';
import { decimalText, textOrDigits } from '../../../platform/http-client/index.ts';
import { inPath } from '../../http-texts.ts';
import type { GatewayPayment } from '../port.ts';

/*
 * The adapter's assumptions about Cashfree are in the files `*.wire.ts` of this folder: what all
 * calls share is here, and the rest has a file for each flow. Pages are those of
 * www.cashfree.com/docs/api-reference/payments/latest. Types are those of Cashfree's own npm
 * package `cashfree-pg`. What neither settles is marked "unverified" and is to be checked with test
 * keys.
 */

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

/** A payment that names no currency, of an order that names none either, is in rupees. */
export const homeCurrency = 'INR';

/**
 * Returns whether the credentials move real money. Test credentials start with `TEST`, or their
 * secret with `cfsk_ma_test_`. The host of the sandbox accepts only test credentials.
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
 * Cashfree's amounts are rupees with decimals, written as JSON numbers: they are read digit by digit
 * and never become a float. Only values that can be stored are accepted: an id is a short word, an
 * amount a safe integer of paise.
 */

/** Reads an id, ours or Cashfree's, as text or as a number. */
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

/** `PaymentEntity.payment_group`: the groups of an instrument that a customer can choose. */
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

/** Reads a payment's group as our name of the instrument. An unexpected group counts as none. */
export const method = z
  .string()
  .regex(/^[a-z_]{1,32}$/u)
  .transform(methodOf)
  .nullish()
  .catch(undefined);

/** The types of `cashfree-pg` call every field of an answer optional. */
export const optionalText = z.string().nullish().catch(undefined);
export const optionalMoment = moment.nullish().catch(undefined);
export const optionalCurrency = currency.nullish().catch(undefined);

/** Every list. */
export const listAnswer = z.array(z.unknown());

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
