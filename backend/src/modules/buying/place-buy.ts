import { AppError } from '../../platform/errors/app-error.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Claim, KeyScope } from '../../platform/idempotency/index.ts';
import { lockHolding } from '../holdings/index.ts';
import { type GoldOrder, findOrder, insertBuyOrder } from '../orders/index.ts';
import {
  type BuyQuote,
  checkDailyBuys,
  consumeQuote,
  insertBuyQuote,
  lockBuyQuote,
  requireUsable,
} from '../quotes/index.ts';
import type { BuyDeps } from './buying.deps.ts';
import type { PaymentMethod, PaymentOrder } from '../payments/index.ts';
import type { Limits } from '../settings/index.ts';

/** A quote made for this very buy, or the id of a stored one. */
export type QuoteToBuy =
  | { readonly kind: 'new'; readonly quote: BuyQuote }
  | { readonly kind: 'stored'; readonly id: string };

export interface BuyRequest {
  readonly scope: KeyScope;
  /** The parsed payload without its key: what a repeat must repeat. */
  readonly payload: object;
  readonly requestId: string;
  readonly method?: PaymentMethod | undefined;
  readonly termsVersion?: string | undefined;
  /** Everything that may refuse the buy before anything is written. */
  readonly prepare: () => Promise<QuoteToBuy>;
}

export interface PlacedOrder {
  readonly order: GoldOrder;
  readonly paymentOrder: PaymentOrder;
  readonly isReplay: boolean;
}

const lockQuote = async (tx: Db, userId: string, wanted: QuoteToBuy): Promise<BuyQuote> => {
  if (wanted.kind === 'new') return wanted.quote;
  const quote = await lockBuyQuote(tx, wanted.id, userId);
  if (quote === undefined) throw new AppError('NOT_FOUND');
  return quote;
};

/** Uses a quote up: the same quote can never be bought twice. */
const consume = async (tx: Db, wanted: QuoteToBuy, quote: BuyQuote, now: Date) => {
  requireUsable(quote, now);
  if (wanted.kind === 'new') return insertBuyQuote(tx, { ...quote, status: 'CONSUMED' });
  if (!(await consumeQuote(tx, quote.id, now))) throw new AppError('QUOTE_EXPIRED');
};

/**
 * The one way in which a buy comes about, for both routes that lead to it. One transaction
 * consumes the quote and writes the gold order with its payment order; after its commit the
 * gateway is asked. Every step can be taken up again by a repeat of the key.
 */
export const createPlaceBuy = (deps: BuyDeps) => {
  const { db, inTransaction, clock, random, idempotency, payments } = deps;

  const writeIn = async (
    tx: Db,
    request: BuyRequest,
    given: { quote: QuoteToBuy; gateway: string; limits: Limits; claim: Claim },
  ): Promise<string> => {
    const { ownerId: userId } = request.scope;
    const now = clock.now();
    // First of all, so that two buys of one customer count each other (decisions, section 2).
    await lockHolding(tx, userId);
    const quote = await lockQuote(tx, userId, given.quote);
    const buy = { userId, amountPaise: quote.totalPaise };
    await checkDailyBuys(tx, buy, given.limits, now);
    await consume(tx, given.quote, quote, now);
    const orderId = random.uuid();
    await insertBuyOrder(tx, {
      ...quote,
      id: orderId,
      eventId: random.uuid(),
      quoteId: quote.id,
      requestId: request.requestId,
      at: now,
    });
    const paymentOrderId = await payments.insertPaymentOrder(tx, {
      userId,
      orderId,
      quoteId: quote.id,
      gateway: given.gateway,
      amountPaise: quote.totalPaise,
      method: request.method,
      termsVersion: request.termsVersion,
      expiresAt: quote.lockEndsAt,
    });
    await given.claim.bind(tx, paymentOrderId);
    return paymentOrderId;
  };

  const orderOf = async (paymentOrder: PaymentOrder, isReplay: boolean): Promise<PlacedOrder> => {
    const order = await findOrder(db, paymentOrder.orderId);
    if (order === undefined) throw new Error(`payment order ${paymentOrder.id} has no order`);
    return { order, paymentOrder, isReplay };
  };

  const load = async (paymentOrderId: string): Promise<PaymentOrder> => {
    const found = await payments.findPaymentOrder(db, paymentOrderId);
    if (found === undefined) throw new Error(`there is no payment order ${paymentOrderId}`);
    return found;
  };

  /** Takes up what an earlier request left; a checkout that ran out meanwhile stays shut. */
  const resume = async (paymentOrderId: string): Promise<PlacedOrder> => {
    const left = await load(paymentOrderId);
    const hasEnded = left.expiresAt !== null && left.expiresAt <= clock.now();
    if (left.status !== 'CREATED' || hasEnded) return orderOf(left, true);
    return orderOf(await payments.openGatewayOrder(paymentOrderId), false);
  };

  const start = async (request: BuyRequest, claim: Claim): Promise<PaymentOrder> => {
    const quote = await request.prepare();
    const [gateway, limits] = await Promise.all([
      payments.chooseGateway({ method: request.method }),
      deps.limits.current(),
    ]);
    const id = await inTransaction((tx) => writeIn(tx, request, { quote, gateway, limits, claim }));
    return payments.openGatewayOrder(id);
  };

  const replay = async (paymentOrderId: string) => orderOf(await load(paymentOrderId), true);

  return {
    /** What a finished key made; undefined for any other key. */
    async findReplay(scope: KeyScope, payload: object): Promise<PlacedOrder | undefined> {
      const id = await idempotency.findReplay(scope, payload);
      return id === undefined ? undefined : replay(id);
    },

    /** @throws AppError what the preparation refuses, and what asking the gateway can end in */
    place: (request: BuyRequest): Promise<PlacedOrder> =>
      idempotency.run(request.scope, request.payload, {
        replay,
        async work(claim, resourceId) {
          const placed =
            resourceId === undefined
              ? await orderOf(await start(request, claim), false)
              : await resume(resourceId);
          await claim.finish(db);
          return placed;
        },
      }),
  };
};

export type PlaceBuy = ReturnType<typeof createPlaceBuy>;
