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
import type { adminOrderRow, buyQuoteView, goldOrderView, sellQuoteView } from './gold.schemas.ts';
import type { BuyQuote, GoldOrder, GoldOrderEvent, SellQuote } from './gold.types.ts';

export const paiseOrNull = (value: Paise | null): number | null =>
  value === null ? null : toSafePaise(value);

/** The amount as it was asked for: rupees with two decimals, grams with four. */
const requestedOf = ({ unit, requested }: Pick<BuyQuote, 'unit' | 'requested'>): string =>
  unit === 'INR'
    ? formatRupees(paise(parseDecimal(requested, 2) ?? 0n))
    : formatGrams(gramsFromDatabase(requested));

/** What both kinds show: one that has run out reads EXPIRED before it is swept. */
const presentHead = (quote: BuyQuote | SellQuote, now: Date) => ({
  id: quote.id,
  unit: quote.unit,
  amount: requestedOf(quote),
  grams: formatGrams(quote.grams),
  pricePerGramPaise: toSafePaise(quote.pricePerGramPaise),
  status: quote.status === 'ACTIVE' && quote.expiresAt <= now ? 'EXPIRED' : quote.status,
  expiresAt: quote.expiresAt.toISOString(),
  createdAt: quote.createdAt.toISOString(),
});

/** A buy quote as its customer sees it. */
export const presentQuote = (quote: BuyQuote, now: Date): z.output<typeof buyQuoteView> => ({
  ...presentHead(quote, now),
  kind: 'BUY',
  goldValuePaise: toSafePaise(quote.goldValuePaise),
  gstPaise: toSafePaise(quote.gstPaise),
  totalPaise: toSafePaise(quote.totalPaise),
});

/** A sell quote as its customer sees it: nothing is ever withheld (interface, gate 5). */
export const presentSellQuote = (quote: SellQuote, now: Date): z.output<typeof sellQuoteView> => ({
  ...presentHead(quote, now),
  kind: 'SELL',
  proceedsPaise: toSafePaise(quote.proceedsPaise),
  withheldPaise: 0,
});

/** An order as its customer sees it (decisions, section 4). */
export const presentOrder = (order: GoldOrder): z.output<typeof goldOrderView> => ({
  id: order.id,
  type: order.type,
  status: order.status,
  amount_inr: formatRupees(order.amountPaise),
  grams: order.grams === null ? null : formatGrams(order.grams),
  price_per_gram_paise: paiseOrNull(order.pricePerGramPaise),
  gold_value_paise: paiseOrNull(order.goldValuePaise),
  gst_paise: paiseOrNull(order.gstPaise),
  rounding_paise: paiseOrNull(order.roundingPaise),
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

/** An order in an operator's list. */
export const presentOrderRow = (order: GoldOrder): z.output<typeof adminOrderRow> => ({
  ...presentOrder(order),
  user_id: order.userId,
});

export const presentEvent = ({ at, ...event }: GoldOrderEvent) => ({
  ...event,
  at: at.toISOString(),
});
