import type { GatewayOrder, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { isUniqueViolation } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { describeOutcome, unknown, type Outcome } from '../../platform/outcome/outcome.ts';
import { lockPayableOrder } from '../orders/index.ts';
import { causeOf } from './apply-payment.ts';
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
  'db' | 'inTransaction' | 'clock' | 'logger' | 'gateways' | 'orders' | 'findCustomer'
>;

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

const requestOrder = async (
  { db, findCustomer }: GatewayOrderDeps,
  gateway: PaymentGateway,
  order: PaymentOrder,
): Promise<Outcome<GatewayOrder>> => {
  const customer = await findCustomer(db, order.userId);
  if (customer === undefined) throw new AppError('NOT_FOUND');
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
  gateway: PaymentGateway,
  order: PaymentOrder,
): Promise<Outcome<GatewayOrder>> => {
  const found = await gateway.findOrderByReceipt(order.id);
  if (found.kind !== 'done') return unknown('the gateway does not answer');
  if (found.value !== undefined) return { kind: 'done', value: found.value };
  return requestOrder(deps, gateway, order);
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
 * Creates the gateway's order of a committed payment order. It may be called again after anything:
 * a process that died, an answer that was lost, a repeat of the request (contract: states >
 * Payment order). Returns the payment order as it is; only one that is CREATED is taken to the
 * gateway.
 * @throws AppError GATEWAY_UNAVAILABLE (it stays CREATED: try again), GATEWAY_REFUSED or
 *   GATEWAY_MISMATCH (it and its order are FAILED), QUOTE_EXPIRED, NOT_FOUND
 */
export const createGatewayOrder = async (
  deps: GatewayOrderDeps,
  paymentOrderId: string,
): Promise<PaymentOrder> => {
  const { db, clock, logger, gateways } = deps;
  const request = await recordGatewayRequest(db, paymentOrderId, clock.now());
  if (request === undefined) return requirePaymentOrder(deps, paymentOrderId);
  const { order, wasRequested } = request;
  if (order.expiresAt !== null && clock.now() >= order.expiresAt) {
    throw new AppError('QUOTE_EXPIRED');
  }
  const gateway = gateways.get(order.gateway);
  if (gateway === undefined) throw new AppError('GATEWAY_UNAVAILABLE');
  const first = wasRequested
    ? await findOrRequestOrder(deps, gateway, order)
    : await requestOrder(deps, gateway, order);
  // Once more where the first answer was lost: by the receipt, so that there is never a second.
  const outcome = first.kind === 'unknown' ? await findOrRequestOrder(deps, gateway, order) : first;
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
 * Recovers the gateway's order of a payment order that never learned its id: its process died in
 * between, or the answer was lost. Returns 'none' when the gateway has none that is ours,
 * undefined when it gives no answer.
 */
export const recoverGatewayOrder = async (
  { db, clock, logger, gateways }: Omit<GatewayOrderDeps, 'inTransaction'>,
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
