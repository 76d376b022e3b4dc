import { z } from 'zod';
import {
  RUPEES_PATTERN,
  formatGrams,
  formatRupees,
  splitGst,
  toSafePaise,
  type Paise,
} from '../../money/index.ts';
import {
  betweenQuery,
  exampleOf,
  idInput,
  pageOf,
  pageQuery,
  rangeQuery,
} from '../../platform/http/index.ts';
import { goldOrderStatuses, goldOrderTypes, manualReviewCodes } from './orders.types.ts';
import type { GoldOrder, GoldOrderEvent } from './orders.types.ts';

export const paiseInt = z.int().min(0);
export const gramsText = z.string().regex(/^\d{1,12}\.\d{4,8}$/u);
const rupeesText = z.string().regex(RUPEES_PATTERN);

/** A gold order of any type. A field is null if its type does not have it or it is not set yet. */
export const goldOrderView = z.object({
  id: z.uuid(),
  type: z.enum(goldOrderTypes),
  status: z.enum(goldOrderStatuses),
  amount_inr: rupeesText,
  grams: gramsText.nullable(),
  price_per_gram_paise: paiseInt.nullable(),
  gold_value_paise: paiseInt.nullable(),
  gst_paise: paiseInt.nullable(),
  cgst_paise: paiseInt.nullable().describe('Central GST in paise: half of the GST, rounded down.'),
  sgst_paise: paiseInt.nullable().describe('State GST in paise: the GST less the central GST.'),
  rounding_paise: z.int().nullable(),
  proceeds_paise: paiseInt.nullable(),
  quote_id: z.uuid().nullable(),
  sg_tx_id: z.string().nullable(),
  expires_at: z.iso.datetime().nullable(),
  manual_review_code: z.enum(manualReviewCodes).nullable(),
  manual_review_reason: z.string().nullable(),
  refund_reference: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
goldOrderView.register(z.globalRegistry, {
  id: 'GoldOrder',
  description:
    'A gold order of any type. A value is null until it is known, or if the type has none.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      type: 'BUY',
      status: 'ALLOCATED',
      amount_inr: '1000.50',
      grams: '0.0668',
      price_per_gram_paise: 1_453_000,
      gold_value_paise: 97_136,
      gst_paise: 2914,
      cgst_paise: 1457,
      sgst_paise: 1457,
      rounding_paise: 0,
      proceeds_paise: null,
      quote_id: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      sg_tx_id: 'SG-1001',
      expires_at: '2026-01-15T09:38:00.000Z',
      manual_review_code: null,
      manual_review_reason: null,
      refund_reference: null,
      created_at: '2026-01-15T09:30:00.000Z',
      updated_at: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const goldOrderPage = pageOf(goldOrderView);

export const invoiceView = z.object({ url: z.url() });
invoiceView.register(z.globalRegistry, {
  id: 'Invoice',
  description: "The gold provider's link to the invoice of an order.",
  examples: [{ url: 'https://provider.example.test/invoices/SG-B-1001.pdf' }],
});

const ordersQuery = pageQuery.extend({
  status: z.enum(goldOrderStatuses).optional(),
  type: z.enum(goldOrderTypes).optional(),
});

/** The query of a customer's list of their own orders. */
export const ownOrdersQuery = ordersQuery.extend(betweenQuery);

export const adminOrdersQuery = ordersQuery.extend({
  ...rangeQuery,
  userId: idInput.optional(),
  q: z.string().trim().min(1).max(128).optional(),
});

export const adminOrderRow = goldOrderView.extend({ user_id: z.uuid() });
adminOrderRow.register(z.globalRegistry, {
  id: 'OperatorGoldOrder',
  description: "A gold order in an operator's list.",
  examples: [{ ...exampleOf(goldOrderView), user_id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11' }],
});

export const adminOrderPage = pageOf(adminOrderRow);

/** One row of an order's history. */
export const orderEventView = z.object({
  from: z.string().nullable(),
  to: z.string(),
  cause: z.string(),
  actor: z.string(),
  requestId: z.string().nullable(),
  at: z.iso.datetime(),
});
orderEventView.register(z.globalRegistry, {
  id: 'GoldOrderEvent',
  description: 'One transition of a gold order, with its cause and actor.',
  examples: [
    {
      from: 'PAID',
      to: 'ALLOCATED',
      cause: 'provider.bought',
      actor: 'worker',
      requestId: null,
      at: '2026-01-15T09:31:00.000Z',
    },
  ],
});

export const paiseOrNull = (value: Paise | null): number | null =>
  value === null ? null : toSafePaise(value);

/** Presents the GST and its two halves. All three are null until the GST is determined. */
const presentGst = (gstPaise: Paise | null) => {
  const halves = gstPaise === null ? undefined : splitGst(gstPaise);
  return {
    gst_paise: paiseOrNull(gstPaise),
    cgst_paise: paiseOrNull(halves?.cgstPaise ?? null),
    sgst_paise: paiseOrNull(halves?.sgstPaise ?? null),
  };
};

type Breakdown = Pick<
  GoldOrder,
  'grams' | 'pricePerGramPaise' | 'goldValuePaise' | 'gstPaise' | 'roundingPaise'
>;

const unknownBreakdown: Breakdown = {
  grams: null,
  pricePerGramPaise: null,
  goldValuePaise: null,
  gstPaise: null,
  roundingPaise: null,
};

/**
 * Returns the breakdown of an order's amount. The breakdown of an installment is unknown until its
 * gold is allocated, because the next verify may replace the values of the last one.
 */
const breakdownOf = (order: GoldOrder): Breakdown =>
  order.type === 'SIP_INSTALLMENT' && order.allocatedAt === null ? unknownBreakdown : order;

const presentBreakdown = (breakdown: Breakdown) => ({
  grams: breakdown.grams === null ? null : formatGrams(breakdown.grams),
  price_per_gram_paise: paiseOrNull(breakdown.pricePerGramPaise),
  gold_value_paise: paiseOrNull(breakdown.goldValuePaise),
  ...presentGst(breakdown.gstPaise),
  rounding_paise: paiseOrNull(breakdown.roundingPaise),
});

/** Presents an order to its customer (contract: buying > Gold order view). */
export const presentOrder = (order: GoldOrder): z.output<typeof goldOrderView> => ({
  id: order.id,
  type: order.type,
  status: order.status,
  amount_inr: formatRupees(order.amountPaise),
  ...presentBreakdown(breakdownOf(order)),
  proceeds_paise: paiseOrNull(order.proceedsPaise),
  quote_id: order.quoteId,
  sg_tx_id: order.providerTxId,
  expires_at: order.expiresAt?.toISOString() ?? null,
  manual_review_code: order.manualReviewCode,
  manual_review_reason: order.manualReviewReason,
  refund_reference: order.refundReference,
  created_at: order.createdAt.toISOString(),
  updated_at: order.updatedAt.toISOString(),
});

/** Presents an order in an operator's list. */
export const presentOrderRow = (order: GoldOrder): z.output<typeof adminOrderRow> => ({
  ...presentOrder(order),
  user_id: order.userId,
});

export const presentEvent = ({ at, ...event }: GoldOrderEvent) => ({
  ...event,
  at: at.toISOString(),
});
