import { z } from 'zod';
import { fromSafePaise, bps, grams, paise, parseDecimal } from '../../../money/index.ts';
import type { GoldProviderRules } from '../port.ts';
import { decimalText, orLeftOut, textOrDigits } from '../../../platform/http-client/index.ts';
import type { RowRules } from '../../read-rows.ts';

/*
 * The adapter's assumptions about SafeGold, in one place. Pages are those of
 * api-doc.safegold.com/reference. Points that the public pages don't settle are marked
 * "unverified": they come from third-party client code or from our interpretation, and must be
 * checked on staging.
 */

const minuteMs = 60_000;

export const safegoldRules: GoldProviderRules = {
  // buy-price-confirm-api: the distributor stops at 8 minutes and refunds later payers.
  lockMs: 8 * minuteMs,
  // buy-price-confirm-api, sell-confirm-api: a confirm must come within 10 minutes of its verify.
  confirmWindowMs: 10 * minuteMs,
  // Our own margin, for clocks that differ and a confirm that is in progress at the window's end.
  confirmMarginMs: minuteMs,
  // points-to-remember-sell: at least INR 10.
  minimumSellPaise: fromSafePaise(1000),
};

/**
 * buy-price-api, sell-price-api: a rate can be verified for 7 minutes. The form of `rate_validity` in
 * the response is unverified, so the time is counted from before the request.
 */
export const rateValidityMs = 7 * minuteMs;

/** Unverified: the code for a rate that has run out. It is known from client code only. */
export const invalidRateCode = { buy: '8', sell: '6' } as const;

/**
 * buy-verify-api, sell-verify-api. Unverified: the code for rupees that do not match the rate. It
 * is known from client code only. A sale below the minimum has the same code, so the minimum is
 * checked before.
 */
export const amountMismatchCode = { buy: '4', sell: '5' } as const;

/**
 * buy-status-api, sell-status-api: the code for a transaction that SafeGold does not have
 * ("Invalid transaction ID"). No other refusal proves anything about the transaction.
 */
export const invalidTransactionCode = '1';

/** buy-verify-api: a weight on the wire has four decimals. */
export const gramDecimals = 4;

export const paths = {
  buyPrice: '/v1/buy-price',
  sellPrice: '/v1/sell-price',
  users: '/v1/users',
  user: (userId: string) => `/v1/users/${userId}`,
  // kyc-information
  kycUpdate: (userId: string) => `/v1/users/${userId}/kyc-update`,
  // buy-verify-api, sell-verify-api: verify is v4, confirm v1.
  buyVerify: (userId: string) => `/v4/users/${userId}/buy-gold-verify`,
  sellVerify: (userId: string) => `/v4/users/${userId}/sell-gold-verify`,
  buyConfirm: (userId: string) => `/v1/users/${userId}/buy-gold-confirm`,
  sellConfirm: (userId: string) => `/v1/users/${userId}/sell-gold-confirm`,
  buyStatus: (txId: string) => `/v1/buy-gold/${txId}/order-status`,
  sellStatus: (txId: string) => `/v1/sell-gold/${txId}/order-status`,
  invoice: (txId: string) => `/v1/transactions/${txId}/fetch-invoice`,
  // Unverified: seen in client code only, as are the fields of its rows.
  transactions: (userId: string) => `/v1/users/${userId}/transactions`,
} as const;

/**
 * Unverified: registration-api names `mobile_no` without its form. Ten digits are sent, as clients
 * do.
 */
export const mobileNumber = (phone: string): string => phone.replace(/^\+91/, '');

const lastTenDigits = (text: string): string => text.replace(/\D/g, '').slice(-10);

/**
 * Returns true for another phone number. Only the last ten digits are compared, since the country
 * code is written in several ways. A number with fewer digits may be masked and is not compared.
 */
export const isOtherMobile = (answered: string, requested: string): boolean =>
  lastTenDigits(answered).length === 10 && lastTenDigits(answered) !== lastTenDigits(requested);

/** Unverified: that ids are numbers on the wire. An id of digits is sent as a JSON number. */
export const isNumericId = (id: string): boolean => /^(0|[1-9]\d{0,17})$/.test(id);

const istOffsetMs = 330 * minuteMs;

/**
 * The fields that a confirm has besides `tx_id`. Those of a sale are from sell-confirm-api. Unverified
 * for a buy: the page's table is cut off in the stored copy, and clients send either field or both.
 */
export const confirmFields = { buy: ['date', 'pincode'], sell: ['date'] } as const;

/** sell-confirm-api: `Y-M-D H:I:S`. Unverified: that it is Indian time. */
export const confirmDate = (at: Date): string =>
  new Date(at.getTime() + istOffsetMs).toISOString().slice(0, 19).replace('T', ' ');

/** buy-status-api, sell-status-api: 3 is only seen on sells and redemptions. */
const statusByCode = {
  '0': 'NOT_CONFIRMED',
  '1': 'SUCCESS',
  '2': 'FAILED',
  '3': 'IN_PROGRESS',
} as const;

/** Unverified: the place of the random IV of an encrypted body. */
export const bodyEncryption = {
  cipher: 'aes-256-cbc',
  ivPlacement: 'before-ciphertext',
  encoding: 'base64',
  contentType: 'text/plain',
} as const;

/*
 * SafeGold's responses. Numbers are read from their digits as text and become integers. A number that
 * does not fit exactly is unreadable and never rounded.
 */

const decimal = (decimals: number) =>
  decimalText.transform((text, context) => {
    const value = parseDecimal(text, decimals);
    if (value !== undefined && value >= 0n) return value;
    context.addIssue({ code: 'custom', message: 'not a decimal of this precision' });
    return z.NEVER;
  });

const amount = decimal(2).transform(paise);
const price = amount.refine((value) => value > 0n);
const weight = decimal(8).transform(grams);
const id = textOrDigits.refine((text) => /^[\x21-\x7e]{1,128}$/.test(text));

/** buy-price-api. `applicable_tax` is a percentage. The spot field is named by configuration. */
export const buyPriceAnswer = z.looseObject({
  current_price: price,
  applicable_tax: decimal(2).transform(bps),
  rate_id: id,
});

/** sell-price-api */
export const sellPriceAnswer = z.object({ current_price: price, rate_id: id });

/** The optional spot price, next to the buy price. */
export const spotPrice = price;

/** registration-api, fetch-balance-api-1 */
export const userAnswer = z.object({
  id,
  mobile_no: textOrDigits.nullish().catch(undefined),
  gold_balance: weight,
});

/**
 * buy-verify-api, sell-verify-api. The fields of a buy except `tx_id` are known from client code only.
 * A response without the grams is unreadable. Without the rupees, the sent amount counts.
 */
export const verifyAnswer = z.object({
  tx_id: id,
  rate_id: orLeftOut(id),
  user_id: orLeftOut(id),
  gold_amount: weight,
  buy_price: orLeftOut(amount),
  sell_price: orLeftOut(amount),
});

/**
 * buy-price-confirm-api, sell-confirm-api. The invoice may come later, so only the status shows if the
 * confirm took effect.
 */
export const confirmAnswer = z.object({ invoice_id: id.nullish().catch(undefined) });

/** buy-status-api, sell-status-api: `realization_status` and `payment_status` must be ignored. */
export const statusAnswer = z.object({
  status: textOrDigits
    .pipe(z.enum(['0', '1', '2', '3']))
    .transform((status) => statusByCode[status]),
});

const isLink = (text: string, protocols: readonly string[]): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocols.includes(protocol) && username === '' && password === '';
};

/**
 * invoice-api. A customer's browser opens the link, so plain HTTP is accepted only if the provider's
 * own address is plain HTTP, as the sandbox's is. A link with a credential is refused.
 */
export const invoiceAnswer = (baseUrl: string) => {
  const protocols = baseUrl.startsWith('https:') ? ['https:'] : ['https:', 'http:'];
  return z.object({
    link: z
      .string()
      .max(2048)
      .refine((text) => isLink(text, protocols)),
  });
};

/** A row of the history. It is known only from client code, which shows no other fields. */
const transactionRow = z.object({
  tx_id: id,
  type: z.string().nullish().catch(undefined),
  gold_amount: orLeftOut(weight),
  buy_price: orLeftOut(amount),
  sell_price: orLeftOut(amount),
});
export type TransactionRow = z.output<typeof transactionRow>;

/** Rules for the rows of the history, whose path names one customer. */
export const transactionRows = (userId: string): RowRules<TransactionRow> => ({
  subject: { id: userId, idOf: (row) => row['user_id'] },
  schema: transactionRow,
});

/** A page of the history. */
export const transactionsAnswer = z.object({
  transactions: z.array(z.unknown()),
  meta: z.object({ next: z.unknown().optional() }).nullish().catch(undefined),
});

/** The error body of every call. The meaning of a code depends on the endpoint. */
export const errorAnswer = z.object({
  code: textOrDigits.refine((code) => /^\d{1,9}$/.test(code)),
  message: z
    .string()
    .nullish()
    .transform((message) => message ?? ''),
});
