import { AppError } from '../../platform/errors/app-error.ts';
import { readTogether, type Db } from '../../platform/db/index.ts';
import type { HeldKey } from '../../platform/idempotency/index.ts';
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
  readonly requestId: string;
}

/** The idempotency key of a request to buy, with the data that was read when it was acquired. */
type BuyKey = HeldKey<BuyBasis>;

interface BuyNowRequest extends BuyRequest {
  readonly amount: GoldAmount;
}

interface PayForQuoteRequest extends BuyRequest {
  readonly quoteId: string;
  readonly method: PaymentMethod | undefined;
  readonly termsAccepted: boolean | undefined;
}

/** A quote that was made for this buy, or the id of a stored quote. */
type QuoteToBuy =
  | { readonly kind: 'new'; readonly quote: BuyQuote }
  | { readonly kind: 'stored'; readonly id: string };

interface OrderToPlace extends BuyRequest {
  readonly method?: PaymentMethod | undefined;
  readonly termsVersion?: string | undefined;
}

const lockQuote = async (tx: Db, userId: string, wanted: QuoteToBuy): Promise<BuyQuote> => {
  if (wanted.kind === 'new') return wanted.quote;
  const quote = await lockBuyQuote(tx, wanted.id, userId);
  if (quote === undefined) throw new AppError('NOT_FOUND');
  return quote;
};

/** Consumes a quote, so that it can never be used twice. */
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

/** A payment order that was written, and the gateways to try in this order. */
interface PlacedPayment {
  readonly paymentOrderId: string;
  readonly gateways: readonly string[];
}

/**
 * Runs the transaction of a buy. It consumes the quote and writes the gold order and the payment
 * order.
 */
const writeOrder = async (
  deps: BuyDeps,
  tx: Db,
  request: OrderToPlace,
  given: { quote: QuoteToBuy; wish: GatewayCriteria; limits: Limits; key: BuyKey },
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
  await given.key.bind(tx, paymentOrderId);
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

/** Returns the current state of the payment order that a finished key created. */
export const replayBuy = async (deps: BuyDeps, paymentOrderId: string): Promise<PlacedOrder> =>
  withOrder(deps, await loadPaymentOrder(deps, paymentOrderId), true);

/**
 * Places an order for both ways to buy. One transaction consumes the quote and writes the gold
 * order with its payment order. After its commit the gateway's order is created (contract: buying >
 * Placing a buy).
 */
const placeOrder = async (
  deps: BuyDeps,
  request: OrderToPlace,
  key: BuyKey,
  { limits, quote }: { readonly limits: Limits; readonly quote: QuoteToBuy },
): Promise<PlacedOrder> => {
  const { db, payments } = deps;
  const wish = { preferred: request.gateway, method: request.method };
  const { paymentOrderId: id, gateways } = await deps.inTransaction((tx) =>
    writeOrder(deps, tx, request, { quote, wish, limits, key }),
  );
  const paymentOrder = await createGatewayOrder(payments, id, wish, gateways);
  const placed = await withOrder(deps, paymentOrder, false);
  await key.finish(db);
  return placed;
};

/**
 * Resumes an earlier request with the same key after its last committed step. A checkout that
 * expired in the meantime stays closed.
 */
const resume = async (
  deps: BuyDeps,
  { gateway }: BuyRequest,
  key: BuyKey,
  paymentOrderId: string,
): Promise<PlacedOrder> => {
  const left = await loadPaymentOrder(deps, paymentOrderId);
  const hasEnded = left.expiresAt !== null && left.expiresAt <= deps.clock.now();
  const isThere = left.status !== 'CREATED' || hasEnded;
  const wish = { preferred: gateway };
  const paymentOrder = isThere
    ? left
    : await createGatewayOrder(deps.payments, paymentOrderId, wish);
  const placed = await withOrder(deps, paymentOrder, isThere);
  await key.finish(deps.db);
  return placed;
};

/**
 * Buys at the price of the moment.
 * @throws AppError as drafting a quote and opening a checkout
 */
export const buyNow = async (
  deps: BuyDeps,
  request: BuyNowRequest,
  key: BuyKey,
): Promise<PlacedOrder> => {
  const { resourceId, values: basis } = key;
  if (resourceId !== undefined) return resume(deps, request, key, resourceId);
  const limits = await deps.limits.current(basis.versions);
  const quote = await draftBuyQuote(deps, request.userId, request.amount, limits, basis);
  return placeOrder(deps, request, key, { limits, quote: { kind: 'new', quote } });
};

/**
 * Returns the version of the terms that are in force. Without such terms the purchase is refused,
 * since there is nothing to accept.
 */
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
 * Buys at a stored quote.
 * @throws AppError KYC_REQUIRED, NOT_FOUND, LIMIT_EXCEEDED, QUOTE_USED, QUOTE_EXPIRED, and the
 *   errors of opening a checkout
 */
export const payForQuote = async (
  deps: BuyDeps,
  request: PayForQuoteRequest,
  key: BuyKey,
): Promise<PlacedOrder> => {
  const { resourceId, values: basis } = key;
  const termsVersion = request.termsAccepted === true ? await requireTerms(deps) : undefined;
  if (resourceId !== undefined) return resume(deps, request, key, resourceId);
  const limits = await deps.limits.current(basis.versions);
  const quote = await checkStored(deps, request, limits, basis);
  return placeOrder(deps, { ...request, termsVersion }, key, { limits, quote });
};
