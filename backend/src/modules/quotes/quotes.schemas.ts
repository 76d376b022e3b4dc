import { z } from 'zod';
import {
  GRAMS_PATTERN,
  MoneyError,
  RUPEES_PATTERN,
  formatGrams,
  formatRupees,
  gramsFromDatabase,
  gramsToDatabase,
  paise,
  parseDecimal,
  parseGrams,
  parseRupees,
  toSafePaise,
} from '../../money/index.ts';
import { exampleOf } from '../../platform/http/index.ts';
import { goldUnits, gramsText, paiseInt } from '../orders/index.ts';
import { quoteStatuses, type BuyQuote, type GoldAmount, type SellQuote } from './quotes.types.ts';

const eitherPattern = `${RUPEES_PATTERN.source}|${GRAMS_PATTERN.source}`;

/** The text of an amount. `toAmount` checks that it matches the pattern of the unit. */
const amountText = z
  .union([z.string().max(32).meta({ pattern: eitherPattern }), z.number().meta({ minimum: 0 })])
  .transform(String)
  .describe(
    'Rupees with at most two decimals if `unit` is INR, grams with at most four if it is GRAMS.',
  );

/** The two fields of a request body that specify an amount. */
export const amountShape = { unit: z.enum(goldUnits), amount: amountText };

const parseAmount = (unit: 'INR' | 'GRAMS', amount: string): GoldAmount => {
  if (unit === 'INR') {
    const amountPaise = parseRupees(amount);
    return { unit, amountPaise, requested: formatRupees(amountPaise) };
  }
  const grams = parseGrams(amount);
  return { unit, grams, requested: gramsToDatabase(grams) };
};

/** Parses the `{unit, amount}` of a body. Adds an issue at `amount` if it is not valid. */
export const toAmount = (
  { unit, amount }: { readonly unit: 'INR' | 'GRAMS'; readonly amount: string },
  context: z.RefinementCtx,
): GoldAmount => {
  try {
    return parseAmount(unit, amount);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    context.addIssue({ code: 'custom', path: ['amount'], message: error.message });
    return z.NEVER;
  }
};

export const quoteBody = z.object(amountShape).transform(toAmount);
quoteBody.register(z.globalRegistry, {
  id: 'QuoteRequest',
  examples: [
    { unit: 'INR', amount: '1000.50' },
    { unit: 'GRAMS', amount: '0.05' },
  ],
});

const commonFields = {
  id: z.uuid(),
  unit: z.enum(goldUnits),
  amount: z.string().regex(new RegExp(eitherPattern, 'u')),
  grams: gramsText,
  pricePerGramPaise: paiseInt,
  status: z.enum(quoteStatuses),
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
};

export const buyQuoteView = z.object({
  ...commonFields,
  kind: z.literal('BUY'),
  goldValuePaise: paiseInt,
  gstPaise: paiseInt,
  totalPaise: paiseInt,
});
buyQuoteView.register(z.globalRegistry, {
  id: 'BuyQuote',
  description: 'A price for a purchase, locked until `expiresAt`.',
  examples: [
    {
      id: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      unit: 'INR',
      amount: '1000.50',
      grams: '0.0668',
      pricePerGramPaise: 1_453_000,
      status: 'ACTIVE',
      expiresAt: '2026-01-15T09:38:00.000Z',
      createdAt: '2026-01-15T09:30:00.000Z',
      kind: 'BUY',
      goldValuePaise: 97_136,
      gstPaise: 2914,
      totalPaise: 100_050,
    },
  ],
});

export const sellQuoteView = z.object({
  ...commonFields,
  kind: z.literal('SELL'),
  proceedsPaise: paiseInt,
  /** The amount withheld from the proceeds, always zero (contract: money > Breakdown of a sale). */
  withheldPaise: z.literal(0),
});
sellQuoteView.register(z.globalRegistry, {
  id: 'SellQuote',
  description: 'A price for a sale, locked until `expiresAt`.',
  examples: [
    {
      id: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      unit: 'GRAMS',
      amount: '0.0500',
      grams: '0.0500',
      pricePerGramPaise: 1_410_000,
      status: 'ACTIVE',
      expiresAt: '2026-01-15T09:38:00.000Z',
      createdAt: '2026-01-15T09:30:00.000Z',
      kind: 'SELL',
      proceedsPaise: 70_500,
      withheldPaise: 0,
    },
  ],
});

/** A quote of either kind. */
export const quoteView = z.discriminatedUnion('kind', [buyQuoteView, sellQuoteView]);
quoteView.register(z.globalRegistry, {
  id: 'Quote',
  description: 'A quote of either kind.',
  examples: [exampleOf(buyQuoteView), exampleOf(sellQuoteView)],
});

/** Formats the amount as it was requested: rupees with two decimals, grams with four. */
const requestedOf = ({ unit, requested }: Pick<BuyQuote, 'unit' | 'requested'>): string =>
  unit === 'INR'
    ? formatRupees(paise(parseDecimal(requested, 2) ?? 0n))
    : formatGrams(gramsFromDatabase(requested));

/**
 * Presents the fields of both kinds of quotes. A quote whose life has ended is shown as EXPIRED, even
 * before the sweep has expired it.
 */
const presentCommon = (quote: BuyQuote | SellQuote, now: Date) => ({
  id: quote.id,
  unit: quote.unit,
  amount: requestedOf(quote),
  grams: formatGrams(quote.grams),
  pricePerGramPaise: toSafePaise(quote.pricePerGramPaise),
  status: quote.status === 'ACTIVE' && quote.expiresAt <= now ? 'EXPIRED' : quote.status,
  expiresAt: quote.expiresAt.toISOString(),
  createdAt: quote.createdAt.toISOString(),
});

/** Presents a buy quote to its customer. */
export const presentBuyQuote = (quote: BuyQuote, now: Date): z.output<typeof buyQuoteView> => ({
  ...presentCommon(quote, now),
  kind: 'BUY',
  goldValuePaise: toSafePaise(quote.goldValuePaise),
  gstPaise: toSafePaise(quote.gstPaise),
  totalPaise: toSafePaise(quote.totalPaise),
});

/** Presents a sell quote to its customer (contract: money > Breakdown of a sale). */
export const presentSellQuote = (quote: SellQuote, now: Date): z.output<typeof sellQuoteView> => ({
  ...presentCommon(quote, now),
  kind: 'SELL',
  proceedsPaise: toSafePaise(quote.proceedsPaise),
  withheldPaise: 0,
});
