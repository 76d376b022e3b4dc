import { AppError } from '../../platform/errors/app-error.ts';
import { readTogether, type Db } from '../../platform/db/index.ts';
import type { Claim, Idempotency, KeyedRequest } from '../../platform/idempotency/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { lockHolding } from '../holdings/index.ts';
import { requireApproved } from '../kyc/index.ts';
import { policyVersionInForce } from '../legal/index.ts';
import { findOrder, insertBuyOrder, type GoldOrder } from '../orders/index.ts';
import {
  createGatewayOrder,
  findPaymentOrder,
  insertPaymentOrder,
  readGatewayChoice,
  requireUsableGateways,
  type GatewayCriteria,
  type PaymentMethod,
  type PaymentOrder,
  type PaymentsDeps,
} from '../payments/index.ts';
import {
  consumeQuote,
  draftBuyQuote,
  findBuyQuote,
  insertBuyQuote,
  lockBuyQuote,
  readBuyBasis,
  readDaysBuys,
  requireDaysRoom,
  requireUsable,
  type BuyBasis,
  type BuyQuote,
  type GoldAmount,
  type QuoteDeps,
} from '../quotes/index.ts';
import type { Limits } from '../settings/index.ts';

export interface BuyDeps extends QuoteDeps {
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
  /** The code of the gateway that the customer prefers. */
  readonly gateway?: string | undefined;
  readonly keyed: KeyedRequest;
  readonly requestId: string;
}

interface BuyNowRequest extends BuyRequest {
  readonly amount: GoldAmount;
}

interface PayForQuoteRequest extends BuyRequest {
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
  readonly prepare: (limits: Limits, basis: BuyBasis) => Promise<QuoteToBuy>;
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

/** A payment order that was written, and the gateways that may be asked, in their order. */
interface PlacedPayment {
  readonly paymentOrderId: string;
  readonly gateways: readonly string[];
}

/** A buy's own transaction: the quote is used up, and gold order and payment order are written. */
const writeOrder = async (
  deps: BuyDeps,
  tx: Db,
  request: OrderToPlace,
  given: { quote: QuoteToBuy; wish: GatewayCriteria; limits: Limits; claim: Claim },
): Promise<PlacedPayment> => {
  const { clock, random } = deps;
  const { userId } = request;
  const now = clock.now();
  // First of all, so that two buys of one customer count each other's amounts.
  await lockHolding(tx, userId);
  const reads = { bought: readDaysBuys(userId, now), settings: readGatewayChoice };
  const { bought, settings } = await readTogether(tx, reads);
  const gateways = requireUsableGateways(deps.payments, settings, given.wish);
  const quote = await lockQuote(tx, userId, given.quote);
  requireDaysRoom({ bought, amountPaise: quote.totalPaise }, given.limits);
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
    gateway: gateways[0],
    amountPaise: quote.totalPaise,
    method: request.method,
    termsVersion: request.termsVersion,
    expiresAt: quote.lockEndsAt,
  };
  await insertPaymentOrder(tx, paymentOrderId, payment, now);
  await given.claim.bind(tx, paymentOrderId);
  return { paymentOrderId, gateways };
};

const withOrder = async (
  { db }: BuyDeps,
  paymentOrder: PaymentOrder,
  isReplay: boolean,
): Promise<PlacedOrder> => {
  const order = await findOrder(db, paymentOrder.orderId);
  invariant(order, `payment order ${paymentOrder.id} has an order`);
  return { order, paymentOrder, isReplay };
};

const loadPaymentOrder = async ({ db }: BuyDeps, id: string): Promise<PaymentOrder> => {
  const found = await findPaymentOrder(db, id);
  invariant(found, `an idempotency key names payment order ${id}`);
  return found;
};

const start = async (
  deps: BuyDeps,
  request: OrderToPlace,
  claim: Claim,
  basis: BuyBasis,
): Promise<PlacedOrder> => {
  const { payments } = deps;
  const limits = await deps.limits.current(basis.versions);
  const quote = await request.prepare(limits, basis);
  const wish = { preferred: request.gateway, method: request.method };
  const given = { quote, wish, limits, claim };
  const { paymentOrderId: id, gateways } = await deps.inTransaction((tx) =>
    writeOrder(deps, tx, request, given),
  );
  return withOrder(deps, await createGatewayOrder(payments, id, wish, gateways), false);
};

/** Resumes what an earlier request left. A checkout that ran out meanwhile stays closed. */
const resume = async (
  deps: BuyDeps,
  { gateway }: OrderToPlace,
  paymentOrderId: string,
): Promise<PlacedOrder> => {
  const left = await loadPaymentOrder(deps, paymentOrderId);
  const hasEnded = left.expiresAt !== null && left.expiresAt <= deps.clock.now();
  if (left.status !== 'CREATED' || hasEnded) return withOrder(deps, left, true);
  const wish = { preferred: gateway };
  return withOrder(deps, await createGatewayOrder(deps.payments, paymentOrderId, wish), false);
};

/** Returns what a finished key made, as it is now. */
export const replayBuy = async (deps: BuyDeps, paymentOrderId: string): Promise<PlacedOrder> =>
  withOrder(deps, await loadPaymentOrder(deps, paymentOrderId), true);

/**
 * Places an order, in the way that both ways to buy share: one transaction consumes the quote and
 * writes the gold order with its payment order. After its commit the gateway's order is created. A
 * repeat of the key resumes after the last committed step (contract: buying > Placing a buy).
 */
const placeOrder = (deps: BuyDeps, request: OrderToPlace): Promise<PlacedOrder> =>
  deps.idempotency.run(request.keyed.scope, request.keyed.payload, {
    reads: readBuyBasis(deps.clock, request.userId),
    replay: (id) => replayBuy(deps, id),
    async work(claim, resourceId, basis) {
      const placed = await (resourceId === undefined
        ? start(deps, request, claim, basis)
        : resume(deps, request, resourceId));
      await claim.finish(deps.db);
      return placed;
    },
  });

/**
 * Buys at the price of the moment.
 * @throws AppError as drafting a quote and opening a checkout
 */
export const buyNow = (deps: BuyDeps, request: BuyNowRequest): Promise<PlacedOrder> =>
  placeOrder(deps, {
    ...request,
    prepare: async (limits, basis) => ({
      kind: 'new',
      quote: await draftBuyQuote(deps, request.userId, request.amount, limits, basis),
    }),
  });

/** Returns the version of the terms in force: an acceptance of no text would be worth nothing. */
const requireTerms = async ({ db, clock }: BuyDeps): Promise<string> => {
  const version = await policyVersionInForce(db, 'terms', clock.now());
  if (version !== undefined) return version;
  throw new AppError('PAYMENTS_DISABLED', {
    message:
      'The terms are not available right now. You have not been charged. Please try again later.',
  });
};

/** Checks a stored quote in the order of refusals: KYC, limits, then the quote itself. */
const checkStored = async (
  { db, clock }: BuyDeps,
  { quoteId: id, userId }: PayForQuoteRequest,
  limits: Limits,
  { kycStatus, bought }: BuyBasis,
): Promise<QuoteToBuy> => {
  requireApproved(kycStatus);
  const quote = await findBuyQuote(db, id, userId);
  if (quote === undefined) throw new AppError('NOT_FOUND');
  requireDaysRoom({ bought, amountPaise: quote.totalPaise }, limits);
  requireUsable(quote, clock.now());
  return { kind: 'stored', id };
};

/**
 * Buys what a stored quote promised.
 * @throws AppError TERMS_NOT_ACCEPTED, KYC_REQUIRED, NOT_FOUND, LIMIT_EXCEEDED, QUOTE_USED,
 *   QUOTE_EXPIRED, and as opening a checkout
 */
export const payForQuote = async (
  deps: BuyDeps,
  request: PayForQuoteRequest,
): Promise<PlacedOrder> => {
  const { termsAccepted } = request;
  if (termsAccepted === false) {
    throw new AppError('TERMS_NOT_ACCEPTED', { field: 'terms_accepted' });
  }
  return placeOrder(deps, {
    ...request,
    termsVersion: termsAccepted === true ? await requireTerms(deps) : undefined,
    prepare: (limits, basis) => checkStored(deps, request, limits, basis),
  });
};
