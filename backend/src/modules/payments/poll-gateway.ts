import type { GatewayPayment } from '../../adapters/payment-gateway/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import { applyPayment, causeOf } from './apply-payment.ts';
import { recoverGatewayOrder } from './create-gateway-order.ts';
import {
  claimPoll,
  listPaymentOrders,
  listPollable,
  type PollWindow,
} from './payment-orders.store.ts';
import type { PaymentOrder, PaymentReport, PaymentsDeps } from './payments.types.ts';

/** The occasion of a poll: a customer's checkout, the end of an unpaid order, or the sweep. */
export type PollSource = 'checkout' | 'expiry' | 'janitor';

const minuteMs = 60_000;

/**
 * Polls around the end of the price lock: every minute before it, to buy the gold still, and three
 * times after it. What stays open for days (an installment) is polled every hour.
 */
const windowAt = (now: Date): PollWindow => ({
  now,
  createdBefore: addMs(now, -minuteMs),
  polledBefore: addMs(now, -45_000),
  expiresTo: addMs(now, 4 * minuteMs),
  closedExpiresFrom: addMs(now, -15 * minuteMs),
  closedPolledBefore: addMs(now, -5 * minuteMs),
  closedCreatedFrom: addMs(now, -60 * minuteMs),
  longNotPolled: addMs(now, -60 * minuteMs),
  limit: 200,
});

const applyCapture = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
  payment: GatewayPayment,
  source: PollSource,
  requestId?: string,
): Promise<void> => {
  const { inTransaction, clock, logger, metrics } = deps;
  const { status: _, createdAt: occurredAt, ...rest } = payment;
  const { gateway } = order;
  const report: PaymentReport = {
    ...rest,
    kind: 'captured',
    gateway,
    occurredAt,
    learnedAt: clock.now(),
  };
  const cause = causeOf(`asked_by_${source}`, gateway, requestId);
  const applied = await inTransaction((tx) => applyPayment(deps, tx, order, { report, cause }));
  if (!applied.changed) return;
  metrics.countFoundCapture(gateway, source);
  const { decision } = applied;
  logger.warn({ paymentOrderId: order.id, gateway, source, decision }, 'a capture was found');
};

/**
 * Polls the gateway of one payment order for captures that no webhook reported, and applies them
 * as a webhook would: an unknown outcome is resolved by asking. No lock is held during the call.
 * Returns false when the gateway gave no answer, or when its answer could not be applied: poll
 * again.
 */
export const pollGateway = async (
  deps: PaymentsDeps,
  polled: PaymentOrder,
  source: PollSource,
  requestId?: string,
): Promise<boolean> => {
  const { gateways, logger } = deps;
  const gateway = gateways.get(polled.gateway);
  if (gateway === undefined) {
    // Nobody is left to ask; waiting for an answer would be for ever.
    const line = { paymentOrderId: polled.id, gateway: polled.gateway };
    logger.error(line, 'no adapter to poll with');
    return true;
  }
  const order = polled.gatewayOrderId === null ? await recoverGatewayOrder(deps, polled) : polled;
  if (order === 'none') return true;
  const gatewayOrderId = order?.gatewayOrderId ?? null;
  if (order === undefined || gatewayOrderId === null) return false;
  const listed = await gateway.listPayments(gatewayOrderId);
  const line = { paymentOrderId: order.id, source };
  if (listed.kind !== 'done') {
    logger.warn({ ...line, outcome: describeOutcome(listed) }, 'a gateway listed no payments');
    // "No such order" is an answer; whatever else came, nobody has looked.
    return listed.kind === 'refused' && !isUnavailable(listed);
  }
  try {
    for (const payment of listed.value) {
      if (payment.status === 'CAPTURED') {
        await applyCapture(deps, order, payment, source, requestId);
      }
    }
    return true;
  } catch (error) {
    const err = describeError(error);
    logger.error({ ...line, err }, 'a capture could not be applied');
    return false;
  }
};

/**
 * Polls for all payment orders of a gold order that may have been paid unreported. Returns false
 * when a gateway gave no answer: the order must not be given up as unpaid then.
 */
export const pollGatewaysOfOrder = async (
  deps: PaymentsDeps,
  orderId: string,
): Promise<boolean> => {
  let allAnswered = true;
  for (const order of await listPaymentOrders(deps.db, [orderId])) {
    const isOpen = order.status === 'CREATED' || order.status === 'GATEWAY_ORDER_CREATED';
    if (isOpen && !(await pollGateway(deps, order, 'expiry'))) allAnswered = false;
  }
  return allAnswered;
};

/**
 * Polls for every payment that is due, batch by batch. A gateway that gives no answer is left until
 * next time, and its payment orders leave the batches to those of the others.
 */
export const pollDuePayments = async (deps: PaymentsDeps, signal: AbortSignal): Promise<void> => {
  const { db, clock } = deps;
  const window = windowAt(clock.now());
  const silent = new Set<string>();
  const poll = async (id: string, gateway: string): Promise<boolean> => {
    const order = await claimPoll(db, id, window);
    if (order !== undefined && !(await pollGateway(deps, order, 'janitor'))) silent.add(gateway);
    return order !== undefined;
  };
  let isDone = false;
  while (!isDone) {
    const due = await listPollable(db, window, [...silent]);
    let polled = 0;
    for (const { id, gateway } of due) {
      if (signal.aborted) return;
      if (!silent.has(gateway) && (await poll(id, gateway))) polled += 1;
    }
    // A polled row is not due any more; a batch of which none was polled is another worker's.
    isDone = due.length < window.limit || polled === 0;
  }
};
