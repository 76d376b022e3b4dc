import type { GatewayPayment } from '../../adapters/payment-gateway/port.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { ApplyPayment } from './apply-payment.ts';
import type { GatewaysByCode } from './choose-gateway.ts';
import { isEchoOf } from './is-echo-of.ts';
import { infoOf } from './payment-fact.ts';
import { createPaymentOrderStore, type AskWindow } from './payment-order.store.ts';
import type { PaymentMetrics } from './payments.metrics.ts';
import type { PaymentOrder } from './payments.types.ts';

export interface AskGatewayDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: PaymentMetrics;
  readonly gateways: GatewaysByCode;
  readonly applyPayment: ApplyPayment;
}

/** Who wants to know. */
export type Asker = 'checkout' | 'expiry' | 'janitor';

const minuteMs = 60_000;

/**
 * Around the end of their lock: every minute before it, to buy the gold still, and three times
 * after it. What stays open for days (an installment) is asked about every hour.
 */
const windowAt = (now: Date): AskWindow => ({
  now,
  createdBefore: addMs(now, -minuteMs),
  askedBefore: addMs(now, -45_000),
  expiresTo: addMs(now, 4 * minuteMs),
  closedExpiresFrom: addMs(now, -15 * minuteMs),
  closedAskedBefore: addMs(now, -5 * minuteMs),
  closedCreatedFrom: addMs(now, -60 * minuteMs),
  longNotAsked: addMs(now, -60 * minuteMs),
  limit: 200,
});

/**
 * Asks gateways for payments that no webhook told us of, and applies them as a webhook would
 * (decisions, section 3: unknown is resolved by asking). No lock is held while asking.
 */
export const createAskGateway = (deps: AskGatewayDeps) => {
  const { db, inTransaction, clock, logger, metrics, gateways, applyPayment } = deps;
  const store = createPaymentOrderStore(db);

  const applyCapture = async (
    order: PaymentOrder,
    payment: GatewayPayment,
    asker: Asker,
    requestId?: string,
  ): Promise<void> => {
    const { status: _, createdAt: occurredAt, ...rest } = payment;
    const gateway = order.gateway;
    const fact = {
      ...rest,
      kind: 'captured',
      gateway,
      occurredAt,
      learnedAt: clock.now(),
    } as const;
    const info = infoOf(`asked_by_${asker}`, gateway, requestId);
    const applied = await inTransaction((tx) => applyPayment(tx, order, fact, info));
    if (!applied.changed) return;
    metrics.countFoundCapture(gateway, asker);
    const { decision } = applied;
    logger.warn({ paymentOrderId: order.id, gateway, asker, decision }, 'a capture was found');
  };

  /** The gateway's order of one that was never told its id; undefined: no answer. */
  const findLost = async (order: PaymentOrder): Promise<PaymentOrder | 'none' | undefined> => {
    const found = await gateways.get(order.gateway)?.findOrderByReceipt(order.id);
    if (found?.kind !== 'done') return undefined;
    if (found.value === undefined) return 'none';
    if (order.status === 'CREATED' && !isEchoOf(found.value, order)) {
      logger.error({ paymentOrderId: order.id }, 'the gateway has another order of this receipt');
      return 'none';
    }
    try {
      const { gatewayOrderId } = found.value;
      const stored = await store.storeGatewayOrder(order.id, gatewayOrderId, clock.now());
      return stored ?? (await store.find(order.id));
    } catch (error) {
      if (isUniqueViolation(error)) return 'none';
      throw error;
    }
  };

  /**
   * Asks for the captures of one payment order and applies those that are new. False when the
   * gateway gave no answer: then nothing is known.
   */
  const askFor = async (
    asked: PaymentOrder,
    asker: Asker,
    requestId?: string,
  ): Promise<boolean> => {
    if (!gateways.has(asked.gateway)) {
      // Nobody is left to ask; waiting for an answer would be for ever.
      logger.error({ paymentOrderId: asked.id, gateway: asked.gateway }, 'no adapter to ask with');
      return true;
    }
    const order = asked.gatewayOrderId === null ? await findLost(asked) : asked;
    if (order === 'none') return true;
    const id = order?.gatewayOrderId ?? null;
    if (order === undefined || id === null) return false;
    const listed = await gateways.get(order.gateway)?.listPayments(id);
    if (listed?.kind !== 'done') {
      logger.warn({ paymentOrderId: order.id, asker, listed }, 'a gateway told of no payments');
      // "No such order" is an answer; whatever else came, nobody has looked.
      return listed?.kind === 'refused' && !isUnavailable(listed);
    }
    for (const payment of listed.value) {
      if (payment.status === 'CAPTURED') await applyCapture(order, payment, asker, requestId);
    }
    return true;
  };

  return {
    askFor,

    /** All payment orders of a gold order that may have been paid unseen; false: ask again. */
    async askForOrder(orderId: string): Promise<boolean> {
      let allAnswered = true;
      for (const order of await store.listOfOrders([orderId])) {
        const isOpen = order.status === 'CREATED' || order.status === 'GATEWAY_ORDER_CREATED';
        if (isOpen && !(await askFor(order, 'expiry'))) allAnswered = false;
      }
      return allAnswered;
    },

    /** The janitor's round: a gateway that gives no answer is left alone until the next. */
    async askAroundExpiry(): Promise<void> {
      const window = windowAt(clock.now());
      const silent = new Set<string>();
      for (const order of await store.listToAsk(window)) {
        if (silent.has(order.gateway) || !(await store.claimAsking(order.id, window))) continue;
        if (!(await askFor(order, 'janitor'))) silent.add(order.gateway);
      }
    },
  };
};

export type AskGateway = ReturnType<typeof createAskGateway>;
