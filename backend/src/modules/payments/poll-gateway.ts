import { isUniqueViolation } from '../../platform/db/index.ts';
import {
  hasAnswered,
  hasUnread,
  type GatewayPayment,
  type PaymentGateway,
} from '../../adapters/payment-gateway/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { describeError } from '../../platform/observability/index.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import {
  type PaymentOrder,
  type PaymentsDeps,
  type PaymentReport,
  gatewayCause,
} from './payments.types.ts';
import { isRequestedOrder, storeCreatedOrder } from './gateway-call.ts';
import { applyPayment } from './apply-payment.ts';
import { listCreatedOrders } from './gateway-attempts.store.ts';
import {
  claimPoll,
  listPaymentOrders,
  listPollable,
  type PollWindow,
} from './payment-orders.store.ts';
import { sweepByGateway } from './sweep-by-gateway.ts';

type RecoverDeps = Pick<PaymentsDeps, 'inTransaction' | 'clock' | 'logger' | 'gateways'>;

/**
 * Finds the gateway's order of a payment order by its receipt, and stores it. The payment order
 * lacks the id of that order if the process died before it stored the id, or if the response was
 * lost. Returns the id, 'none' if the gateway has no order that belongs to this payment order, or
 * undefined if the gateway does not respond.
 */
export const recoverGatewayOrder = async (
  deps: RecoverDeps,
  order: PaymentOrder,
  code: string,
): Promise<{ readonly gatewayOrderId: string } | 'none' | undefined> => {
  const response = await deps.gateways.get(code)?.findOrderByReceipt(order.id);
  if (response?.kind !== 'done') return undefined;
  if (response.value === undefined) return 'none';
  if (order.status === 'CREATED' && !isRequestedOrder(response.value, order)) {
    const line = { paymentOrderId: order.id, gateway: code };
    deps.logger.error(line, 'the gateway has a different order with this receipt');
    return 'none';
  }
  const { gatewayOrderId } = response.value;
  try {
    await storeCreatedOrder(deps, { paymentOrderId: order.id, gateway: code }, response.value);
    return { gatewayOrderId };
  } catch (error) {
    if (isUniqueViolation(error)) return 'none';
    throw error;
  }
};

/**
 * The occasion of a poll: a customer's checkout, the end of an unpaid order, the sweep, or an
 * operator's resolution.
 */
type PollSource = 'checkout' | 'expiry' | 'janitor' | 'resolution';

/**
 * The result of a poll. 'answered': the gateway answered, and every capture that it lists is applied.
 * A gateway without an adapter counts as answered. 'silent': the gateway gave no answer, or its
 * answer could not be applied. 'unread': the gateway lists a payment that can't be read and may have
 * paid the order.
 */
type OrderPollResult = 'answered' | 'silent' | 'unread';

const minuteMs = 60_000;

/** The time in ms for which an installment's payment order is polled after it was closed unpaid. */
export const closedInstallmentPollMs = 3 * 24 * 60 * minuteMs;

/**
 * Returns the times that make payment orders due for a poll. They are polled every minute near the
 * end of the price lock, so that a paid order is allocated in time, and every five minutes for a
 * quarter of an hour after it. Installments are open for days and are polled every hour. They are
 * also polled for three days after they were closed, because the same checkout can be paid later
 * and a debit can complete late.
 */
const windowAt = (now: Date): PollWindow => ({
  now,
  createdBefore: addMs(now, -minuteMs),
  polledBefore: addMs(now, -45_000),
  expiresTo: addMs(now, 4 * minuteMs),
  closedExpiresFrom: addMs(now, -15 * minuteMs),
  closedPolledBefore: addMs(now, -5 * minuteMs),
  closedCreatedFrom: addMs(now, -60 * minuteMs),
  closedInstallmentsFrom: addMs(now, -closedInstallmentPollMs),
  longNotPolled: addMs(now, -60 * minuteMs),
  limit: 200,
});

/** An order that a gateway created for a payment order. */
interface CreatedOrder {
  readonly gateway: string;
  readonly gatewayOrderId: string;
}

interface Poll {
  readonly order: PaymentOrder;
  readonly source: PollSource;
  readonly requestId?: string | undefined;
}

const applyCapture = async (
  deps: PaymentsDeps,
  { order, source, requestId }: Poll,
  gateway: string,
  payment: GatewayPayment,
): Promise<void> => {
  const { inTransaction, clock, logger, metrics } = deps;
  const { status: _, createdAt: occurredAt, ...details } = payment;
  const report: PaymentReport = {
    ...details,
    kind: 'captured',
    gateway,
    occurredAt,
    learnedAt: clock.now(),
  };
  const cause = gatewayCause(`asked_by_${source}`, gateway, requestId);
  const applied = await inTransaction((tx) => applyPayment(deps, tx, order, { report, cause }));
  if (!applied.changed) return;
  metrics.countFoundCapture(gateway, source);
  const { decision } = applied;
  logger.warn({ paymentOrderId: order.id, gateway, source, decision }, 'a capture was found');
};

/**
 * Returns true if the gateway's order says that it is not paid, so that an unreadable payment of it
 * certainly brought no money. Returns false for a debit under a mandate, because the state of the
 * gateway's order need not show it.
 */
const isCertainlyUnpaid = async (
  gateway: PaymentGateway,
  { debitStatus }: PaymentOrder,
  gatewayOrderId: string,
): Promise<boolean> => {
  if (debitStatus !== null) return false;
  const response = await gateway.getOrder(gatewayOrderId);
  return response.kind === 'done' && ['OPEN', 'CLOSED'].includes(response.value.status);
};

/** Lists the payments of one gateway order and applies its captures. */
export const pollGatewayOrder = async (
  deps: PaymentsDeps,
  poll: Poll,
  { gateway: code, gatewayOrderId }: CreatedOrder,
): Promise<OrderPollResult> => {
  const { gateways, logger } = deps;
  const gateway = gateways.get(code);
  const line = { paymentOrderId: poll.order.id, gateway: code, source: poll.source };
  if (gateway === undefined) {
    // A gateway without an adapter can't be polled later either, so the caller must not wait for it.
    logger.error(line, 'no adapter to poll with');
    return 'answered';
  }
  const response = await gateway.listPayments(gatewayOrderId);
  if (response.kind !== 'done') {
    logger.warn({ ...line, outcome: describeOutcome(response) }, 'a gateway listed no payments');
    return hasAnswered(response) ? 'answered' : 'silent';
  }
  try {
    for (const payment of response.value) {
      if (payment.status === 'CAPTURED') await applyCapture(deps, poll, code, payment);
    }
    const isCaptured = response.value.some(({ status }) => status === 'CAPTURED');
    if (!hasUnread(response.value) || isCaptured) return 'answered';
    if (await isCertainlyUnpaid(gateway, poll.order, gatewayOrderId)) return 'answered';
    logger.error(line, 'a payment that may have paid an order cannot be read');
    return 'unread';
  } catch (error) {
    const err = describeError(error);
    logger.error({ ...line, err }, 'a capture could not be applied');
    return 'silent';
  }
};

/**
 * Polls the gateway that the payment order names. First recovers the gateway's order if its id is
 * not stored.
 */
const pollCurrentGateway = async (deps: PaymentsDeps, poll: Poll): Promise<OrderPollResult> => {
  const { order } = poll;
  const { gateway } = order;
  if (order.gatewayOrderId !== null) {
    return pollGatewayOrder(deps, poll, { gateway, gatewayOrderId: order.gatewayOrderId });
  }
  if (!deps.gateways.has(gateway)) {
    deps.logger.error({ paymentOrderId: order.id, gateway }, 'no adapter to poll with');
    return 'answered';
  }
  const recovered = await recoverGatewayOrder(deps, order, gateway);
  if (recovered === undefined) return 'silent';
  if (recovered === 'none') return 'answered';
  return pollGatewayOrder(deps, poll, { gateway, ...recovered });
};

/** Polls the orders that gateways created for the payment order, except its current one. */
const pollOtherOrders = async (deps: PaymentsDeps, poll: Poll): Promise<void> => {
  const { id, gateway, gatewayOrderId } = poll.order;
  for (const created of await listCreatedOrders(deps.db, id)) {
    const isCurrent = created.gateway === gateway && created.gatewayOrderId === gatewayOrderId;
    if (!isCurrent) await pollGatewayOrder(deps, poll, created);
  }
};

/**
 * Polls the gateways of one payment order for captures that no webhook reported, and applies them as
 * a webhook would. No lock is held during the calls. Returns false if the current gateway did not
 * respond or its response could not be read or applied. The caller must then poll again. The
 * responses of other gateways do not count, because the customer was not sent to them.
 */
export const pollGateway = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
  source: PollSource,
  requestId?: string,
): Promise<boolean> => {
  const poll = { order, source, requestId };
  const result = await pollCurrentGateway(deps, poll);
  if (source !== 'checkout') await pollOtherOrders(deps, poll);
  return result === 'answered';
};

/**
 * Polls all open payment orders of a gold order. Returns false if it is unknown whether one of them
 * was paid. The order must then not expire.
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
 * Polls the payment orders of a gold order in any state, before an operator records that all money
 * was refunded. A customer may have paid again without an event. Returns false if a gateway did not
 * answer. An unreadable payment does not stop the operator, who can read it in the gateway's
 * dashboard.
 */
export const pollForResolution = async (deps: PaymentsDeps, orderId: string): Promise<boolean> => {
  let allAnswered = true;
  for (const order of await listPaymentOrders(deps.db, [orderId])) {
    const poll: Poll = { order, source: 'resolution' };
    if ((await pollCurrentGateway(deps, poll)) === 'silent') allAnswered = false;
    await pollOtherOrders(deps, poll);
  }
  return allAnswered;
};

/** Polls every payment order that is due, by `sweepByGateway`. */
export const pollDuePayments = (deps: PaymentsDeps, signal: AbortSignal): Promise<void> => {
  const { db, clock } = deps;
  const window = windowAt(clock.now());
  return sweepByGateway({
    signal,
    limit: window.limit,
    list: (silent) => listPollable(db, window, silent),
    async poll({ id }) {
      const order = await claimPoll(db, id, window);
      if (order === undefined) return 'taken';
      return (await pollGateway(deps, order, 'janitor')) ? 'answered' : 'silent';
    },
  });
};
