import type { GatewayOrder, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { isUniqueViolation } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { describeOutcome, unknown, type Outcome } from '../../platform/outcome/outcome.ts';
import { lockPayableOrder } from '../orders/index.ts';
import { causeOf } from './apply-payment.ts';
import {
  acquireGatewayRequest,
  releaseGatewayRequest,
  renewGatewayRequest,
} from './gateway-request.store.ts';
import {
  findPaymentOrder,
  lockPaymentOrder,
  recordGatewayRequest,
  storeGatewayOrder,
  transitionPaymentOrder,
} from './payment-orders.store.ts';
import type { PaymentOrder, PaymentsDeps } from './payments.types.ts';

type GatewayOrderDeps = Pick<
  PaymentsDeps,
  | 'db'
  | 'inTransaction'
  | 'clock'
  | 'random'
  | 'timers'
  | 'logger'
  | 'gateways'
  | 'orders'
  | 'findCustomer'
>;

/** The time that a request waits for another one that asks for the same order. */
const waitMs = 5000;
const pollMs = 100;

/** Returns true when the gateway made the order that was requested. */
const isEchoOf = (made: GatewayOrder, requested: PaymentOrder): boolean =>
  made.amountPaise === requested.amountPaise &&
  made.currency === requested.currency &&
  made.receipt === requested.id;

const requirePaymentOrder = async (
  { db }: Pick<PaymentsDeps, 'db'>,
  id: string,
): Promise<PaymentOrder> => {
  const order = await findPaymentOrder(db, id);
  if (order === undefined) throw new AppError('NOT_FOUND');
  return order;
};

/** One request for the gateway's order: nobody else asks while its lease stands. */
interface GatewayRequest {
  readonly gateway: PaymentGateway;
  readonly order: PaymentOrder;
  readonly holderId: string;
}

const requestOrder = async (
  { db, findCustomer }: GatewayOrderDeps,
  { gateway, order, holderId }: GatewayRequest,
): Promise<Outcome<GatewayOrder>> => {
  const customer = await findCustomer(db, order.userId);
  if (customer === undefined) throw new AppError('NOT_FOUND');
  if (!(await renewGatewayRequest(db, order.id, holderId))) return unknown('another one asks');
  return gateway.createOrder({
    receipt: order.id,
    amountPaise: order.amountPaise,
    currency: order.currency,
    ...(order.expiresAt !== null && { expiresAt: order.expiresAt }),
    customer,
  });
};

/** Requests an order only where the gateway certainly has none of this receipt. */
const findOrRequestOrder = async (
  deps: GatewayOrderDeps,
  request: GatewayRequest,
): Promise<Outcome<GatewayOrder>> => {
  const found = await request.gateway.findOrderByReceipt(request.order.id);
  if (found.kind !== 'done') return unknown('the gateway does not answer');
  if (found.value !== undefined) return { kind: 'done', value: found.value };
  return requestOrder(deps, request);
};

/**
 * Fails a payment order that its gateway will never take, and the order that waited for it. The
 * gateway's order id, where one is known, is kept: should money come in for it all the same, it
 * finds its payment order.
 */
const failPaymentOrder = (
  deps: GatewayOrderDeps,
  paymentOrder: PaymentOrder,
  why: 'gateway_order_mismatch' | 'gateway_order_refused',
  gatewayOrderId?: string,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const cause = causeOf(why, paymentOrder.gateway);
    const order = await lockPayableOrder(tx, paymentOrder.orderId);
    const current = await lockPaymentOrder(tx, paymentOrder.id);
    if (current?.status !== 'CREATED') return;
    await transitionPaymentOrder(deps, tx, current, {
      ...cause,
      to: 'FAILED',
      ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    });
    if (order.status === 'PENDING') await deps.orders.markFailed(tx, order, cause);
  });

const storeCreatedOrder = async (
  deps: GatewayOrderDeps,
  order: PaymentOrder,
  made: GatewayOrder,
): Promise<PaymentOrder> => {
  const { db, clock } = deps;
  if (!isEchoOf(made, order)) {
    await failPaymentOrder(deps, order, 'gateway_order_mismatch', made.gatewayOrderId);
    throw new AppError('GATEWAY_MISMATCH');
  }
  try {
    const stored = await storeGatewayOrder(db, order.id, made.gatewayOrderId, clock.now());
    return stored ?? (await requirePaymentOrder(deps, order.id));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await failPaymentOrder(deps, order, 'gateway_order_mismatch');
    throw new AppError('GATEWAY_MISMATCH', { cause: error });
  }
};

/**
 * Acquires the right to ask the gateway, waiting for whoever has it; false when the payment order
 * is no longer CREATED. @throws AppError REQUEST_IN_PROGRESS
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

const requestUnderLease = async (
  deps: GatewayOrderDeps,
  paymentOrderId: string,
  holderId: string,
): Promise<PaymentOrder> => {
  const { db, clock, logger, gateways } = deps;
  const recorded = await recordGatewayRequest(db, paymentOrderId, clock.now());
  if (recorded === undefined) return requirePaymentOrder(deps, paymentOrderId);
  const { order, wasRequested } = recorded;
  if (order.expiresAt !== null && clock.now() >= order.expiresAt) {
    throw new AppError('QUOTE_EXPIRED');
  }
  const gateway = gateways.get(order.gateway);
  if (gateway === undefined) throw new AppError('GATEWAY_UNAVAILABLE');
  const request = { gateway, order, holderId };
  const first = wasRequested
    ? await findOrRequestOrder(deps, request)
    : await requestOrder(deps, request);
  // Once more where the first answer was lost: by the receipt, so that there is never a second.
  const outcome = first.kind === 'unknown' ? await findOrRequestOrder(deps, request) : first;
  if (outcome.kind === 'done') return storeCreatedOrder(deps, order, outcome.value);
  const line = {
    paymentOrderId: order.id,
    gateway: order.gateway,
    outcome: describeOutcome(outcome),
  };
  if (outcome.kind === 'unknown' || isUnavailable(outcome)) {
    logger.warn(line, 'gateway order not created yet');
    throw new AppError('GATEWAY_UNAVAILABLE');
  }
  logger.error(line, 'gateway refused an order');
  await failPaymentOrder(deps, order, 'gateway_order_refused');
  throw new AppError('GATEWAY_REFUSED');
};

/**
 * Creates the gateway's order of a committed payment order. It may be called again after anything:
 * a process that died, an answer that was lost, a repeat of the request, and several at once, of
 * which one asks the gateway (contract: states > Payment order). Returns the payment order as it
 * is; only one that is CREATED is taken to the gateway.
 * @throws AppError GATEWAY_UNAVAILABLE (it stays CREATED: try again), GATEWAY_REFUSED or
 *   GATEWAY_MISMATCH (it and its order are FAILED), QUOTE_EXPIRED, NOT_FOUND, REQUEST_IN_PROGRESS
 */
export const createGatewayOrder = async (
  deps: GatewayOrderDeps,
  paymentOrderId: string,
): Promise<PaymentOrder> => {
  const holderId = deps.random.uuid();
  if (!(await acquireRequest(deps, paymentOrderId, holderId))) {
    return requirePaymentOrder(deps, paymentOrderId);
  }
  try {
    return await requestUnderLease(deps, paymentOrderId, holderId);
  } finally {
    await releaseGatewayRequest(deps.db, paymentOrderId, holderId);
  }
};

/**
 * Recovers the gateway's order of a payment order that never learned its id: its process died in
 * between, or the answer was lost. Returns 'none' when the gateway has none that is ours,
 * undefined when it gives no answer.
 */
export const recoverGatewayOrder = async (
  { db, clock, logger, gateways }: Pick<GatewayOrderDeps, 'db' | 'clock' | 'logger' | 'gateways'>,
  order: PaymentOrder,
): Promise<PaymentOrder | 'none' | undefined> => {
  const found = await gateways.get(order.gateway)?.findOrderByReceipt(order.id);
  if (found?.kind !== 'done') return undefined;
  if (found.value === undefined) return 'none';
  if (order.status === 'CREATED' && !isEchoOf(found.value, order)) {
    logger.error({ paymentOrderId: order.id }, 'the gateway has another order of this receipt');
    return 'none';
  }
  try {
    const stored = await storeGatewayOrder(db, order.id, found.value.gatewayOrderId, clock.now());
    return stored ?? (await findPaymentOrder(db, order.id));
  } catch (error) {
    if (isUniqueViolation(error)) return 'none';
    throw error;
  }
};
