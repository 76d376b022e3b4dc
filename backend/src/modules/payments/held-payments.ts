import {
  hasAnswered,
  hasUnread,
  isRead,
  type PaymentGateway,
} from '../../adapters/payment-gateway/port.ts';
import { ZERO_PAISE, addPaise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { fetchReversals, type GatewayReversals } from './poll-reversals.ts';
import { markFailureResolved } from './doubted-payments.store.ts';
import {
  markPaymentApplied,
  markPaymentRefunded,
  markReversalsResolved,
  markSecondApplied,
} from './gateway-payments.store.ts';
import {
  listPaymentOrders,
  lockPaymentOrder,
  updateCapturedPayment,
} from './payment-orders.store.ts';
import { transitionPaymentOrder } from './payments.states.ts';
import { findUnrecordedReversals } from './apply-reversal.ts';
import type { HeldPayment, PaymentsDeps } from './payments.types.ts';

/**
 * The state of a captured payment's money, by the gateway's response and its earlier reports. HELD:
 * no part was reversed. PAID_BACK: the full amount was reversed. UNDER_WAY: only a part was
 * reversed, or a refund is pending. NO_ANSWER: the gateway did not respond to the query. NOT_ASKED:
 * the gateway has no adapter, so it can't be queried. NOT_REPORTED: the gateway never reports
 * refunds of such a payment, or its list for this payment can't be read in full. In the last two
 * cases only the operator's statement is available.
 */
export type RefundState =
  | {
      readonly kind: 'HELD' | 'PAID_BACK' | 'UNDER_WAY';
      /** True if the gateway has a refund or dispute with the reference that the caller gave. */
      readonly isNamed: boolean;
      /** The gateway's reference of the newest reversal, or undefined if there is none. */
      readonly reference: string | undefined;
    }
  | { readonly kind: 'NO_ANSWER' }
  | { readonly kind: 'NOT_ASKED' }
  | {
      readonly kind: 'NOT_REPORTED';
      /** True if a part of the payment was reversed, or a refund is pending. */
      readonly isPartlyGone: boolean;
    };

const noReversals: GatewayReversals = {
  completed: [],
  pendingPaise: ZERO_PAISE,
  references: [],
  areAllReported: false,
  hasUnread: false,
};

const hasReference = ({ reference }: { readonly reference: string | null }): boolean =>
  reference !== null;

/**
 * Derives the refund state from the sum of the recorded reversals and those that only the gateway
 * lists. `statedReference` is the reference that an operator stated, if any.
 */
const refundStateOf = (
  { amountPaise, reversals: recorded }: Pick<HeldPayment, 'amountPaise' | 'reversals'>,
  { completed, pendingPaise, references }: GatewayReversals,
  statedReference: string | undefined,
): RefundState => {
  const reversals = [...recorded, ...findUnrecordedReversals(completed, recorded)];
  const reversedPaise = addPaise(...reversals.map((reversal) => reversal.amountPaise));
  const knownReferences = [...reversals.flatMap(({ reference }) => reference ?? []), ...references];
  const details = {
    isNamed: statedReference !== undefined && knownReferences.includes(statedReference),
    reference: reversals.findLast(hasReference)?.reference ?? undefined,
  };
  if (reversedPaise >= amountPaise) return { kind: 'PAID_BACK', ...details };
  // If only a part was refunded, the payment is neither held in full nor refunded in full.
  const isUnderWay = addPaise(reversedPaise, pendingPaise) > 0n;
  return { kind: isUnderWay ? 'UNDER_WAY' : 'HELD', ...details };
};

/** A payment for which a gateway is queried. Its order may be unknown. */
export type QueriedPayment = Pick<
  HeldPayment,
  'gateway' | 'gatewayPaymentId' | 'gatewayOrderId' | 'createdAt' | 'amountPaise' | 'reversals'
>;

/**
 * Checks a HELD state against the gateway's status of the payment, which shows a reversal that the
 * gateway does not list. Returns the state that follows, and any other state unchanged.
 */
const checkCapture = async (
  gateway: PaymentGateway,
  { gatewayOrderId, gatewayPaymentId }: QueriedPayment,
  state: RefundState,
): Promise<RefundState> => {
  if (gatewayOrderId === null || state.kind !== 'HELD') return state;
  const response = await gateway.listPayments(gatewayOrderId);
  if (!hasAnswered(response)) return { kind: 'NO_ANSWER' };
  const payments = response.kind === 'done' ? response.value : [];
  const found = payments.filter(isRead).find((each) => each.gatewayPaymentId === gatewayPaymentId);
  // An unreadable row may be this payment after its refund.
  if (found === undefined && hasUnread(payments)) {
    return { kind: 'NOT_REPORTED', isPartlyGone: false };
  }
  const isReversed = found?.status === 'REFUNDED' || found?.status === 'FAILED';
  return isReversed ? { ...state, kind: 'PAID_BACK' } : state;
};

/** Queries the gateway for the state of a payment's money, outside any transaction. */
export const fetchRefundState = async (
  { gateways }: Pick<PaymentsDeps, 'gateways'>,
  payment: QueriedPayment,
  statedReference?: string,
): Promise<RefundState> => {
  const gateway = gateways.get(payment.gateway);
  if (gateway === undefined) {
    const stateByEvents = refundStateOf(payment, noReversals, statedReference);
    return stateByEvents.kind === 'PAID_BACK' ? stateByEvents : { kind: 'NOT_ASKED' };
  }
  const atGateway = await fetchReversals(gateway, payment);
  if (typeof atGateway === 'string') return { kind: 'NO_ANSWER' };
  const stateByLists = refundStateOf(payment, atGateway, statedReference);
  const state = await checkCapture(gateway, payment, stateByLists);
  // The other money may be held, or it may have been refunded without an event.
  const mayBeHeld = state.kind === 'HELD' || state.kind === 'UNDER_WAY';
  if (!mayBeHeld || atGateway.areAllReported) return state;
  return { kind: 'NOT_REPORTED', isPartlyGone: state.kind === 'UNDER_WAY' };
};

/**
 * Records that a resolution has accounted for the reversals and the failure of a payment: the money
 * was paid back, or the house bears the loss.
 */
export const resolveDoubts = async (
  { clock }: Pick<PaymentsDeps, 'clock'>,
  tx: Db,
  payment: HeldPayment,
): Promise<void> => {
  const at = clock.now();
  await markReversalsResolved(tx, payment, at);
  await markFailureResolved(tx, payment.id, at);
};

/** Records that a payment was refunded, in the transaction that resolves its locked order. */
export const recordRefund = async (
  deps: Pick<PaymentsDeps, 'clock'>,
  tx: Db,
  payment: HeldPayment,
  reference: string,
): Promise<void> => {
  const isRecorded = await markPaymentRefunded(tx, payment.id, reference, deps.clock.now());
  invariant(isRecorded, `payment ${payment.id} was refunded by another`);
  await resolveDoubts(deps, tx, payment);
};

/**
 * Makes a second payment pay for the gold of a payment that `recordRefund` has recorded as
 * refunded.
 */
export const replacePayment = async (
  { clock }: Pick<PaymentsDeps, 'clock'>,
  tx: Db,
  refunded: HeldPayment,
  second: HeldPayment,
): Promise<void> => {
  const at = clock.now();
  const { id, paymentOrderId } = second;
  const isApplied = await markSecondApplied(tx, id, at);
  invariant(isApplied, `payment ${id} is a second one that is held`);
  if (refunded.paymentOrderId !== paymentOrderId) return;
  const isReplaced = await updateCapturedPayment(tx, paymentOrderId, id, at);
  invariant(isReplaced, `payment order ${paymentOrderId} is paid`);
};

/**
 * Makes this payment pay for the order, in the transaction that allows the allocation. It also
 * resolves a reported failure of the payment, because an operator has accepted the payment and the
 * gateway has confirmed that it holds the money.
 */
export const applyHeldPayment = async (
  { clock }: Pick<PaymentsDeps, 'clock'>,
  tx: Db,
  payment: HeldPayment,
): Promise<void> => {
  const at = clock.now();
  const isRecorded = await markPaymentApplied(tx, payment.id, at);
  invariant(isRecorded, `payment ${payment.id} cannot pay its order`);
  await markFailureResolved(tx, payment.id, at);
};

/** Marks the payment orders of an order REFUNDED, in the transaction in which the order fails. */
export const markPaymentOrdersRefunded = async (
  deps: Pick<PaymentsDeps, 'clock' | 'logger'>,
  tx: Db,
  orderId: string,
  cause: { readonly cause: string; readonly actor: string },
): Promise<void> => {
  for (const { id } of await listPaymentOrders(tx, [orderId])) {
    const order = await lockPaymentOrder(tx, id);
    if (order?.status !== 'PAID' && order?.status !== 'MANUAL_REVIEW') continue;
    await transitionPaymentOrder(deps, tx, order, { ...cause, to: 'REFUNDED' });
  }
};
