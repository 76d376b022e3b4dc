import { z } from 'zod';
import { idempotencyKeySchema } from '../../platform/idempotency/index.ts';
import { created, defineIdempotentRoute, replayed, type Route } from '../../platform/http/index.ts';
import { payoutViewSchema, presentPayout } from '../payouts/index.ts';
import { goldOrderView, presentOrder } from '../orders/index.ts';
import { amountShape, toAmount } from '../quotes/index.ts';
import { customerAccess } from '../identity/index.ts';
import { replaySale, sellNow, type Sale } from './sell-now.ts';
import type { SellingOptions } from './selling.types.ts';

const sellBody = z
  .object({
    ...amountShape,
    bank_account_id: z.guid(),
    idempotency_key: idempotencyKeySchema,
    quote_id: z.guid().optional(),
  })
  .transform((body, context) => ({
    amount: toAmount(body, context),
    bankAccountId: body.bank_account_id,
    quoteId: body.quote_id,
    key: body.idempotency_key,
  }));

/** `payout` is there from the confirmation on. */
const sellView = z.object({ order: goldOrderView, payout: payoutViewSchema.nullable() });
sellView.register(z.globalRegistry, {
  id: 'Sale',
  description: 'A sell order and, from its confirmation on, the payout of its proceeds.',
});

type SellBody = (typeof sellBody)['_output'];

/** Returns what a repeat must repeat: the parsed body without its key. */
const payloadOf = ({ amount, bankAccountId, quoteId }: SellBody) => ({
  unit: amount.unit,
  amount: amount.requested,
  bankAccountId,
  ...(quoteId !== undefined && { quoteId }),
});

const present = ({ order, payout }: Sale) => ({
  order: presentOrder(order),
  payout: payout === undefined ? null : presentPayout(payout),
});

/** `POST /gold/sell`. */
export const createSellingRoutes = (deps: SellingOptions): Route[] => [
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
      'NOT_FOUND',
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
      keys: deps.idempotency,
      operation: 'gold.sell',
      owner: ({ userId }) => userId,
      key: ({ key }) => key,
      payload: payloadOf,
      replay: async (id) => replayed(present(await replaySale(deps, id))),
      gate: () => deps.gates.requireSellOpen(),
    },
    handler: async ({ body, principal: { userId }, context: { requestId }, keyed }) => {
      const { key: _, ...request } = body;
      const sale = await sellNow(deps, keyed, { ...request, userId, requestId });
      return sale.isReplay ? replayed(present(sale)) : created(present(sale));
    },
  }),
];
