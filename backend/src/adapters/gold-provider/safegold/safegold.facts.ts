import { fromSafePaise } from '../../../money/index.ts';
import type { GoldProviderRules } from '../port.ts';

/*
 * The adapter's assumptions about SafeGold, in one place. Pages are those of
 * api-doc.safegold.com/reference. What the public pages don't settle is marked "unverified": it
 * comes from client code of third parties or is our reading, and is to be checked on staging.
 */

const minuteMs = 60_000;

export const safegoldRules: GoldProviderRules = {
  // buy-price-confirm-api: the distributor stops at 8 minutes and refunds later payers.
  lockMs: 8 * minuteMs,
  // buy-price-confirm-api, sell-confirm-api: a confirm must come within 10 minutes of its verify.
  confirmWindowMs: 10 * minuteMs,
  // Ours: for clocks that differ and a confirm that is under way at the window's end.
  confirmMarginMs: minuteMs,
  // points-to-remember-sell: at least INR 10.
  minimumSellPaise: fromSafePaise(1000),
};

/** buy-price-api, sell-price-api: a rate can be verified for 7 minutes. The form of the answer's
 * own `rate_validity` is unverified, so the time is counted from before the question. */
export const rateValidityMs = 7 * minuteMs;

/** Unverified: the code for a rate that has run out; known from client code only. */
export const invalidRateCode = { buy: '8', sell: '6' } as const;

/** buy-verify-api, sell-verify-api. Unverified: that it is returned where the rupees are not those
 * of the rate; known from client code. The minimum of a sale, which shares it, is checked before. */
export const amountMismatchCode = { buy: '4', sell: '5' } as const;

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

/** Unverified: registration-api names `mobile_no` without its form; ten digits, as in clients. */
export const mobileNumber = (phone: string): string => phone.replace(/^\+91/, '');

/** Unverified: whether ids are numbers on the wire; digits go back as a JSON number. */
export const isNumericId = (id: string): boolean => /^(0|[1-9]\d{0,17})$/.test(id);

const istOffsetMs = 330 * minuteMs;

/** Unverified for a buy (the page's table is cut off in the stored copy; clients send either or
 * both): which fields go with `tx_id`. For a sell: sell-confirm-api. */
export const confirmFields = { buy: ['date', 'pincode'], sell: ['date'] } as const;

/** sell-confirm-api: `Y-M-D H:I:S`. Unverified: that it is Indian time. */
export const confirmDate = (at: Date): string =>
  new Date(at.getTime() + istOffsetMs).toISOString().slice(0, 19).replace('T', ' ');

/** buy-status-api, sell-status-api: 3 is only seen on sells and redemptions. */
export const statusByCode = {
  '0': 'NOT_CONFIRMED',
  '1': 'SUCCESS',
  '2': 'FAILED',
  '3': 'IN_PROGRESS',
} as const;

/** Unverified: where the random IV of an encrypted body travels. */
export const bodyEncryption = {
  cipher: 'aes-256-cbc',
  ivPlacement: 'before-ciphertext',
  encoding: 'base64',
  contentType: 'text/plain',
} as const;
