import { z } from 'zod';

/** What the story reads of the APIs' answers; everything else in them it leaves alone. */

const paise = z.int();
const time = z.iso.datetime();

export const userWire = z.object({
  id: z.uuid(),
  phone: z.string(),
  referralCode: z.string(),
  kycStatus: z.string(),
});

export const tokensWire = z.object({ accessToken: z.string(), refreshToken: z.string() });

export const signInWire = tokensWire.extend({ user: userWire, isNewUser: z.boolean() });

export const messagesWire = z.object({
  messages: z.array(z.object({ phone: z.string(), otp: z.string().nullish() })),
});

export const priceWire = z.object({
  buyPaise: paise,
  sellPaise: paise,
  spotPaise: paise,
  asOf: time,
});

export const tickWire = priceWire.extend({ seq: z.int() });

export const quoteWire = z.object({
  id: z.uuid(),
  status: z.string(),
  grams: z.string(),
  pricePerGramPaise: paise,
  goldValuePaise: paise,
  gstPaise: paise,
  totalPaise: paise,
  expiresAt: time,
});

export const orderWire = z.object({
  id: z.uuid(),
  status: z.string(),
  amount_inr: z.string(),
  grams: z.string(),
  gold_value_paise: paise,
  gst_paise: paise,
  rounding_paise: paise,
  price_per_gram_paise: paise,
  sg_tx_id: z.string(),
  manual_review_code: z.string().nullable(),
  manual_review_reason: z.string().nullable(),
});

export const paymentWire = z.object({
  id: z.uuid(),
  order_id: z.uuid(),
  status: z.string(),
  amount_paise: paise,
  checkout: z.object({ gateway_order_id: z.string(), amount_minor: paise }).optional(),
});

export const buyWire = z.object({ order: orderWire, payment: paymentWire });

export const playedWire = z.object({ gateway_payment_id: z.string(), signature: z.string() });

export const portfolioWire = z.object({
  balance: z.string(),
  investedPaise: paise,
  currentValuePaise: paise,
  profitLossPaise: paise,
  profitLossPct: z.number(),
});

export const bankAccountWire = z.object({
  id: z.uuid(),
  status: z.string(),
  accountLast4: z.string(),
  ifsc: z.string(),
  primary: z.boolean(),
  nameMatchScore: z.int().nullish(),
});

export const sellQuoteWire = z.object({
  id: z.uuid(),
  kind: z.literal('SELL'),
  grams: z.string(),
  pricePerGramPaise: paise,
  proceedsPaise: paise,
  withheldPaise: z.literal(0),
});

export const soldOrderWire = z.object({
  id: z.uuid(),
  type: z.literal('SELL'),
  status: z.string(),
  grams: z.string(),
  proceeds_paise: paise,
  sg_tx_id: z.string(),
});

export const payoutWire = z.object({
  id: z.uuid(),
  orderId: z.uuid(),
  status: z.string(),
  amountPaise: paise,
  accountLast4: z.string(),
  utr: z.string().nullish(),
  attempt: z.int(),
});

export const sellWire = z.object({ order: soldOrderWire, payout: payoutWire });

export const kycWire = z.object({
  status: z.string(),
  panLast4: z.string().nullable(),
  aadhaarLast4: z.string().nullable(),
});

/** A page of a list. */
export const pageWire = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), total: z.int() });

export type Order = z.output<typeof orderWire>;
export type Payment = z.output<typeof paymentWire>;
export type BankAccount = z.output<typeof bankAccountWire>;
export type Sell = z.output<typeof sellWire>;
export type Quote = z.output<typeof quoteWire>;
