import { z } from 'zod';
import { idempotencyKeySchema } from '../../platform/idempotency/index.ts';
import {
  created,
  defineIdempotentRoute,
  exampleOf,
  idInput,
  replayed,
  type Route,
} from '../../platform/http/index.ts';
import { payoutViewSchema, presentPayout } from '../payouts/index.ts';
import { goldOrderView, presentOrder } from '../orders/index.ts';
import { amountShape, toAmount } from '../quotes/index.ts';
import { customerAccess } from '../identity/index.ts';
import { readSaleBasis, replaySale, sellInTurn, sellNow, type Sale } from './sell-now.ts';
import type { SellingRouteDeps } from './selling.types.ts';

const sellBody = z
  .object({
    ...amountShape,
    bank_account_id: idInput,
    idempotency_key: idempotencyKeySchema,
    quote_id: idInput.optional(),
  })
  .transform((body, context) => ({
    amount: toAmount(body, context),
    bankAccountId: body.bank_account_id,
    quoteId: body.quote_id,
    key: body.idempotency_key,
  }));
sellBody.register(z.globalRegistry, {
  id: 'SellRequest',
  examples: [
    {
      unit: 'GRAMS',
      amount: '0.05',
      bank_account_id: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      idempotency_key: 'sell-2026-01-15-0001',
    },
  ],
});

/** The response of a sale. `payout` is null until the sale is confirmed. */
const sellView = z.object({ order: goldOrderView, payout: payoutViewSchema.nullable() });
sellView.register(z.globalRegistry, {
  id: 'Sale',
  description:
    'A sell order and the payout of its proceeds, which exists once the sale is confirmed.',
  examples: [
    {
      order: {
        ...exampleOf(goldOrderView),
        type: 'SELL',
        status: 'CONFIRMED',
        amount_inr: '705.00',
        grams: '0.0500',
        price_per_gram_paise: 1_410_000,
        gold_value_paise: null,
        gst_paise: null,
        cgst_paise: null,
        sgst_paise: null,
        rounding_paise: null,
        proceeds_paise: 70_500,
        quote_id: null,
        sg_tx_id: 'SG-2001',
        expires_at: null,
      },
      payout: {
        ...exampleOf(payoutViewSchema),
        status: 'PENDING',
        utr: null,
        attempt: 0,
        paidAt: null,
      },
    },
  ],
});

type SellBody = (typeof sellBody)['_output'];

/** Returns the part of the request that a repeat must match: the parsed body without its key. */
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

/** Declares `POST /gold/sell`. */
export const createSellingCustomerRoutes = (deps: SellingRouteDeps): Route[] => [
  defineIdempotentRoute({
    method: 'POST',
    path: '/gold/sell',
    summary: 'Sell gold and have the proceeds paid out to a verified bank account',
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
      'QUOTE_LIMIT',
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
      reads: ({ userId }, { bankAccountId }) => readSaleBasis(userId, bankAccountId),
      inTurn: (scope, run) => sellInTurn(deps, scope, run),
    },
    handler: async ({ body, principal: { userId }, context: { requestId }, key }) => {
      const { amount, bankAccountId, quoteId } = body;
      const request = { userId, amount, bankAccountId, quoteId, requestId };
      return created(present(await sellNow(deps, request, key)));
    },
  }),
];
