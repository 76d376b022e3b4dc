import { created, defineIdempotentRoute, replayed, type Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { presentOrder } from '../orders/index.ts';
import { presentPayout } from '../payouts/index.ts';
import type { Sell, Sold } from './create-sell.ts';
import type { PlaceSellDeps } from './sell.deps.ts';
import { sellBody, sellView } from './selling.schemas.ts';

type SellBody = (typeof sellBody)['_output'];

/** What a repeat must repeat. */
const payloadOf = ({ amount, bankAccountId, quoteId }: SellBody) => ({
  unit: amount.unit,
  amount: amount.requested,
  bankAccountId,
  ...(quoteId !== undefined && { quoteId }),
});

/** `POST /gold/sell`. */
export const createSellRoutes = (deps: PlaceSellDeps & { readonly sells: Sell }): Route[] => {
  const { sells, gates } = deps;

  const present = ({ order, payout }: Sold) => ({
    order: presentOrder(order),
    payout: payout === undefined ? null : presentPayout(payout),
  });

  return [
    defineIdempotentRoute({
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
      idempotent: {
        operation: 'gold.sell',
        owner: ({ userId }) => userId,
        key: ({ key }) => key,
        payload: payloadOf,
        async replay({ scope, payload }) {
          const sold = await sells.findReplay(scope, payload);
          return sold === undefined ? undefined : replayed(present(sold));
        },
        gate: () => gates.requireSellOpen(),
      },
      handler: async ({ body, principal: { userId }, context: { requestId }, keyed }) => {
        const { key: _, ...request } = body;
        const sold = await sells.sell({ ...keyed, request: { ...request, userId, requestId } });
        return sold.isReplay ? replayed(present(sold)) : created(present(sold));
      },
    }),
  ];
};
