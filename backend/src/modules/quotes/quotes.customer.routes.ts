import { AppError } from '../../platform/errors/app-error.ts';
import { created, defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import { availableGrams, lockHolding, readHolding } from '../holdings/index.ts';
import { customerAccess } from '../identity/index.ts';
import { verifiablePrice } from '../price/index.ts';
import { findBuyBasis } from './buy-basis.ts';
import { draftBuyQuote } from './quote-buy.ts';
import type { QuoteDeps, BuyQuote } from './quotes.types.ts';
import { requireProviderUser } from '../kyc/index.ts';
import { checkSellLimits, draftSellQuote, type SellLimitsDeps } from './quote-sell.ts';
import {
  buyQuoteView,
  presentBuyQuote,
  presentSellQuote,
  quoteBody,
  quoteView,
  sellQuoteView,
} from './quotes.schemas.ts';
import { findBuyQuote, findSellQuote, insertBuyQuote, insertSellQuote } from './quotes.store.ts';
import { supersedeBuyQuotes } from './quotes.states.ts';
import { countQuote } from './count-quote.ts';

/** The maximum number of active buy quotes of a customer (contract: limits > Quotes and locks). */
const maxActiveQuotes = 10;

interface StoreBuyQuoteDeps extends Pick<QuoteDeps, 'inTransaction' | 'clock' | 'logger'> {
  readonly metrics: Pick<Metrics, 'countBoundReached'>;
}

/**
 * Stores a drafted buy quote. If the customer already has the maximum number of active quotes, the
 * oldest one is superseded: it becomes EXPIRED before its time. The holding's lock serialises the
 * requests of one customer, including the purchase that consumes a quote.
 */
const storeBuyQuote = async (deps: StoreBuyQuoteDeps, quote: BuyQuote): Promise<void> => {
  const superseded = await deps.inTransaction(async (tx) => {
    await lockHolding(tx, quote.userId);
    const count = await supersedeBuyQuotes(deps, tx, quote.userId, maxActiveQuotes - 1);
    await insertBuyQuote(tx, quote);
    return count;
  });
  if (superseded > 0) deps.metrics.countBoundReached('active_buy_quotes', superseded);
};

const quoteErrors = [
  'KYC_REQUIRED',
  'LIMIT_EXCEEDED',
  'QUOTE_LIMIT',
  'AMOUNT_TOO_SMALL',
  'PRICE_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_REFUSED',
  'PROVIDER_MISMATCH',
] as const;

/** Declares `POST /gold/quote`, `POST /gold/quote/sell` and `GET /gold/quote/:id`. */
export const createQuoteCustomerRoutes = (
  deps: QuoteDeps & StoreBuyQuoteDeps & SellLimitsDeps,
): Route[] => {
  const { db, clock } = deps;

  return [
    defineRoute({
      method: 'POST',
      path: '/gold/quote',
      summary: 'Quote a purchase at a price that is locked at the provider',
      tags: ['gold'],
      access: customerAccess,
      body: quoteBody,
      responses: { 201: buyQuoteView },
      errors: quoteErrors,
      handler: async ({ body, principal }) => {
        const basis = await findBuyBasis(deps, principal.userId);
        const limits = await deps.limits.current(basis.versions);
        const quote = await draftBuyQuote(deps, principal.userId, body, limits, basis);
        await storeBuyQuote(deps, quote);
        return created(presentBuyQuote(quote, clock.now()));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/gold/quote/:id',
      summary: 'One quote',
      tags: ['gold'],
      access: customerAccess,
      params: idParams,
      responses: { 200: quoteView },
      handler: async ({ params, principal }) => {
        const now = clock.now();
        const buy = await findBuyQuote(db, params.id, principal.userId);
        if (buy !== undefined) return ok(presentBuyQuote(buy, now));
        const sell = await findSellQuote(db, params.id, principal.userId);
        if (sell !== undefined) return ok(presentSellQuote(sell, now));
        throw new AppError('NOT_FOUND');
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/gold/quote/sell',
      summary: 'Quote a sale at the live price',
      tags: ['gold'],
      access: customerAccess,
      body: quoteBody,
      responses: { 201: sellQuoteView },
      errors: [
        'KYC_REQUIRED',
        'LIMIT_EXCEEDED',
        'QUOTE_LIMIT',
        'AMOUNT_TOO_SMALL',
        'PRICE_UNAVAILABLE',
      ],
      handler: async ({ body: amount, principal: { userId } }) => {
        await requireProviderUser(db, userId);
        await countQuote(deps, userId);
        const quote = draftSellQuote(deps, userId, amount, await verifiablePrice(deps));
        const available = availableGrams(await readHolding(db, userId));
        await checkSellLimits(deps, quote, amount, available);
        await insertSellQuote(db, quote);
        return created(presentSellQuote(quote, clock.now()));
      },
    }),
  ];
};
