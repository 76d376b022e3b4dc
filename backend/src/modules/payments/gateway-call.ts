import type { GatewayOrder, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import {
  readFound,
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
} from '../../platform/collaborator-call/index.ts';
import { isUniqueViolation } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { explainOutcome, unknown, type Outcome } from '../../platform/outcome/outcome.ts';
import { lockPayableOrder, markOrderFailed } from '../orders/index.ts';
import { readMandateToken } from './debits.store.ts';
import {
  hasUndecidedAttempt,
  insertAttempt,
  markAttemptDone,
  renewGatewayRequest,
  updateAttemptOutcome,
} from './gateway-attempts.store.ts';
import {
  findPaymentOrder,
  lockPaymentOrder,
  updateGateway,
  updateGatewayOrder,
} from './payment-orders.store.ts';
import {
  openHeldPaymentOrder,
  openPaymentOrder,
  transitionPaymentOrder,
} from './payments.states.ts';
import { gatewayCause, type PaymentOrder, type PaymentsDeps } from './payments.types.ts';

export type GatewayOrderDeps = Pick<
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
  | 'metrics'
  | 'findCustomer'
  | 'vault'
>;

/** A turn at one gateway. Only the worker with `holderId` may call the gateway, under its lease. */
export interface GatewayTurn {
  readonly gateway: PaymentGateway;
  readonly order: PaymentOrder;
  readonly holderId: string;
  /** Present if the intent is already committed. */
  readonly attempt?: {
    readonly id: string;
    readonly wasSent: boolean;
    /** True if the lease was acquired together with the intent, so that it need not be renewed. */
    readonly hasLease?: true;
  };
  /** Returns false once the customer's request has no time for another call. */
  readonly hasTime: () => boolean;
}

/** An attempt to create the gateway order: a turn whose intent is committed. */
type GatewayAttempt = GatewayTurn & Required<Pick<GatewayTurn, 'attempt'>>;

/** Returns true if the gateway's order matches the request. */
export const isRequestedOrder = (created: GatewayOrder, requested: PaymentOrder): boolean =>
  created.amountPaise === requested.amountPaise &&
  created.currency === requested.currency &&
  created.receipt === requested.id;

const keyOf = ({ order, gateway }: Pick<GatewayTurn, 'order' | 'gateway'>) => ({
  paymentOrderId: order.id,
  gateway: gateway.code,
});

/**
 * Commits the intent of a call, unless the turn has an attempt already: sets the payment order's
 * gateway and inserts the attempt.
 */
const claimAttempt = async (
  { inTransaction, random, clock }: GatewayOrderDeps,
  turn: GatewayTurn,
): Promise<Claim<GatewayAttempt>> => {
  const { order, gateway, attempt } = turn;
  if (attempt !== undefined) {
    return { kind: 'SEND', call: { ...turn, attempt }, wasSent: attempt.wasSent };
  }
  return inTransaction(async (tx): Promise<Claim<GatewayAttempt>> => {
    const at = clock.now();
    const wasSentHere = order.gateway === gateway.code && order.lastAskedAt !== null;
    const wasSent = wasSentHere || (await hasUndecidedAttempt(tx, keyOf(turn)));
    if (!(await updateGateway(tx, order.id, gateway.code, at))) {
      return skip('the payment order is not CREATED');
    }
    const id = random.uuid();
    await insertAttempt(tx, id, keyOf(turn), at);
    return { kind: 'SEND', call: { ...turn, attempt: { id, wasSent } }, wasSent };
  });
};

const requestOrder = async (
  { db, findCustomer, vault }: GatewayOrderDeps,
  { gateway, order, holderId, attempt }: GatewayAttempt,
): Promise<Outcome<GatewayOrder> | undefined> => {
  const customer = await findCustomer(db, order.userId);
  if (customer === undefined) throw new AppError('NOT_FOUND');
  const mandateToken = await readMandateToken({ db, vault }, order);
  const isHeld = attempt.hasLease === true || (await renewGatewayRequest(db, order.id, holderId));
  if (!isHeld) return undefined;
  return gateway.createOrder({
    receipt: order.id,
    amountPaise: order.amountPaise,
    currency: order.currency,
    ...(order.expiresAt !== null && { expiresAt: order.expiresAt }),
    customer,
    ...(mandateToken !== undefined && { mandateToken }),
  });
};

/**
 * Fails a CREATED payment order and its pending gold order, because the gateway's order does not
 * match the request. Stores the id of the gateway's order if the id is given, so that a payment of
 * that order can still be matched to the payment order.
 */
const failPaymentOrder = (
  deps: GatewayOrderDeps,
  { order: { id, orderId }, gateway }: GatewayTurn,
  gatewayOrderId?: string,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const causeName = 'gateway_order_mismatch';
    const cause = gatewayCause(causeName, gateway.code);
    const order = await lockPayableOrder(tx, orderId);
    const current = await lockPaymentOrder(tx, id);
    const key = { paymentOrderId: id, gateway: gateway.code };
    if (gatewayOrderId !== undefined) {
      const created = { gatewayOrderId, detail: causeName, at: deps.clock.now() };
      await markAttemptDone(tx, key, created);
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
 * Stores the order that a gateway created, marks the attempts at that gateway DONE and returns the
 * payment order. If the payment order already has another gateway's order, it keeps that order. A
 * payment of the new order is then matched to the payment order by the attempt.
 * @throws a unique violation if another payment order has this gateway order
 */
export const storeCreatedOrder = (
  deps: Pick<PaymentsDeps, 'inTransaction' | 'clock' | 'logger'>,
  key: { readonly paymentOrderId: string; readonly gateway: string },
  created: GatewayOrder,
): Promise<PaymentOrder | undefined> =>
  deps.inTransaction(async (tx) => {
    const at = deps.clock.now();
    const { paymentOrderId: id, gateway } = key;
    const { gatewayOrderId } = created;
    if (!(await openPaymentOrder(deps, tx, id, { ...created, gateway }))) {
      await updateGatewayOrder(tx, id, { ...created, gateway }, at);
    }
    await markAttemptDone(tx, key, { gatewayOrderId, detail: 'done', at });
    return findPaymentOrder(tx, id);
  });

/**
 * Stores the gateway's order if it matches the request, and fails the payment order otherwise.
 * @throws AppError GATEWAY_MISMATCH if the gateway's order does not match the request or belongs to
 *   another payment order
 */
const acceptOrder = async (
  deps: GatewayOrderDeps,
  turn: GatewayTurn,
  created: GatewayOrder,
): Promise<PaymentOrder> => {
  if (!isRequestedOrder(created, turn.order)) {
    await failPaymentOrder(deps, turn, created.gatewayOrderId);
    throw new AppError('GATEWAY_MISMATCH');
  }
  try {
    const { gatewayOrderId, checkoutSession } = created;
    const opened = await openHeldPaymentOrder(deps, deps.db, turn.order.id, {
      gateway: turn.gateway.code,
      gatewayOrderId,
      ...(checkoutSession !== undefined && { checkoutSession }),
      holderId: turn.holderId,
    });
    const stored = opened ?? (await storeCreatedOrder(deps, keyOf(turn), created));
    if (stored === undefined) throw new AppError('NOT_FOUND');
    return stored;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await failPaymentOrder(deps, turn);
    throw new AppError('GATEWAY_MISMATCH', { cause: error });
  }
};

/**
 * Records the result of an attempt. Returns the payment order if the gateway has created its order,
 * otherwise undefined.
 */
const recordAttempt = async (
  deps: GatewayOrderDeps,
  attempt: GatewayAttempt,
  result: CallResult<GatewayOrder>,
): Promise<PaymentOrder | undefined> => {
  if (result.kind === 'DONE') return acceptOrder(deps, attempt, result.value);
  const { answer = unknown(result.reason) } = result;
  // INTENDED means that no request can have arrived, so it ends this attempt like a refusal.
  // Earlier attempts have rows of their own.
  const isRefused = answer.kind === 'refused' || result.kind === 'INTENDED';
  await updateAttemptOutcome(deps.db, attempt.attempt.id, {
    status: isRefused ? 'REFUSED' : 'UNKNOWN',
    detail: explainOutcome(answer),
    turnedDown: answer.kind === 'refused' && !isUnavailable(answer),
    at: deps.clock.now(),
  });
  return undefined;
};

/**
 * Declares the call that creates the gateway order of a payment order. A repeat first queries the
 * gateway by receipt, so that it never creates a second order. If the outcome stays unknown, a sweep
 * later finds out whether the gateway has the order (contract: payments-and-webhooks > Failover).
 */
export const createGatewayCall = (
  deps: GatewayOrderDeps,
): CallProtocol<GatewayTurn, GatewayAttempt, GatewayOrder, PaymentOrder | undefined> => ({
  flow: 'gateway_order',
  fieldsOf: (turn) => keyOf(turn),
  claim: (turn) => claimAttempt(deps, turn),
  hasArrived: () => false,
  query: async ({ gateway, order }) => readFound(await gateway.findOrderByReceipt(order.id)),
  decide({ hasTime }, hasArrived) {
    if (hasTime()) return 'SEND';
    return { kind: hasArrived ? 'INTENDED' : 'UNKNOWN', reason: 'out of time' };
  },
  send: (attempt) => requestOrder(deps, attempt),
  record: (attempt, result) => recordAttempt(deps, attempt, result),
});
