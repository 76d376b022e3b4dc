import { AppError } from '../../platform/errors/app-error.ts';
import {
  created,
  defineRoute,
  replayed,
  type Reply,
  type Route,
} from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { paymentOrderSchema } from '../payments/index.ts';
import { presentOrder } from '../orders/index.ts';
import {
  type DraftBuyQuote,
  type GoldAmount,
  checkDailyBuys,
  findBuyQuote,
  requireUsable,
} from '../quotes/index.ts';
import type { BuyDeps } from './buying.deps.ts';
import { buyBody, buyView, payQuoteBody } from './buying.schemas.ts';
import { createPlaceBuy, type PlacedOrder, type QuoteToBuy } from './place-buy.ts';

const buyScope = (ownerId: string, key: string) => ({ ownerId, operation: 'gold.buy', key });
const payScope = (ownerId: string, key: string) => ({ ownerId, operation: 'payments.order', key });

const buyPayload = ({ unit, requested }: GoldAmount) => ({ unit, amount: requested });

const answer = (placed: PlacedOrder, present: (placed: PlacedOrder) => unknown): Reply =>
  placed.isReplay ? replayed(present(placed)) : created(present(placed));

/** `POST /gold/buy`, `POST /payments/orders`: two ways to one buy. */
export const createBuyRoutes = (
  deps: BuyDeps & { readonly draftBuyQuote: DraftBuyQuote },
): Route[] => {
  const { db, clock, payments, draftBuyQuote } = deps;
  const buys = createPlaceBuy(deps);

  const requireOpenGate = async (): Promise<undefined> => {
    if (!(await deps.paymentGate())) throw new AppError('PAYMENTS_DISABLED');
  };

  /** What is accepted must be there: an acceptance of nothing would be worth nothing. */
  const termsInForce = async (): Promise<string> => {
    const version = await deps.termsVersionOn(db, clock.now());
    if (version !== undefined) return version;
    throw new AppError('PAYMENTS_DISABLED', { message: 'No terms are in force to be accepted.' });
  };

  const presentBuy = ({ order, paymentOrder }: PlacedOrder) => ({
    order: presentOrder(order),
    payment: payments.presentPaymentOrder(paymentOrder),
    sg_tx_id: order.providerTxId,
    expires_at: order.expiresAt?.toISOString(),
  });
  const presentPayment = ({ paymentOrder }: PlacedOrder) =>
    payments.presentPaymentOrder(paymentOrder);

  /** A stored quote, held against what may refuse it, in the order of refusals. */
  const checkStored = async (id: string, userId: string): Promise<QuoteToBuy> => {
    await deps.requireApprovedKyc(db, userId);
    const quote = await findBuyQuote(db, id, userId);
    if (quote === undefined) throw new AppError('NOT_FOUND');
    const now = clock.now();
    const buy = { userId, amountPaise: quote.totalPaise };
    await checkDailyBuys(db, buy, await deps.limits.current(), now);
    requireUsable(quote, now);
    return { kind: 'stored', id };
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/gold/buy',
      summary: 'Buy gold: quote, order and payment in one',
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
        'AMOUNT_TOO_SMALL',
        'PRICE_UNAVAILABLE',
        'PROVIDER_UNAVAILABLE',
        'PROVIDER_REFUSED',
        'PROVIDER_MISMATCH',
        'NO_USABLE_GATEWAY',
        'GATEWAY_UNAVAILABLE',
        'GATEWAY_REFUSED',
        'GATEWAY_MISMATCH',
      ],
      async before({ principal, parsedBody }) {
        const body = buyBody.safeParse(parsedBody);
        const done =
          body.success &&
          (await buys.findReplay(buyScope(principal.userId, body.data.key), buyPayload(body.data)));
        return done ? replayed(presentBuy(done)) : requireOpenGate();
      },
      handler: async ({ body, principal: { userId }, context }) => {
        const placed = await buys.place({
          scope: buyScope(userId, body.key),
          payload: buyPayload(body),
          requestId: context.requestId,
          prepare: async () => ({ kind: 'new', quote: await draftBuyQuote(userId, body) }),
        });
        return answer(placed, presentBuy);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/payments/orders',
      summary: 'Pay for a quote: its gold order and payment order, with the checkout',
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
        'QUOTE_USED',
        'QUOTE_EXPIRED',
        'NO_USABLE_GATEWAY',
        'GATEWAY_UNAVAILABLE',
        'GATEWAY_REFUSED',
        'GATEWAY_MISMATCH',
      ],
      async before({ principal, parsedBody }) {
        const body = payQuoteBody.safeParse(parsedBody);
        if (!body.success) return requireOpenGate();
        const { idempotency_key: key, ...payload } = body.data;
        const done = await buys.findReplay(payScope(principal.userId, key), payload);
        return done === undefined ? requireOpenGate() : replayed(presentPayment(done));
      },
      handler: async ({ body, principal: { userId }, context }) => {
        const { idempotency_key: key, ...payload } = body;
        if (body.terms_accepted === false) {
          throw new AppError('TERMS_NOT_ACCEPTED', { field: 'terms_accepted' });
        }
        const placed = await buys.place({
          scope: payScope(userId, key),
          payload,
          requestId: context.requestId,
          method: body.method,
          termsVersion: body.terms_accepted === true ? await termsInForce() : undefined,
          prepare: () => checkStored(body.quote_id, userId),
        });
        return answer(placed, presentPayment);
      },
    }),
  ];
};
