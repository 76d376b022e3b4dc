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
import { takeQuote } from './take-quote.ts';

/** Active buy quotes of one customer (contract: limits > Quotes and locks). */
const maxActiveQuotes = 10;

interface StoreBuyQuoteDeps extends Pick<QuoteDeps, 'inTransaction' | 'clock' | 'logger'> {
  readonly metrics: Pick<Metrics, 'countBound'>;
}

/**
 * Stores a drafted buy quote. Where the customer has the most already, the oldest are superseded:
 * EXPIRED before their time. The holding's lock makes requests of one customer take turns, with
 * each other and with the payment order that consumes a quote.
 */
const storeBuyQuote = async (deps: StoreBuyQuoteDeps, quote: BuyQuote): Promise<void> => {
  const superseded = await deps.inTransaction(async (tx) => {
    await lockHolding(tx, quote.userId);
    const count = await supersedeBuyQuotes(deps, tx, quote.userId, maxActiveQuotes - 1);
    await insertBuyQuote(tx, quote);
    return count;
  });
  if (superseded > 0) deps.metrics.countBound('active_buy_quotes', superseded);
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

/** `POST /gold/quote`, `POST /gold/quote/sell`, `GET /gold/quote/:id`. */
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
        await takeQuote(deps, userId);
        const quote = draftSellQuote(deps, userId, amount, await verifiablePrice(deps));
        const available = availableGrams(await readHolding(db, userId));
        await checkSellLimits(deps, quote, amount, available);
        await insertSellQuote(db, quote);
        return created(presentSellQuote(quote, clock.now()));
      },
    }),
  ];
};
