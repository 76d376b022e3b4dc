import type { GatewayOrder, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { isUniqueViolation } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import {
  describeOutcome,
  explainOutcome,
  unknown,
  type Outcome,
} from '../../platform/outcome/outcome.ts';
import { lockPayableOrder, markOrderFailed } from '../orders/index.ts';
import {
  gatewayCause,
  type PaymentOrder,
  type PaymentsDeps,
  paymentMethods,
} from './payments.types.ts';
import {
  endAttempt,
  hasUndecidedAttempt,
  insertAttempt,
  recordAttemptDone,
  renewGatewayRequest,
  acquireGatewayRequest,
  releaseGatewayRequest,
} from './gateway-attempts.store.ts';
import { readMandateToken } from './debits.store.ts';
import {
  findPaymentOrder,
  lockPaymentOrder,
  keepGatewayOrder,
  nameGateway,
} from './payment-orders.store.ts';
import { beginFirstTurn } from './first-turn.store.ts';
import {
  openHeldPaymentOrder,
  openPaymentOrder,
  transitionPaymentOrder,
} from './payments.states.ts';
import { listUsableGateways, type GatewayCriteria } from './choose-gateway.ts';

type GatewayOrderDeps = Pick<
  PaymentsDeps,
  | 'db'
  | 'inTransaction'
  | 'clock'
  | 'wall'
  | 'random'
  | 'timers'
  | 'logger'
  | 'gateways'
  | 'liveOnly'
  | 'notify'
  | 'findCustomer'
  | 'vault'
>;

/** A gateway that took longer than this is not asked again while there are others. */
const patienceMs = 3000;

/** One gateway's turn: nobody else asks while the lease of `holderId` stands. */
interface GatewayTurn {
  readonly gateway: PaymentGateway;
  readonly order: PaymentOrder;
  readonly holderId: string;
  /** The intent of the first turn, whose lease has just begun. */
  readonly attemptId?: string;
  /** No other gateway is left: this one is asked again even if it is slow. */
  readonly isLast: boolean;
  /** Returns false when the request has used up its time: no further call begins. */
  readonly hasTime: () => boolean;
}

/** Returns true when the gateway made the order that was requested. */
export const isRequestedOrder = (made: GatewayOrder, requested: PaymentOrder): boolean =>
  made.amountPaise === requested.amountPaise &&
  made.currency === requested.currency &&
  made.receipt === requested.id;

const keyOf = ({ order, gateway }: Pick<GatewayTurn, 'order' | 'gateway'>) => ({
  paymentOrderId: order.id,
  gateway: gateway.code,
});

/** @throws AppError REQUEST_IN_PROGRESS when the lease was lost: another request is at it */
const requestOrder = async (
  { db, findCustomer, vault }: GatewayOrderDeps,
  { gateway, order, holderId }: GatewayTurn,
  isFirst = false,
): Promise<Outcome<GatewayOrder>> => {
  const customer = await findCustomer(db, order.userId);
  if (customer === undefined) throw new AppError('NOT_FOUND');
  const mandateToken = await readMandateToken({ db, vault }, order);
  // The first turn's lease began with its intent.
  if (!isFirst && !(await renewGatewayRequest(db, order.id, holderId))) {
    throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
  }
  return gateway.createOrder({
    receipt: order.id,
    amountPaise: order.amountPaise,
    currency: order.currency,
    ...(order.expiresAt !== null && { expiresAt: order.expiresAt }),
    customer,
    ...(mandateToken !== undefined && { mandateToken }),
  });
};

/** Requests an order only where the gateway certainly has none of this receipt. */
const findOrRequestOrder = async (
  deps: GatewayOrderDeps,
  turn: GatewayTurn,
): Promise<Outcome<GatewayOrder>> => {
  const found = await turn.gateway.findOrderByReceipt(turn.order.id);
  if (found.kind !== 'done') return unknown(describeOutcome(found));
  if (found.value !== undefined) return { kind: 'done', value: found.value };
  return turn.hasTime() ? requestOrder(deps, turn) : unknown('out of time');
};

/**
 * Fails a payment order whose gateway made another order than was requested, and the order that
 * waited for it. The gateway's order id, where it is known, is kept: should money come in for it
 * all the same, it finds its payment order.
 */
const failPaymentOrder = (
  deps: GatewayOrderDeps,
  { order: { id, orderId }, gateway }: GatewayTurn,
  gatewayOrderId?: string,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const why = 'gateway_order_mismatch';
    const cause = gatewayCause(why, gateway.code);
    const order = await lockPayableOrder(tx, orderId);
    const current = await lockPaymentOrder(tx, id);
    const key = { paymentOrderId: id, gateway: gateway.code };
    if (gatewayOrderId !== undefined) {
      const made = { gatewayOrderId, detail: why, at: deps.clock.now() };
      await recordAttemptDone(tx, key, made);
    }
    if (current?.status !== 'CREATED') return;
    await transitionPaymentOrder(deps, tx, current, {
      ...cause,
      to: 'FAILED',
      ...(gatewayOrderId !== undefined && current.gateway === gateway.code && { gatewayOrderId }),
    });
    if (order.status === 'PENDING') await markOrderFailed(deps, tx, order, cause);
  });

/**
 * Stores the order that a gateway made, and that its attempts are done. A payment order that has
 * another gateway's by now keeps that. The payments of this one still find it.
 * @throws a unique violation where another payment order has this gateway order
 */
export const storeMadeOrder = (
  deps: Pick<PaymentsDeps, 'inTransaction' | 'clock' | 'logger'>,
  key: { readonly paymentOrderId: string; readonly gateway: string },
  made: GatewayOrder,
): Promise<PaymentOrder | undefined> =>
  deps.inTransaction(async (tx) => {
    const at = deps.clock.now();
    const { paymentOrderId: id, gateway } = key;
    const { gatewayOrderId } = made;
    if (!(await openPaymentOrder(deps, tx, id, { ...made, gateway }))) {
      await keepGatewayOrder(tx, id, { ...made, gateway }, at);
    }
    await recordAttemptDone(tx, key, { gatewayOrderId, detail: 'done', at });
    return findPaymentOrder(tx, id);
  });

/** @throws AppError GATEWAY_MISMATCH where it is not the order that was requested */
const acceptOrder = async (
  deps: GatewayOrderDeps,
  turn: GatewayTurn,
  made: GatewayOrder,
): Promise<PaymentOrder> => {
  if (!isRequestedOrder(made, turn.order)) {
    await failPaymentOrder(deps, turn, made.gatewayOrderId);
    throw new AppError('GATEWAY_MISMATCH');
  }
  try {
    const { gatewayOrderId, checkoutSession } = made;
    const opened = await openHeldPaymentOrder(deps, deps.db, turn.order.id, {
      gateway: turn.gateway.code,
      gatewayOrderId,
      ...(checkoutSession !== undefined && { checkoutSession }),
      holderId: turn.holderId,
    });
    const stored = opened ?? (await storeMadeOrder(deps, keyOf(turn), made));
    if (stored === undefined) throw new AppError('NOT_FOUND');
    return stored;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await failPaymentOrder(deps, turn);
    throw new AppError('GATEWAY_MISMATCH', { cause: error });
  }
};

/**
 * Commits the intent: the payment order names the gateway, and the attempt has its row. Undefined
 * when the payment order is no longer CREATED.
 */
const recordIntent = async (
  { inTransaction, random, clock }: GatewayOrderDeps,
  turn: GatewayTurn,
): Promise<{ attemptId: string; wasRequested: boolean } | undefined> =>
  inTransaction(async (tx) => {
    const { order, gateway } = turn;
    const at = clock.now();
    const wasAskedHere = order.gateway === gateway.code && order.lastAskedAt !== null;
    const wasRequested = wasAskedHere || (await hasUndecidedAttempt(tx, keyOf(turn)));
    if (!(await nameGateway(tx, order.id, gateway.code, at))) return undefined;
    const attemptId = random.uuid();
    await insertAttempt(tx, attemptId, keyOf(turn), at);
    return { attemptId, wasRequested };
  });

/**
 * Tries to create the order of a payment order at one gateway. Returns the payment order as it is
 * then, or undefined when this gateway has failed and the next one may be tried: it refused, or
 * nobody can say. The latter leaves at most an order that no customer is ever shown. Its attempt
 * stays undecided, and a sweep finds out (contract: payments-and-webhooks > Failover).
 * @throws AppError GATEWAY_MISMATCH (the payment order and its order are FAILED), NOT_FOUND,
 *   REQUEST_IN_PROGRESS
 */
const tryGateway = async (
  deps: GatewayOrderDeps,
  turn: GatewayTurn,
): Promise<PaymentOrder | undefined> => {
  const { db, clock, wall, logger } = deps;
  const { order, gateway, isLast, attemptId } = turn;
  const intent =
    attemptId === undefined ? await recordIntent(deps, turn) : { attemptId, wasRequested: false };
  if (intent === undefined) return findPaymentOrder(db, order.id);
  const startedAt = wall.now();
  const first = intent.wasRequested
    ? await findOrRequestOrder(deps, turn)
    : await requestOrder(deps, turn, attemptId !== undefined);
  const isQuick = msBetween(startedAt, wall.now()) < patienceMs;
  const mayAskAgain = (isLast || isQuick) && turn.hasTime();
  // Once more where the first answer was lost: by the receipt, so that there is never a second.
  const outcome =
    first.kind === 'unknown' && mayAskAgain ? await findOrRequestOrder(deps, turn) : first;
  if (outcome.kind === 'done') return acceptOrder(deps, turn, outcome.value);
  const detail = explainOutcome(outcome);
  const status = outcome.kind === 'refused' ? 'REFUSED' : 'UNKNOWN';
  const turnedDown = outcome.kind === 'refused' && !isUnavailable(outcome);
  await endAttempt(db, intent.attemptId, { status, detail, turnedDown, at: clock.now() });
  const line = { paymentOrderId: order.id, gateway: gateway.code, outcome: detail };
  logger.warn(line, 'a gateway did not create an order');
  return undefined;
};

/** The time that a request waits for another one that asks for the same order. */
const waitMs = 5000;
const pollMs = 100;

/**
 * No further gateway is tried after so much of a request: its customer waits, and the lease of its
 * idempotency key goes on for 30 s only.
 */
const budgetMs = 12_000;

const requirePaymentOrder = async (
  { db }: Pick<GatewayOrderDeps, 'db'>,
  id: string,
): Promise<PaymentOrder> => {
  const order = await findPaymentOrder(db, id);
  if (order === undefined) throw new AppError('NOT_FOUND');
  return order;
};

/**
 * Acquires the right to ask gateways, waiting for whoever has it. Returns false when the payment
 * order is no longer CREATED. @throws AppError REQUEST_IN_PROGRESS
 */
const acquireRequest = async (
  { db, timers }: GatewayOrderDeps,
  paymentOrderId: string,
  holderId: string,
): Promise<boolean> => {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    if (await acquireGatewayRequest(db, paymentOrderId, holderId)) return true;
    const order = await findPaymentOrder(db, paymentOrderId);
    if (order?.status !== 'CREATED') return false;
    if (waitedMs >= waitMs) throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
    await timers.sleep(pollMs);
  }
};

/** Returns what a payment order asks for: its instrument, or the gateway of its mandate. */
const criteriaOf = ({ gateway, method, debitStatus }: PaymentOrder): GatewayCriteria =>
  debitStatus === null
    ? { method: paymentMethods.find((known) => known === method) }
    : { only: gateway };

/** A request for the order of a payment order, in which gateways have their turns. */
interface OrderRequest {
  readonly paymentOrderId: string;
  readonly holderId: string;
  readonly wish: GatewayCriteria;
  readonly hasTime: () => boolean;
}

/**
 * Gives the first gateway of `usable` its turn, where nobody asked one before, or undefined for
 * what `createGatewayOrder` does in all other cases, and `tried` where this gateway has failed.
 */
const tryFirst = async (
  deps: GatewayOrderDeps,
  { paymentOrderId, holderId, hasTime }: OrderRequest,
  [code, ...others]: readonly string[],
): Promise<PaymentOrder | 'tried' | undefined> => {
  const gateway = code === undefined ? undefined : deps.gateways.get(code);
  if (gateway === undefined) return undefined;
  const attemptId = deps.random.uuid();
  const at = deps.clock.now();
  const turn = { paymentOrderId, gateway: gateway.code, holderId, attemptId, at };
  const order = await beginFirstTurn(deps.db, turn);
  if (order === undefined) return undefined;
  const isLast = others.length === 0;
  const first = { gateway, order, holderId, attemptId, isLast, hasTime };
  return (await tryGateway(deps, first)) ?? 'tried';
};

/** Tries one gateway after the other, as the settings and circuits are when its turn comes. */
const createUnderLease = async (
  deps: GatewayOrderDeps,
  { paymentOrderId, holderId, wish, hasTime }: OrderRequest,
  triedBefore: readonly string[],
): Promise<PaymentOrder> => {
  const { clock, gateways } = deps;
  const tried = new Set(triedBefore);
  while (hasTime()) {
    const order = await requirePaymentOrder(deps, paymentOrderId);
    if (order.status !== 'CREATED') return order;
    if (order.expiresAt !== null && clock.now() >= order.expiresAt) {
      throw new AppError('QUOTE_EXPIRED');
    }
    const usable = await listUsableGateways(deps, { ...wish, ...criteriaOf(order) });
    const [code, ...others] = usable.filter((each) => !tried.has(each));
    const gateway = code === undefined ? undefined : gateways.get(code);
    if (gateway === undefined) break;
    tried.add(gateway.code);
    const isLast = others.length === 0;
    const created = await tryGateway(deps, { gateway, order, holderId, isLast, hasTime });
    if (created !== undefined) return created;
  }
  throw new AppError('NO_USABLE_GATEWAY');
};

/**
 * Creates the gateway's order of a committed payment order, at the first gateway in the order of
 * choice that does (contract: payments-and-webhooks > Failover). It may be called again after
 * anything: a process that died, an answer that was lost, a repeat of the request, and several at
 * once, of which one asks gateways (contract: states > Payment order). Returns the payment order as
 * it is. Only one that is CREATED is taken to a gateway. `usable` are the gateways in the order of
 * choice as its transaction read them: the first one is asked without reading them again.
 * @throws AppError NO_USABLE_GATEWAY (it stays CREATED: try again), GATEWAY_MISMATCH (it and its
 *   order are FAILED), QUOTE_EXPIRED, NOT_FOUND, REQUEST_IN_PROGRESS
 */
export const createGatewayOrder = async (
  deps: GatewayOrderDeps,
  paymentOrderId: string,
  wish: GatewayCriteria = {},
  usable: readonly string[] = [],
): Promise<PaymentOrder> => {
  const { wall } = deps;
  const holderId = deps.random.uuid();
  const startedAt = wall.now();
  const hasTime = () => msBetween(startedAt, wall.now()) < budgetMs;
  const request = { paymentOrderId, holderId, wish, hasTime };
  // Opening the payment order for its holder has ended the lease.
  let isHeld = true;
  try {
    const first = await tryFirst(deps, request, usable);
    if (typeof first === 'object') {
      isHeld = first.status !== 'GATEWAY_ORDER_CREATED';
      return first;
    }
    const isAcquired = first === 'tried' || (await acquireRequest(deps, paymentOrderId, holderId));
    if (!isAcquired) return await requirePaymentOrder(deps, paymentOrderId);
    return await createUnderLease(deps, request, first === 'tried' ? usable.slice(0, 1) : []);
  } finally {
    if (isHeld) await releaseGatewayRequest(deps.db, paymentOrderId, holderId);
  }
};
