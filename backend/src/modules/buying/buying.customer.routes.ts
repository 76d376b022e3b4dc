import { z } from 'zod';
import { AppError } from '../../platform/errors/app-error.ts';
import { idempotencyKeySchema, type Idempotency } from '../../platform/idempotency/index.ts';
import {
  created,
  defineIdempotentRoute,
  exampleOf,
  idInput,
  replayed,
  type Reply,
  type Route,
} from '../../platform/http/index.ts';
import { paymentMethods, paymentOrderSchema, presentPaymentOrder } from '../payments/index.ts';
import { goldOrderView, presentOrder } from '../orders/index.ts';
import { amountShape, readBuyBasis, toAmount } from '../quotes/index.ts';
import { customerAccess } from '../identity/index.ts';
import type { Gates } from '../readiness/index.ts';
import { buyNow, payForQuote, replayBuy, type BuyDeps, type PlacedOrder } from './buy.ts';

/** Accepts any text, because a gateway that cannot be used is skipped without an error. */
const preferredGateway = z
  .string()
  .max(64)
  .optional()
  .describe('The code of the preferred gateway. It is ignored if that gateway cannot be used.');

const buyBody = z
  .object({ ...amountShape, idempotency_key: idempotencyKeySchema, gateway: preferredGateway })
  .transform(({ idempotency_key: key, gateway, ...amount }, context) => ({
    amount: toAmount(amount, context),
    key,
    gateway,
  }));
buyBody.register(z.globalRegistry, {
  id: 'BuyRequest',
  examples: [{ unit: 'INR', amount: '1000.50', idempotency_key: 'buy-2026-01-15-0001' }],
});

const payQuoteBody = z.object({
  quote_id: idInput,
  idempotency_key: idempotencyKeySchema,
  method: z.enum(paymentMethods).optional(),
  gateway: preferredGateway,
  terms_accepted: z.boolean().optional(),
});
payQuoteBody.register(z.globalRegistry, {
  id: 'PayQuoteRequest',
  examples: [
    {
      quote_id: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      idempotency_key: 'pay-2026-01-15-0001',
      method: 'upi',
      terms_accepted: true,
    },
  ],
});

const buyView = z.object({
  order: goldOrderView,
  payment: paymentOrderSchema,
  sg_tx_id: z.string(),
  expires_at: z.iso.datetime(),
});
buyView.register(z.globalRegistry, {
  id: 'Purchase',
  description: 'A buy order and its payment order.',
  examples: [
    {
      order: { ...exampleOf(goldOrderView), status: 'PENDING' },
      payment: {
        ...exampleOf(paymentOrderSchema),
        status: 'GATEWAY_ORDER_CREATED',
        method: null,
        checkout: {
          provider: 'sandbox',
          public_key: 'sbx_key_public',
          gateway_order_id: 'sbx_order_1001',
          amount_minor: 100_050,
          currency: 'INR',
        },
        paid_at: null,
      },
      sg_tx_id: 'SG-1001',
      expires_at: '2026-01-15T09:38:00.000Z',
    },
  ],
});

const gatewayErrors = ['NO_USABLE_GATEWAY', 'GATEWAY_MISMATCH'] as const;

type BuyingRouteDeps = BuyDeps & {
  readonly idempotency: Idempotency;
  readonly gates: Pick<Gates, 'readBuyEvidence' | 'requireBuyOpen'>;
};

const presentBuy = ({ payments }: BuyingRouteDeps, { order, paymentOrder }: PlacedOrder) => ({
  order: presentOrder(order),
  payment: presentPaymentOrder(payments, paymentOrder),
  sg_tx_id: order.providerTxId,
  expires_at: order.expiresAt?.toISOString(),
});

const presentPayment = ({ payments }: BuyingRouteDeps, { paymentOrder }: PlacedOrder) =>
  presentPaymentOrder(payments, paymentOrder);

const replyWith = ({ isReplay }: PlacedOrder, view: unknown): Reply =>
  isReplay ? replayed(view) : created(view);

const buyRoute = (deps: BuyingRouteDeps): Route =>
  defineIdempotentRoute({
    method: 'POST',
    path: '/gold/buy',
    summary: 'Buy gold: create the quote, the order and the payment order in one request',
    tags: ['gold'],
    access: customerAccess,
    body: buyBody,
    responses: { 201: buyView, 200: buyView },
    errors: [
      'PAYMENTS_DISABLED',
      'IDEMPOTENCY_KEY_REUSED',
      'REQUEST_IN_PROGRESS',
      'KYC_REQUIRED',
      'LIMIT_EXCEEDED',
      'QUOTE_LIMIT',
      'AMOUNT_TOO_SMALL',
      'PRICE_UNAVAILABLE',
      'PROVIDER_UNAVAILABLE',
      'PROVIDER_REFUSED',
      'PROVIDER_MISMATCH',
      ...gatewayErrors,
    ],
    idempotent: {
      keys: deps.idempotency,
      operation: 'gold.buy',
      owner: ({ userId }) => userId,
      key: ({ key }) => key,
      payload: ({ amount: { unit, requested }, gateway }) => ({ unit, amount: requested, gateway }),
      replay: async (id) => replayed(presentBuy(deps, await replayBuy(deps, id))),
      gate: (isReady) => deps.gates.requireBuyOpen(isReady),
      gateRead: () => deps.gates.readBuyEvidence(),
      reads: ({ userId }) => readBuyBasis(deps.clock, userId),
    },
    handler: async ({ body, principal: { userId }, context: { requestId }, key }) => {
      const { amount, gateway } = body;
      const placed = await buyNow(deps, { userId, amount, gateway, requestId }, key);
      return replyWith(placed, presentBuy(deps, placed));
    },
  });

const payForQuoteRoute = (deps: BuyingRouteDeps): Route =>
  defineIdempotentRoute({
    method: 'POST',
    path: '/payments/orders',
    summary: 'Pay for a quote: create its gold order and its payment order with the checkout',
    tags: ['payments'],
    access: customerAccess,
    body: payQuoteBody,
    responses: { 201: paymentOrderSchema, 200: paymentOrderSchema },
    errors: [
      'PAYMENTS_DISABLED',
      'TERMS_NOT_ACCEPTED',
      'IDEMPOTENCY_KEY_REUSED',
      'REQUEST_IN_PROGRESS',
      'KYC_REQUIRED',
      'LIMIT_EXCEEDED',
      'NOT_FOUND',
      'QUOTE_USED',
      'QUOTE_EXPIRED',
      ...gatewayErrors,
    ],
    idempotent: {
      keys: deps.idempotency,
      operation: 'payments.order',
      owner: ({ userId }) => userId,
      key: ({ idempotency_key: key }) => key,
      payload: (body) => ({ ...body, idempotency_key: undefined }),
      replay: async (id) => replayed(presentPayment(deps, await replayBuy(deps, id))),
      gate: (isReady) => deps.gates.requireBuyOpen(isReady),
      gateRead: () => deps.gates.readBuyEvidence(),
      check({ terms_accepted: termsAccepted }) {
        if (termsAccepted !== false) return;
        throw new AppError('TERMS_NOT_ACCEPTED', { field: 'terms_accepted' });
      },
      reads: ({ userId }) => readBuyBasis(deps.clock, userId),
    },
    handler: async ({ body, principal: { userId }, context: { requestId }, key }) => {
      const { quote_id: quoteId, method, gateway, terms_accepted: termsAccepted } = body;
      const request = { userId, quoteId, method, gateway, termsAccepted, requestId };
      const placed = await payForQuote(deps, request, key);
      return replyWith(placed, presentPayment(deps, placed));
    },
  });

/**
 * Declares `POST /gold/buy` and `POST /payments/orders`, which both place a buy order (contract:
 * buying > Placing a buy).
 */
export const createBuyCustomerRoutes = (deps: BuyingRouteDeps): Route[] => [
  buyRoute(deps),
  payForQuoteRoute(deps),
];
