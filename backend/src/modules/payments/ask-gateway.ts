import type { GatewayPayment } from '../../adapters/payment-gateway/port.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import type { ApplyPayment } from './apply-payment.ts';
import type { GatewaysByCode } from './choose-gateway.ts';
import { createFindLostOrder } from './find-lost-order.ts';
import { infoOf } from './payment-fact.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import { createPaymentsToAskStore, type AskWindow } from './payments-to-ask.store.ts';
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
  const toAsk = createPaymentsToAskStore(db);
  const findLostOrder = createFindLostOrder(deps);

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

  /**
   * Asks for the captures of one payment order and applies those that are new. False when the
   * gateway gave no answer, or what it said could not be applied: ask again.
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
    const order = asked.gatewayOrderId === null ? await findLostOrder(asked) : asked;
    if (order === 'none') return true;
    const id = order?.gatewayOrderId ?? null;
    if (order === undefined || id === null) return false;
    const listed = await gateways.get(order.gateway)?.listPayments(id);
    if (listed?.kind !== 'done') {
      logger.warn({ paymentOrderId: order.id, asker, listed }, 'a gateway told of no payments');
      // "No such order" is an answer; whatever else came, nobody has looked.
      return listed?.kind === 'refused' && !isUnavailable(listed);
    }
    try {
      for (const payment of listed.value) {
        if (payment.status === 'CAPTURED') await applyCapture(order, payment, asker, requestId);
      }
      return true;
    } catch (error) {
      const err = describeError(error);
      logger.error({ paymentOrderId: order.id, asker, err }, 'a capture could not be applied');
      return false;
    }
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
      for (const order of await toAsk.listToAsk(window)) {
        if (silent.has(order.gateway) || !(await toAsk.claimAsking(order.id, window))) continue;
        if (!(await askFor(order, 'janitor'))) silent.add(order.gateway);
      }
    },
  };
};

export type AskGateway = ReturnType<typeof createAskGateway>;
