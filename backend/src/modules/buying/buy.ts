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
  readDailyBuys,
  requireWithinDailyLimit,
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

/** A quote that was drafted for this purchase, or the id of a stored quote. */
type QuoteToBuy =
  | { readonly kind: 'new'; readonly quote: BuyQuote }
  | { readonly kind: 'stored'; readonly id: string };

interface OrderToPlace extends BuyRequest {
  readonly method?: PaymentMethod | undefined;
  readonly termsVersion?: string | undefined;
}

const lockQuote = async (tx: Db, userId: string, toBuy: QuoteToBuy): Promise<BuyQuote> => {
  if (toBuy.kind === 'new') return toBuy.quote;
  const quote = await lockBuyQuote(tx, toBuy.id, userId);
  if (quote === undefined) throw new AppError('NOT_FOUND');
  return quote;
};

/** Consumes a quote, so that it can never be used twice. */
const consume = async (
  deps: BuyDeps,
  tx: Db,
  toBuy: QuoteToBuy,
  quote: BuyQuote,
): Promise<void> => {
  requireUsable(quote, deps.clock.now());
  if (toBuy.kind === 'new') return insertBuyQuote(tx, { ...quote, status: 'CONSUMED' });
  if (!(await consumeQuote(deps, tx, quote, 'buy'))) throw new AppError('QUOTE_EXPIRED');
};

/** A payment order that was written, and its gateways in the order in which they are tried. */
interface PlacedPayment {
  readonly paymentOrderId: string;
  readonly gateways: readonly string[];
}

/** Checks the daily limit, consumes the quote and writes the gold order and the payment order. */
const writeOrder = async (
  deps: BuyDeps,
  tx: Db,
  request: OrderToPlace,
  given: { quote: QuoteToBuy; criteria: GatewayCriteria; limits: Limits; key: BuyKey },
): Promise<PlacedPayment> => {
  const { clock, random } = deps;
  const { userId } = request;
  const now = clock.now();
  // The lock comes first, so that two purchases of one customer count each other's amounts.
  await lockHolding(tx, userId);
  const reads = { boughtPaise: readDailyBuys(userId, now), settings: readGatewayChoice };
  const { boughtPaise, settings } = await readTogether(tx, reads);
  const gateways = requireUsableGateways(deps.payments, settings, given.criteria);
  const quote = await lockQuote(tx, userId, given.quote);
  requireWithinDailyLimit({ boughtPaise, amountPaise: quote.totalPaise }, given.limits);
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
  const paymentOrder = await findPaymentOrder(db, id);
  invariant(paymentOrder, `an idempotency key names payment order ${id}`);
  return paymentOrder;
};

/** Returns the order that a finished key created, in its current state. */
export const replayBuy = async (deps: BuyDeps, paymentOrderId: string): Promise<PlacedOrder> =>
  withOrder(deps, await loadPaymentOrder(deps, paymentOrderId), true);

/**
 * Places the order of a purchase (contract: buying > Placing a buy). One transaction consumes the
 * quote and writes the gold order with its payment order. The gateway's order is created after the
 * commit.
 */
const placeOrder = async (
  deps: BuyDeps,
  request: OrderToPlace,
  key: BuyKey,
  { limits, quote }: { readonly limits: Limits; readonly quote: QuoteToBuy },
): Promise<PlacedOrder> => {
  const { db, payments } = deps;
  const criteria = { preferred: request.gateway, method: request.method };
  const { paymentOrderId: id, gateways } = await deps.inTransaction((tx) =>
    writeOrder(deps, tx, request, { quote, criteria, limits, key }),
  );
  const paymentOrder = await createGatewayOrder(payments, id, criteria, gateways);
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
  const stored = await loadPaymentOrder(deps, paymentOrderId);
  const hasEnded = stored.expiresAt !== null && stored.expiresAt <= deps.clock.now();
  const isComplete = stored.status !== 'CREATED' || hasEnded;
  const paymentOrder = isComplete
    ? stored
    : await createGatewayOrder(deps.payments, paymentOrderId, { preferred: gateway });
  const placed = await withOrder(deps, paymentOrder, isComplete);
  await key.finish(deps.db);
  return placed;
};

/**
 * Buys at the current price.
 * @throws the errors of `draftBuyQuote` and `createGatewayOrder`
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
 * Returns the version of the terms that are in force.
 * @throws AppError PAYMENTS_DISABLED if no terms are in force that a customer could accept
 */
const requireTerms = async ({ db, clock }: BuyDeps): Promise<string> => {
  const version = await policyVersionInForce(db, 'terms', clock.now());
  if (version !== undefined) return version;
  throw new AppError('PAYMENTS_DISABLED', {
    message:
      'The terms are not available right now. You have not been charged. Please try again later.',
  });
};

/** Checks that a stored quote may be bought. The checks run in this order: KYC, limit, quote. */
const checkStored = async (
  { db, clock }: BuyDeps,
  { quoteId: id, userId }: PayForQuoteRequest,
  limits: Limits,
  { kycStatus, boughtPaise }: BuyBasis,
): Promise<QuoteToBuy> => {
  requireApproved(kycStatus);
  const quote = await findBuyQuote(db, id, userId);
  if (quote === undefined) throw new AppError('NOT_FOUND');
  requireWithinDailyLimit({ boughtPaise, amountPaise: quote.totalPaise }, limits);
  requireUsable(quote, clock.now());
  return { kind: 'stored', id };
};

/**
 * Buys at a stored quote.
 * @throws AppError PAYMENTS_DISABLED, KYC_REQUIRED, NOT_FOUND, LIMIT_EXCEEDED, QUOTE_USED,
 *   QUOTE_EXPIRED, and the errors of `createGatewayOrder`
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
