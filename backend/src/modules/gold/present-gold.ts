import type { z } from 'zod';
import {
  formatGrams,
  formatRupees,
  gramsFromDatabase,
  parseDecimal,
  paise,
  toSafePaise,
  type Paise,
} from '../../money/index.ts';
import type { adminOrderRow, goldOrderView, quoteView } from './gold.schemas.ts';
import type { BuyQuote, GoldOrder, GoldOrderEvent } from './gold.types.ts';

const paiseOf = (value: Paise | null): number | null =>
  value === null ? null : toSafePaise(value);

/** The amount as it was asked for: rupees with two decimals, grams with four. */
const requestedOf = ({ unit, requested }: BuyQuote): string =>
  unit === 'INR'
    ? formatRupees(paise(parseDecimal(requested, 2) ?? 0n))
    : formatGrams(gramsFromDatabase(requested));

/** A quote as its customer sees it: one that has run out reads EXPIRED before it is swept. */
export const presentQuote = (quote: BuyQuote, now: Date): z.output<typeof quoteView> => ({
  id: quote.id,
  kind: 'BUY',
  unit: quote.unit,
  amount: requestedOf(quote),
  grams: formatGrams(quote.grams),
  pricePerGramPaise: toSafePaise(quote.pricePerGramPaise),
  goldValuePaise: toSafePaise(quote.goldValuePaise),
  gstPaise: toSafePaise(quote.gstPaise),
  totalPaise: toSafePaise(quote.totalPaise),
  status: quote.status === 'ACTIVE' && quote.expiresAt <= now ? 'EXPIRED' : quote.status,
  expiresAt: quote.expiresAt.toISOString(),
  createdAt: quote.createdAt.toISOString(),
});

/** An order as its customer sees it (decisions, section 4). */
export const presentOrder = (order: GoldOrder): z.output<typeof goldOrderView> => ({
  id: order.id,
  type: order.type,
  status: order.status,
  amount_inr: formatRupees(order.amountPaise),
  grams: order.grams === null ? null : formatGrams(order.grams),
  price_per_gram_paise: paiseOf(order.pricePerGramPaise),
  gold_value_paise: paiseOf(order.goldValuePaise),
  gst_paise: paiseOf(order.gstPaise),
  rounding_paise: paiseOf(order.roundingPaise),
  proceeds_paise: paiseOf(order.proceedsPaise),
  quote_id: order.quoteId,
  sg_tx_id: order.providerTxId,
  expires_at: order.expiresAt?.toISOString() ?? null,
  manual_review_code: order.manualReviewCode,
  manual_review_reason: order.manualReviewReason,
  refund_reference: order.refundReference,
  created_at: order.createdAt.toISOString(),
  updated_at: order.updatedAt.toISOString(),
});

/** An order in an operator's list. */
export const presentOrderRow = (order: GoldOrder): z.output<typeof adminOrderRow> => ({
  ...presentOrder(order),
  user_id: order.userId,
});

export const presentEvent = ({ at, ...event }: GoldOrderEvent) => ({
  ...event,
  at: at.toISOString(),
});
