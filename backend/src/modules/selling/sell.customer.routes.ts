import { AppError } from '../../platform/errors/app-error.ts';
import { created, defineRoute, replayed, type Route } from '../../platform/http/index.ts';
import { freeGrams, readHolding } from '../holdings/index.ts';
import { customerAccess } from '../identity/index.ts';
import type { Sell, Sold } from './create-sell.ts';
import type { PlaceSellDeps } from './sell.deps.ts';
import {
  type DraftSellQuote,
  createSellQuoteStore,
  requireProviderUser,
  verifiablePrice,
} from '../quotes/index.ts';
import {
  presentOrder,
  presentSellQuote,
  quoteBody,
  sellBody,
  sellQuoteView,
  sellView,
} from '../orders/index.ts';

const scopeOf = (ownerId: string, key: string) => ({ ownerId, operation: 'gold.sell', key });

type SellBody = (typeof sellBody)['_output'];

/** What a repeat must repeat. */
const payloadOf = ({ amount, bankAccountId, quoteId }: SellBody) => ({
  unit: amount.unit,
  amount: amount.requested,
  bankAccountId,
  ...(quoteId !== undefined && { quoteId }),
});

/** `POST /gold/quote/sell`, `POST /gold/sell`. */
export const createSellRoutes = (
  deps: PlaceSellDeps & { readonly quotes: DraftSellQuote; readonly sells: Sell },
): Route[] => {
  const { db, clock, quotes, sells, payouts } = deps;

  const present = ({ order, payout }: Sold) => ({
    order: presentOrder(order),
    payout: payout === undefined ? null : payouts.presentPayout(payout),
  });

  return [
    defineRoute({
      method: 'POST',
      path: '/gold/quote/sell',
      summary: 'Quote a sell at the live price',
      tags: ['gold'],
      access: customerAccess,
      body: quoteBody,
      responses: { 201: sellQuoteView },
      errors: ['KYC_REQUIRED', 'LIMIT_EXCEEDED', 'AMOUNT_TOO_SMALL', 'PRICE_UNAVAILABLE'],
      handler: async ({ body: amount, principal: { userId } }) => {
        await requireProviderUser(deps, userId);
        const quote = quotes.draft(userId, amount, await verifiablePrice(deps));
        await quotes.checkLimits(quote, amount, freeGrams(await readHolding(db, userId)));
        await createSellQuoteStore(db).insert(quote);
        return created(presentSellQuote(quote, clock.now()));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/gold/sell',
      summary: 'Sell gold; the money goes to a verified bank account',
      tags: ['gold'],
      access: customerAccess,
      body: sellBody,
      responses: { 201: sellView, 200: sellView },
      errors: [
        'SELL_DISABLED',
        'IDEMPOTENCY_KEY_REUSED',
        'REQUEST_IN_PROGRESS',
        'KYC_REQUIRED',
        'AMOUNT_TOO_SMALL',
        'LIMIT_EXCEEDED',
        'BANK_ACCOUNT_NOT_VERIFIED',
        'INSUFFICIENT_BALANCE',
        'QUOTE_USED',
        'QUOTE_EXPIRED',
        'PRICE_UNAVAILABLE',
        'PROVIDER_UNAVAILABLE',
        'PROVIDER_REFUSED',
        'PROVIDER_MISMATCH',
        'SELL_UNDER_REVIEW',
      ],
      async before({ principal, parsedBody }) {
        const body = sellBody.safeParse(parsedBody);
        const done =
          body.success &&
          (await sells.findReplay(scopeOf(principal.userId, body.data.key), payloadOf(body.data)));
        if (done) return replayed(present(done));
        if (!(await deps.sellGate())) throw new AppError('SELL_DISABLED');
        return undefined;
      },
      handler: async ({ body, principal: { userId }, context: { requestId } }) => {
        const { key, ...request } = body;
        const sold = await sells.sell({
          scope: scopeOf(userId, key),
          payload: payloadOf(body),
          request: { ...request, userId, requestId },
        });
        return sold.isReplay ? replayed(present(sold)) : created(present(sold));
      },
    }),
  ];
};
