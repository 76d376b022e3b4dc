import {
  isRead,
  type GatewayPayment,
  type PaymentGateway,
} from '../../adapters/payment-gateway/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { describeOutcome, explainOutcome } from '../../platform/outcome/outcome.ts';
import { lockPayableOrder, markOrderFailed } from '../orders/index.ts';
import { applyPayment } from './apply-payment.ts';
import { gatewayCause, type PaymentOrder, type PaymentsDeps } from './payments.types.ts';
import { listUsableGateways } from './choose-gateway.ts';
import { createGatewayOrder } from './create-gateway-order.ts';
import {
  acquireDebit,
  findDebit,
  recordDebit,
  releaseDebit,
  startDebit,
  readMandateToken,
} from './debits.store.ts';
import { findPaymentOrder, lockPaymentOrder } from './payment-orders.store.ts';
import { transitionPaymentOrder } from './payments.states.ts';

/** A request of which a gateway knows nothing after so long never arrived, and never will. */
const arrivalMs = 15 * 60_000;

/** A debit that this process acts on, at a gateway that can debit. */
interface ActiveDebit {
  readonly order: PaymentOrder;
  readonly gatewayOrderId: string;
  readonly gateway: PaymentGateway & Required<Pick<PaymentGateway, 'debitMandate'>>;
  readonly holderId: string;
  /** The time of an earlier request that may still reach the gateway; null where there is none. */
  readonly sentAt: Date | null;
}

const canDebit = (gateway: PaymentGateway | undefined): gateway is ActiveDebit['gateway'] =>
  gateway?.debitMandate !== undefined;

/** Applies what the gateway lists of the order's payments, as a webhook would. */
const applyListed = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
  listed: readonly GatewayPayment[],
): Promise<void> => {
  const { gateway } = order;
  const cause = gatewayCause('asked_by_janitor', gateway);
  const inOrder = [
    ...listed.filter(({ status }) => status === 'CAPTURED'),
    ...listed.filter(({ status }) => status === 'FAILED'),
  ];
  for (const { status, createdAt: occurredAt, ...payment } of inOrder) {
    const kind = status === 'CAPTURED' ? 'captured' : 'failed';
    const learnedAt = deps.clock.now();
    const report = { ...payment, kind, gateway, occurredAt, learnedAt } as const;
    const applied = await deps.inTransaction((tx) =>
      applyPayment(deps, tx, order, { report, cause }),
    );
    if (!applied.changed) continue;
    if (kind === 'captured') deps.metrics.countFoundCapture(gateway, 'janitor');
    deps.logger.warn({ paymentOrderId: order.id, gateway, kind }, 'the end of a debit was found');
  }
};

/**
 * Asks the gateway what became of an earlier request. Returns true where it knows nothing of one.
 */
const isUnheardOf = async (deps: PaymentsDeps, debit: ActiveDebit): Promise<boolean> => {
  const { order, holderId, gateway, gatewayOrderId } = debit;
  const listed = await gateway.listPayments(gatewayOrderId);
  if (listed.kind !== 'done') {
    const line = { paymentOrderId: order.id, outcome: describeOutcome(listed) };
    deps.logger.warn(line, 'a gateway does not say what became of a debit');
    return false;
  }
  if (listed.value.length === 0) return true;
  const payments = listed.value.filter(isRead);
  const [known] = payments;
  if (known === undefined) {
    // It may be this debit, and may have been paid: nothing is sent on top of it.
    deps.logger.error({ paymentOrderId: order.id }, 'a payment under a mandate cannot be read');
    return false;
  }
  const gatewayDebitId = known.gatewayPaymentId;
  const at = deps.clock.now();
  await recordDebit(deps.db, order.id, holderId, { status: 'ACCEPTED', gatewayDebitId, at });
  await applyListed(deps, order, payments);
  return false;
};

/**
 * Fails a debit that certainly will not happen, and the installment that waited for it. Its history
 * says why.
 */
const failDebit = (
  deps: PaymentsDeps,
  { order, holderId }: ActiveDebit,
  reason: string,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const cause = gatewayCause('debit_refused', order.gateway);
    const goldOrder = await lockPayableOrder(tx, order.orderId);
    const current = await lockPaymentOrder(tx, order.id);
    const at = deps.clock.now();
    const isHeld = await recordDebit(tx, order.id, holderId, { status: 'REFUSED', at });
    if (!isHeld || current?.status !== 'GATEWAY_ORDER_CREATED') return;
    await transitionPaymentOrder(deps, tx, current, { ...cause, to: 'FAILED' });
    if (goldOrder.status === 'PENDING')
      await markOrderFailed(deps, tx, goldOrder, { ...cause, reason });
  });

/** Returns true where no earlier request can be on its way to the gateway any more. */
const hasArrived = ({ sentAt }: ActiveDebit, at: Date): boolean =>
  sentAt === null || at >= addMs(sentAt, arrivalMs);

/** Sends the request; a repeat has the same key, so that the gateway debits once. */
const requestDebit = async (deps: PaymentsDeps, debit: ActiveDebit): Promise<void> => {
  const { db, clock, logger } = deps;
  const { order, gateway, gatewayOrderId, holderId, sentAt } = debit;
  const { id: paymentOrderId, amountPaise, currency } = order;
  const mandateToken = await readMandateToken(deps, order);
  invariant(mandateToken, `payment order ${paymentOrderId} has a mandate`);
  if (!(await startDebit(db, paymentOrderId, { holderId, at: clock.now() }))) return;
  const outcome = await gateway.debitMandate({
    gatewayOrderId,
    mandateToken,
    amountPaise,
    currency,
    idempotencyKey: paymentOrderId,
  });
  const line = { paymentOrderId, gateway: gateway.code, outcome: explainOutcome(outcome) };
  logger.info(line, 'a mandate was asked to be debited');
  const at = clock.now();
  if (outcome.kind === 'done') {
    const { gatewayDebitId } = outcome.value;
    await recordDebit(db, paymentOrderId, holderId, { status: 'ACCEPTED', gatewayDebitId, at });
  } else if (outcome.kind === 'unknown') {
    await recordDebit(db, paymentOrderId, holderId, { status: 'UNKNOWN', at });
  } else if (!isUnavailable(outcome) && hasArrived(debit, at)) {
    await failDebit(deps, debit, explainOutcome(outcome));
  } else {
    // This request is decided, and says nothing about an earlier one that may be on its way still.
    // Without one nothing was sent: the next try is the first one again.
    const status = sentAt === null ? 'SCHEDULED' : 'UNKNOWN';
    await recordDebit(db, paymentOrderId, holderId, { status, sentAt, at });
  }
};

/** Notes that a debit certainly was not made on its day: it is planned anew. */
const returnToPlan = async ({ db, clock }: PaymentsDeps, debit: ActiveDebit): Promise<void> => {
  const { order, holderId } = debit;
  const at = clock.now();
  await recordDebit(db, order.id, holderId, { status: 'SCHEDULED', sentAt: null, at });
};

/** Returns true for a gateway that may be used now; a mandate is valid at its own gateway alone. */
const isUsable = async (deps: PaymentsDeps, only: string): Promise<boolean> =>
  (await listUsableGateways(deps, { only })).length > 0;

/**
 * The refusals of `createGatewayOrder` for which a debit waits, the one that has failed it, and the
 * one of a debit whose time is over.
 */
const handled = [
  'NO_USABLE_GATEWAY',
  'REQUEST_IN_PROGRESS',
  'GATEWAY_MISMATCH',
  'QUOTE_EXPIRED',
] as const;

/**
 * Returns the payment order with its gateway's order; undefined where it has to wait, or failed.
 */
const openOrder = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
): Promise<PaymentOrder | undefined> => {
  if (order.status !== 'CREATED') return order;
  try {
    return await createGatewayOrder(deps, order.id);
  } catch (error) {
    if (handled.some((code) => isAppError(error, code))) return undefined;
    throw error;
  }
};

/**
 * Debits the mandate of a payment order that is due, or finds out what became of it (contract:
 * plans > Mandates). It may be called at any time, any number of times and by several at once: the
 * intent is committed before the call, one at a time acts under a lease, and an unknown outcome is
 * asked about before the same request is sent again, which a gateway without a key against repeats
 * is not before the earlier one must have arrived. Nothing is sent on another day than the one that
 * it was announced for. The end of the debit comes as any payment.
 * `mayRequest` false: it only asks, as behind a closed gate.
 */
export const debitMandate = async (
  deps: PaymentsDeps,
  paymentOrderId: string,
  { mayRequest }: { readonly mayRequest: boolean },
): Promise<void> => {
  const { db, clock, gateways, random } = deps;
  const found = await findPaymentOrder(db, paymentOrderId);
  if (found === undefined || found.debitDueAt === null || found.debitDueAt > clock.now()) return;
  const isFirst = found.debitStatus === 'SCHEDULED';
  // It was announced for a day: on a later one it waits until it is announced again.
  const isItsDay = istDate(found.debitDueAt) === istDate(clock.now());
  const mayNow = mayRequest && isItsDay;
  if (isFirst && !mayNow) return;
  const mayCall = mayNow && (await isUsable(deps, found.gateway));
  if (isFirst && !mayCall) return;
  const order = await openOrder(deps, found);
  const gateway = gateways.get(found.gateway);
  if (order === undefined || order.gatewayOrderId === null || !canDebit(gateway)) return;
  const { gatewayOrderId } = order;
  const holderId = random.uuid();
  if (!(await acquireDebit(db, order.id, { holderId, at: clock.now() }))) return;
  try {
    const held = await findDebit(db, order.id);
    if (held === undefined) return;
    const { status, sentAt } = held;
    const debit = { order, gateway, gatewayOrderId, holderId, sentAt };
    // Judged before the question: what arrives after the answer to it is not in the answer.
    const isDecidable = hasArrived(debit, clock.now());
    const maySend = mayCall && (gateway.debitsHaveKey || isDecidable);
    if (sentAt !== null && !(await isUnheardOf(deps, debit))) return;
    if (status === 'ACCEPTED') return;
    if (maySend) await requestDebit(deps, debit);
    else if (!isItsDay && isDecidable) await returnToPlan(deps, debit);
  } finally {
    await releaseDebit(db, order.id, holderId);
  }
};
