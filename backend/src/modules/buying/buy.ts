import { AppError } from '../../platform/errors/app-error.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Claim, Idempotency, KeyedRequest } from '../../platform/idempotency/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { lockHolding } from '../holdings/index.ts';
import { requireApprovedKyc } from '../kyc/index.ts';
import { policyVersionInForce } from '../legal/index.ts';
import { findOrder, insertBuyOrder, type GoldOrder } from '../orders/index.ts';
import {
  chooseGateway,
  createGatewayOrder,
  findPaymentOrder,
  insertPaymentOrder,
  type PaymentMethod,
  type PaymentOrder,
  type PaymentsDeps,
} from '../payments/index.ts';
import {
  checkDailyBuys,
  consumeQuote,
  findBuyQuote,
  insertBuyQuote,
  lockBuyQuote,
  requireUsable,
  type BuyQuote,
  type DraftBuyQuote,
  type GoldAmount,
  type QuoteDeps,
} from '../quotes/index.ts';
import type { Limits } from '../settings/index.ts';

export interface BuyDeps extends QuoteDeps {
  readonly draftBuyQuote: DraftBuyQuote;
  readonly payments: PaymentsDeps;
  readonly idempotency: Idempotency;
}

export interface PlacedOrder {
  readonly order: GoldOrder;
  readonly paymentOrder: PaymentOrder;
  readonly isReplay: boolean;
}

interface BuyRequest {
  readonly userId: string;
  readonly keyed: KeyedRequest;
  readonly requestId: string;
}

export interface BuyNowRequest extends BuyRequest {
  readonly amount: GoldAmount;
}

export interface PayForQuoteRequest extends BuyRequest {
  readonly quoteId: string;
  readonly method: PaymentMethod | undefined;
  readonly termsAccepted: boolean | undefined;
}

/** A quote made for this very buy, or the id of a stored one. */
type QuoteToBuy =
  | { readonly kind: 'new'; readonly quote: BuyQuote }
  | { readonly kind: 'stored'; readonly id: string };

interface OrderToPlace extends BuyRequest {
  readonly method?: PaymentMethod | undefined;
  readonly termsVersion?: string | undefined;
  /** Throws whatever refuses the buy, before anything is written. */
  readonly prepare: (limits: Limits) => Promise<QuoteToBuy>;
}

const lockQuote = async (tx: Db, userId: string, wanted: QuoteToBuy): Promise<BuyQuote> => {
  if (wanted.kind === 'new') return wanted.quote;
  const quote = await lockBuyQuote(tx, wanted.id, userId);
  if (quote === undefined) throw new AppError('NOT_FOUND');
  return quote;
};

/** Uses a quote up: the same quote can never be bought twice. */
const consume = async (
  deps: BuyDeps,
  tx: Db,
  wanted: QuoteToBuy,
  quote: BuyQuote,
): Promise<void> => {
  requireUsable(quote, deps.clock.now());
  if (wanted.kind === 'new') return insertBuyQuote(tx, { ...quote, status: 'CONSUMED' });
  if (!(await consumeQuote(deps, tx, quote, 'buy'))) throw new AppError('QUOTE_EXPIRED');
};

/**
 * Creates the two ways to buy, which share one `placeOrder`: one transaction consumes the quote
 * and writes the gold order with its payment order; after its commit the gateway's order is
 * created. A repeat of the key resumes after the last committed step
 * (contract: buying > Placing a buy).
 */
export const createBuy = (deps: BuyDeps) => {
  const { db, inTransaction, clock, random, idempotency, payments } = deps;

  const writeIn = async (
    tx: Db,
    request: OrderToPlace,
    given: { quote: QuoteToBuy; gateway: string; limits: Limits; claim: Claim },
  ): Promise<string> => {
    const { userId } = request;
    const now = clock.now();
    // First of all, so that two buys of one customer count each other's amounts.
    await lockHolding(tx, userId);
    const quote = await lockQuote(tx, userId, given.quote);
    const buy = { userId, amountPaise: quote.totalPaise };
    await checkDailyBuys(tx, buy, given.limits, now);
    await consume(deps, tx, given.quote, quote);
    const orderId = random.uuid();
    await insertBuyOrder(tx, {
      ...quote,
      id: orderId,
      eventId: random.uuid(),
      quoteId: quote.id,
      requestId: request.requestId,
      at: now,
    });
    const paymentOrderId = random.uuid();
    const payment = {
      userId,
      orderId,
      quoteId: quote.id,
      gateway: given.gateway,
      amountPaise: quote.totalPaise,
      method: request.method,
      termsVersion: request.termsVersion,
      expiresAt: quote.lockEndsAt,
    };
    await insertPaymentOrder(tx, paymentOrderId, payment, now);
    await given.claim.bind(tx, paymentOrderId);
    return paymentOrderId;
  };

  const withOrder = async (paymentOrder: PaymentOrder, isReplay: boolean): Promise<PlacedOrder> => {
    const order = await findOrder(db, paymentOrder.orderId);
    invariant(order, `payment order ${paymentOrder.id} has an order`);
    return { order, paymentOrder, isReplay };
  };

  const loadPaymentOrder = async (id: string): Promise<PaymentOrder> => {
    const found = await findPaymentOrder(db, id);
    invariant(found, `an idempotency key names payment order ${id}`);
    return found;
  };

  const start = async (request: OrderToPlace, claim: Claim): Promise<PlacedOrder> => {
    const limits = await deps.limits.current();
    const quote = await request.prepare(limits);
    const gateway = await chooseGateway(payments, { method: request.method });
    const id = await inTransaction((tx) => writeIn(tx, request, { quote, gateway, limits, claim }));
    return withOrder(await createGatewayOrder(payments, id), false);
  };

  /** Resumes what an earlier request left; a checkout that ran out meanwhile stays closed. */
  const resume = async (paymentOrderId: string): Promise<PlacedOrder> => {
    const left = await loadPaymentOrder(paymentOrderId);
    const hasEnded = left.expiresAt !== null && left.expiresAt <= clock.now();
    if (left.status !== 'CREATED' || hasEnded) return withOrder(left, true);
    return withOrder(await createGatewayOrder(payments, paymentOrderId), false);
  };

  /** Returns what a finished key made, as it is now. */
  const replay = async (paymentOrderId: string): Promise<PlacedOrder> =>
    withOrder(await loadPaymentOrder(paymentOrderId), true);

  const placeOrder = (request: OrderToPlace): Promise<PlacedOrder> =>
    idempotency.run(request.keyed.scope, request.keyed.payload, {
      replay,
      async work(claim, resourceId) {
        const placed = await (resourceId === undefined
          ? start(request, claim)
          : resume(resourceId));
        await claim.finish(db);
        return placed;
      },
    });

  /** Returns the version of the terms in force: an acceptance of no text would be worth nothing. */
  const requireTerms = async (): Promise<string> => {
    const version = await policyVersionInForce(db, 'terms', clock.now());
    if (version !== undefined) return version;
    throw new AppError('PAYMENTS_DISABLED', { message: 'No terms are in force to be accepted.' });
  };

  /** Checks a stored quote in the order of refusals: KYC, limits, then the quote itself. */
  const checkStored = async (id: string, userId: string, limits: Limits): Promise<QuoteToBuy> => {
    await requireApprovedKyc(db, userId);
    const quote = await findBuyQuote(db, id, userId);
    if (quote === undefined) throw new AppError('NOT_FOUND');
    const now = clock.now();
    const buy = { userId, amountPaise: quote.totalPaise };
    await checkDailyBuys(db, buy, limits, now);
    requireUsable(quote, now);
    return { kind: 'stored', id };
  };

  return {
    replay,

    /**
     * Buys at the price of the moment.
     * @throws AppError as drafting a quote and opening a checkout
     */
    buyNow: (request: BuyNowRequest): Promise<PlacedOrder> =>
      placeOrder({
        ...request,
        prepare: async (limits) => ({
          kind: 'new',
          quote: await deps.draftBuyQuote(request.userId, request.amount, limits),
        }),
      }),

    /**
     * Buys what a stored quote promised.
     * @throws AppError TERMS_NOT_ACCEPTED, KYC_REQUIRED, NOT_FOUND, LIMIT_EXCEEDED, QUOTE_USED,
     *   QUOTE_EXPIRED, and as opening a checkout
     */
    async payForQuote(request: PayForQuoteRequest): Promise<PlacedOrder> {
      const { quoteId, userId, termsAccepted } = request;
      if (termsAccepted === false) {
        throw new AppError('TERMS_NOT_ACCEPTED', { field: 'terms_accepted' });
      }
      return placeOrder({
        ...request,
        termsVersion: termsAccepted === true ? await requireTerms() : undefined,
        prepare: (limits) => checkStored(quoteId, userId, limits),
      });
    },
  };
};

export type Buy = ReturnType<typeof createBuy>;
