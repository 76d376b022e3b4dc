import type { GatewayCustomer, GatewayOrder } from '../../adapters/payment-gateway/port.ts';
import type { PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { GatewaysByCode } from './choose-gateway.ts';
import { createGatewayOpeningStore } from './gateway-opening.store.ts';
import { isEchoOf } from './is-echo-of.ts';
import type { OrderSettlement } from './order-settlement.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import type { PaymentOrder } from './payments.types.ts';

export interface OpenGatewayOrderDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gateways: GatewaysByCode;
  readonly settlement: OrderSettlement;
  /** Whom the gateway deals with; undefined when there is no such user. */
  readonly findCustomer: (db: Db, userId: string) => Promise<GatewayCustomer | undefined>;
}

/** Ends a payment order that its gateway will never take, and the order that waited for it. */
const createGiveUp =
  (deps: OpenGatewayOrderDeps) =>
  async (order: PaymentOrder, cause: string, gatewayOrderId?: string): Promise<void> => {
    await deps.inTransaction(async (db) => {
      const payable = await deps.settlement.lockOrder(db, order.orderId);
      const store = createPaymentOrderStore(db);
      const current = await store.lock(order.id);
      if (current?.status !== 'CREATED') return;
      await store.move(current, {
        to: 'FAILED',
        at: deps.clock.now(),
        // Should money come in for it all the same, it finds its payment order.
        ...(gatewayOrderId !== undefined && { gatewayOrderId }),
      });
      if (payable.status !== 'PENDING') return;
      await deps.settlement.markFailed(db, payable, { cause, actor: `gateway:${order.gateway}` });
    });
  };

/** Asks the gateway for an order of this receipt, once more where the first answer was lost. */
const createAsk = (deps: OpenGatewayOrderDeps) => {
  const askFor = async (gateway: PaymentGateway, order: PaymentOrder) => {
    const customer = await deps.findCustomer(deps.db, order.userId);
    if (customer === undefined) throw new AppError('NOT_FOUND');
    return gateway.createOrder({
      receipt: order.id,
      amountPaise: order.amountPaise,
      currency: order.currency,
      ...(order.expiresAt !== null && { expiresAt: order.expiresAt }),
      customer,
    });
  };
  const findOrAskFor = async (
    gateway: PaymentGateway,
    order: PaymentOrder,
  ): Promise<Outcome<GatewayOrder>> => {
    const found = await gateway.findOrderByReceipt(order.id);
    if (found.kind !== 'done') return { kind: 'unknown', reason: 'the gateway can not be asked' };
    if (found.value !== undefined) return { kind: 'done', value: found.value };
    return askFor(gateway, order);
  };
  return async (gateway: PaymentGateway, order: PaymentOrder, openedBefore: boolean) => {
    const first = openedBefore ? await findOrAskFor(gateway, order) : await askFor(gateway, order);
    return first.kind === 'unknown' ? findOrAskFor(gateway, order) : first;
  };
};

/**
 * Opens the gateway's order of a committed payment order, and may be called again after anything:
 * a process that died, an answer that was lost, a repeat of the request (decisions, section 3).
 * Answers the payment order as it is; only one that is CREATED is taken to the gateway.
 * @throws AppError GATEWAY_UNAVAILABLE (it stays CREATED: try again), GATEWAY_REFUSED or
 *   GATEWAY_MISMATCH (it and its order are FAILED), QUOTE_EXPIRED, NOT_FOUND
 */
export const createOpenGatewayOrder = (deps: OpenGatewayOrderDeps) => {
  const { db, clock, logger, gateways } = deps;
  const store = createPaymentOrderStore(db);
  const openings = createGatewayOpeningStore(db);
  const giveUp = createGiveUp(deps);
  const ask = createAsk(deps);

  const read = async (id: string): Promise<PaymentOrder> => {
    const order = await store.find(id);
    if (order === undefined) throw new AppError('NOT_FOUND');
    return order;
  };

  const keep = async (order: PaymentOrder, made: GatewayOrder): Promise<PaymentOrder> => {
    if (!isEchoOf(made, order)) {
      await giveUp(order, 'gateway_order_mismatch', made.gatewayOrderId);
      throw new AppError('GATEWAY_MISMATCH');
    }
    try {
      const stored = await openings.storeGatewayOrder(order.id, made.gatewayOrderId, clock.now());
      return stored ?? (await read(order.id));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      await giveUp(order, 'gateway_order_mismatch');
      throw new AppError('GATEWAY_MISMATCH', { cause: error });
    }
  };

  return async (paymentOrderId: string): Promise<PaymentOrder> => {
    const claim = await openings.claimOpening(paymentOrderId, clock.now());
    if (claim === undefined) return read(paymentOrderId);
    const { paymentOrder: order, openedBefore } = claim;
    if (order.expiresAt !== null && clock.now() >= order.expiresAt) {
      throw new AppError('QUOTE_EXPIRED');
    }
    const gateway = gateways.get(order.gateway);
    if (gateway === undefined) throw new AppError('GATEWAY_UNAVAILABLE');
    const outcome = await ask(gateway, order, openedBefore);
    if (outcome.kind === 'done') return keep(order, outcome.value);
    const { id, gateway: code } = order;
    if (outcome.kind === 'unknown' || isUnavailable(outcome)) {
      logger.warn({ paymentOrderId: id, gateway: code, outcome }, 'gateway order not opened yet');
      throw new AppError('GATEWAY_UNAVAILABLE');
    }
    logger.error({ paymentOrderId: id, gateway: code, outcome }, 'gateway refused an order');
    await giveUp(order, 'gateway_order_refused');
    throw new AppError('GATEWAY_REFUSED');
  };
};
