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
import { isRequestedOrder, storeMadeOrder } from './gateway-call.ts';
import { applyPayment } from './apply-payment.ts';
import { listMadeOrders } from './gateway-attempts.store.ts';
import {
  claimPoll,
  listPaymentOrders,
  listPollable,
  type PollWindow,
} from './payment-orders.store.ts';
import { sweepByGateway } from './sweep-by-gateway.ts';

type RecoverDeps = Pick<PaymentsDeps, 'inTransaction' | 'clock' | 'logger' | 'gateways'>;

/**
 * Recovers the order that a gateway created for a payment order that does not have its id, because
 * the process died in between or the response was lost. Returns the id, 'none' if the gateway has
 * no order with this receipt, or undefined if it does not respond.
 */
export const recoverGatewayOrder = async (
  deps: RecoverDeps,
  order: PaymentOrder,
  code: string,
): Promise<{ readonly gatewayOrderId: string } | 'none' | undefined> => {
  const found = await deps.gateways.get(code)?.findOrderByReceipt(order.id);
  if (found?.kind !== 'done') return undefined;
  if (found.value === undefined) return 'none';
  if (order.status === 'CREATED' && !isRequestedOrder(found.value, order)) {
    const line = { paymentOrderId: order.id, gateway: code };
    deps.logger.error(line, 'the gateway has a different order with this receipt');
    return 'none';
  }
  const { gatewayOrderId } = found.value;
  try {
    await storeMadeOrder(deps, { paymentOrderId: order.id, gateway: code }, found.value);
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
 * The end of a poll. 'silent': the gateway gave no answer, or its answer could not be applied.
 * 'unread': it lists a payment that can't be read, and that may have paid the order.
 */
type Polled = 'answered' | 'silent' | 'unread';

const minuteMs = 60_000;

/** The time for which the payment order of an installment is polled after it was closed unpaid. */
export const closedInstallmentPollMs = 3 * 24 * 60 * minuteMs;

/**
 * Returns the times that make payment orders due for a poll. They are polled every minute before
 * the end of the price lock, to buy the gold in time, and three times after it. Payment orders that
 * are open for days (installments) are polled every hour, and for three days after they were
 * closed: the same checkout can be paid later, and a debit can complete late.
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

/** An order that a gateway made for a payment order. */
interface MadeOrder {
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
  const { status: _, createdAt: occurredAt, ...rest } = payment;
  const report: PaymentReport = {
    ...rest,
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
 * Returns true if an unreadable payment certainly brought no money: its order reports that it is
 * not paid. If the order is paid or does not report it, the payment may be anything, and so may a
 * charge under a mandate, which need not appear in its order.
 */
const isCertainlyUnpaid = async (
  gateway: PaymentGateway,
  { debitStatus }: PaymentOrder,
  gatewayOrderId: string,
): Promise<boolean> => {
  if (debitStatus !== null) return false;
  const found = await gateway.getOrder(gatewayOrderId);
  return found.kind === 'done' && ['OPEN', 'CLOSED'].includes(found.value.status);
};

/** Lists the payments of one gateway order and applies its captures. */
export const pollMadeOrder = async (
  deps: PaymentsDeps,
  poll: Poll,
  { gateway: code, gatewayOrderId }: MadeOrder,
): Promise<Polled> => {
  const { gateways, logger } = deps;
  const gateway = gateways.get(code);
  const line = { paymentOrderId: poll.order.id, gateway: code, source: poll.source };
  if (gateway === undefined) {
    // No process is left that could answer. The wait would never end.
    logger.error(line, 'no adapter to poll with');
    return 'answered';
  }
  const listed = await gateway.listPayments(gatewayOrderId);
  if (listed.kind !== 'done') {
    logger.warn({ ...line, outcome: describeOutcome(listed) }, 'a gateway listed no payments');
    return hasAnswered(listed) ? 'answered' : 'silent';
  }
  try {
    for (const payment of listed.value) {
      if (payment.status === 'CAPTURED') await applyCapture(deps, poll, code, payment);
    }
    const isCaptured = listed.value.some(({ status }) => status === 'CAPTURED');
    if (!hasUnread(listed.value) || isCaptured) return 'answered';
    if (await isCertainlyUnpaid(gateway, poll.order, gatewayOrderId)) return 'answered';
    logger.error(line, 'a payment that may have paid an order cannot be read');
    return 'unread';
  } catch (error) {
    const err = describeError(error);
    logger.error({ ...line, err }, 'a capture could not be applied');
    return 'silent';
  }
};

/** Polls the gateway that the payment order names, if the customer may have paid there. */
const pollOwn = async (deps: PaymentsDeps, poll: Poll): Promise<Polled> => {
  const { order } = poll;
  const { gateway } = order;
  if (order.gatewayOrderId !== null) {
    return pollMadeOrder(deps, poll, { gateway, gatewayOrderId: order.gatewayOrderId });
  }
  if (!deps.gateways.has(gateway)) {
    deps.logger.error({ paymentOrderId: order.id, gateway }, 'no adapter to poll with');
    return 'answered';
  }
  const recovered = await recoverGatewayOrder(deps, order, gateway);
  if (recovered === undefined) return 'silent';
  if (recovered === 'none') return 'answered';
  return pollMadeOrder(deps, poll, { gateway, ...recovered });
};

/** Polls orders that other gateways made before the customer was sent to this one. */
const pollOthers = async (deps: PaymentsDeps, poll: Poll): Promise<void> => {
  const { id, gatewayOrderId: ownId } = poll.order;
  for (const made of await listMadeOrders(deps.db, id)) {
    const isOwn = made.gateway === poll.order.gateway && made.gatewayOrderId === ownId;
    if (!isOwn) await pollMadeOrder(deps, poll, made);
  }
};

/**
 * Polls the gateway of one payment order for captures that no webhook reported, and applies them as
 * a webhook would. No lock is held during the call. Returns false if the gateway did not respond or
 * its response could not be applied, so that the caller polls again. It does not wait for a gateway
 * to which the customer was never sent.
 */
export const pollGateway = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
  source: PollSource,
  requestId?: string,
): Promise<boolean> => {
  const poll = { order, source, requestId };
  const polled = await pollOwn(deps, poll);
  if (source !== 'checkout') await pollOthers(deps, poll);
  return polled === 'answered';
};

/**
 * Polls all payment orders of a gold order that may have been paid without a report. Returns false
 * when a gateway did not answer: the order must then not expire as unpaid.
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
 * Polls every payment order of a gold order, whatever its state, before an operator records that
 * all money was refunded: a customer may have paid again without an event. Returns false when a
 * gateway did not answer. An unreadable payment does not stop an operator, who may have read it at
 * the gateway's dashboard.
 */
export const pollForResolution = async (deps: PaymentsDeps, orderId: string): Promise<boolean> => {
  let allAnswered = true;
  for (const order of await listPaymentOrders(deps.db, [orderId])) {
    const poll: Poll = { order, source: 'resolution' };
    if ((await pollOwn(deps, poll)) === 'silent') allAnswered = false;
    await pollOthers(deps, poll);
  }
  return allAnswered;
};

/** Polls for every payment that is due. See `sweepByGateway` for a gateway that gives no answer. */
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
