import { AppError } from '../../platform/errors/app-error.ts';
import { created, defineRoute, replayed, type Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { presentOrder } from '../orders/index.ts';
import type { Sell, Sold } from './create-sell.ts';
import type { PlaceSellDeps } from './sell.deps.ts';
import { sellBody, sellView } from './selling.schemas.ts';

const scopeOf = (ownerId: string, key: string) => ({ ownerId, operation: 'gold.sell', key });

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
  const { sells, payouts } = deps;

  const present = ({ order, payout }: Sold) => ({
    order: presentOrder(order),
    payout: payout === undefined ? null : payouts.presentPayout(payout),
  });

  return [
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
