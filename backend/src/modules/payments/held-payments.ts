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
import { findLackingReversals } from './apply-reversal.ts';
import type { HeldPayment, PaymentsDeps } from './payments.types.ts';

/**
 * The state of a captured payment's money, by the gateway's response and its earlier reports.
 * NO_ANSWER: the gateway did not respond to the query. NOT_ASKED: the gateway has no adapter, so it
 * can't be queried. NOT_REPORTED: the gateway never reports refunds of such a payment, or its list
 * for this payment can't be read in full. In the last two cases only the operator's statement is
 * available.
 */
export type RefundState =
  | {
      readonly kind: 'HELD' | 'PAID_BACK' | 'UNDER_WAY';
      /** True if the gateway has a refund or dispute with the reference that was queried. */
      readonly isNamed: boolean;
      /** The gateway's reference of the newest reversal, or undefined if there is none. */
      readonly reference: string | undefined;
    }
  | { readonly kind: 'NO_ANSWER' }
  | { readonly kind: 'NOT_ASKED' }
  | {
      readonly kind: 'NOT_REPORTED';
      /** True if a part is known to be refunded, so that the payment is not held in full. */
      readonly isPartlyGone: boolean;
    };

const nothingAtGateway: GatewayReversals = {
  gone: [],
  pendingPaise: ZERO_PAISE,
  references: [],
  areAllReported: false,
  hasUnread: false,
};

/**
 * Adds up the reversals that the gateway lists and the reversals that its events reported before.
 */
const readState = (
  { amountPaise, reversals }: Pick<HeldPayment, 'amountPaise' | 'reversals'>,
  { gone, pendingPaise, references }: GatewayReversals,
  queried: string | undefined,
): RefundState => {
  const lacking = findLackingReversals(gone, reversals);
  const all = [...reversals, ...lacking];
  const gonePaise = addPaise(...all.map((reversal) => reversal.amountPaise));
  const allReferences = [...all.flatMap(({ reference }) => reference ?? []), ...references];
  const named = { isNamed: queried !== undefined && allReferences.includes(queried) };
  const found = { ...named, reference: all.findLast(isNamed)?.reference ?? undefined };
  if (gonePaise >= amountPaise) return { kind: 'PAID_BACK', ...found };
  // Only a part was refunded, so the payment is neither held in full nor refunded in full.
  const isUnderWay = addPaise(gonePaise, pendingPaise) > 0n;
  return { kind: isUnderWay ? 'UNDER_WAY' : 'HELD', ...found };
};

const isNamed = ({ reference }: { readonly reference: string | null }): boolean =>
  reference !== null;

/** A payment whose money a gateway is queried about, whether its order is known or not. */
export type AskedPayment = Pick<
  HeldPayment,
  'gateway' | 'gatewayPaymentId' | 'gatewayOrderId' | 'createdAt' | 'amountPaise' | 'reversals'
>;

/**
 * Queries the gateway for the capture. If the gateway has reversed it, the payment has another
 * status.
 */
const fetchCapture = async (
  gateway: PaymentGateway,
  { gatewayOrderId, gatewayPaymentId }: AskedPayment,
  held: RefundState,
): Promise<RefundState> => {
  if (gatewayOrderId === null || held.kind !== 'HELD') return held;
  const listed = await gateway.listPayments(gatewayOrderId);
  if (!hasAnswered(listed)) return { kind: 'NO_ANSWER' };
  const payments = listed.kind === 'done' ? listed.value : [];
  const found = payments.filter(isRead).find((one) => one.gatewayPaymentId === gatewayPaymentId);
  // The unreadable row may be this payment's refund.
  if (found === undefined && hasUnread(payments)) {
    return { kind: 'NOT_REPORTED', isPartlyGone: false };
  }
  const isGone = found?.status === 'REFUNDED' || found?.status === 'FAILED';
  return isGone ? { ...held, kind: 'PAID_BACK' } : held;
};

/** Queries the gateway for the state of a payment's money, outside any transaction. */
export const fetchRefundState = async (
  { gateways }: Pick<PaymentsDeps, 'gateways'>,
  payment: AskedPayment,
  reference?: string,
): Promise<RefundState> => {
  const gateway = gateways.get(payment.gateway);
  if (gateway === undefined) {
    const reported = readState(payment, nothingAtGateway, reference);
    return reported.kind === 'PAID_BACK' ? reported : { kind: 'NOT_ASKED' };
  }
  const atGateway = await fetchReversals(gateway, payment);
  if (typeof atGateway === 'string') return { kind: 'NO_ANSWER' };
  const state = await fetchCapture(gateway, payment, readState(payment, atGateway, reference));
  // It is unknown whether the rest of the money is held or was refunded without an event.
  const mayBeHeld = state.kind === 'HELD' || state.kind === 'UNDER_WAY';
  if (!mayBeHeld || atGateway.areAllReported) return state;
  return { kind: 'NOT_REPORTED', isPartlyGone: state.kind === 'UNDER_WAY' };
};

/**
 * Closes the open reversals and the failure of a payment once a resolution has accounted for them:
 * the money was paid back, or the house bears the loss.
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

/** Records that this money went back, in the transaction that resolves the order, locked. */
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
 * Makes this payment pay for the order, in the transaction that allows the allocation. That also
 * decides a reported failure of the payment: an operator has accepted it, and the gateway confirms
 * it.
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
