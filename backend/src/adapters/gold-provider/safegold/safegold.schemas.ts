import { z } from 'zod';
import { bps, grams, paise, parseDecimal } from '../../../money/index.ts';
import { textOrDigits } from '../../../platform/http-client/index.ts';
import { statusByCode } from './safegold.facts.ts';

/*
 * SafeGold's answers. Numbers arrive as text, digit by digit, and become integers here; what
 * doesn't fit exactly is unreadable rather than rounded.
 */

const decimal = (decimals: number) =>
  textOrDigits.transform((text, context) => {
    const value = parseDecimal(text, decimals);
    if (value !== undefined && value >= 0n) return value;
    context.addIssue({ code: 'custom', message: 'not a decimal of this precision' });
    return z.NEVER;
  });

const amount = decimal(2).transform(paise);
const price = amount.refine((value) => value > 0n);
const weight = decimal(8).transform(grams);
const id = textOrDigits.refine((text) => text !== '');

/** buy-price-api. `applicable_tax` is a percentage. The spot field is named by configuration. */
export const buyPriceAnswer = z.looseObject({
  current_price: price,
  applicable_tax: decimal(2).transform(bps),
  rate_id: id,
});

/** sell-price-api */
export const sellPriceAnswer = z.object({ current_price: price, rate_id: id });

/** The optional spot price beside the buy price. */
export const spotPrice = price;

/** registration-api, fetch-balance-api-1 */
export const userAnswer = z.object({ id, gold_balance: weight });

/**
 * buy-verify-api, sell-verify-api. For a buy the fields but `tx_id` are known from client code
 * only: without the grams the answer can't be trusted, without the rupees what was sent stands.
 */
export const verifyAnswer = z.object({
  tx_id: id,
  gold_amount: weight,
  buy_price: amount.optional(),
  sell_price: amount.optional(),
});

/** buy-price-confirm-api, sell-confirm-api */
export const confirmAnswer = z.object({ invoice_id: id });

/** buy-status-api, sell-status-api; `realization_status` and `payment_status` are to be ignored. */
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
 * invoice-api. A customer's browser opens the link, so it is plain HTTP only where the provider
 * itself is, as the sandbox, and never carries a credential.
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

/** Rows of the history: known from client code only. */
export const transactionsAnswer = z.object({
  transactions: z.array(
    z.object({
      tx_id: id,
      type: z.string(),
      gold_amount: weight.optional(),
      buy_price: amount.optional(),
      sell_price: amount.optional(),
    }),
  ),
  meta: z.object({ next: z.unknown().optional() }).optional(),
});

/** The error body of every call. Codes mean something else at each endpoint. */
export const errorAnswer = z.object({
  code: textOrDigits.refine((code) => /^\d{1,9}$/.test(code)),
  message: z.string(),
});
