import type { GatewayRefund, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { addPaise, type Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import {
  listHeldPayments,
  markPaymentApplied,
  markPaymentRefunded,
} from './gateway-payments.store.ts';
import {
  listPaymentOrders,
  lockPaymentOrder,
  transitionPaymentOrder,
} from './payment-orders.store.ts';
import type { HeldPayment, PaymentsDeps } from './payments.types.ts';

/**
 * A gateway's answer about a captured payment's money. NO_ANSWER: it was asked and nobody can
 * say; NOT_ASKED: it can't be asked, for want of an adapter, so an operator's word is all there is.
 */
export type RefundState =
  | {
      readonly kind: 'HELD' | 'PAID_BACK' | 'UNDER_WAY';
      /** The gateway has a refund of the reference that was asked about, for this payment. */
      readonly isNamed: boolean;
    }
  | { readonly kind: 'NO_ANSWER' }
  | { readonly kind: 'NOT_ASKED' };

const hasAnswered = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'done' || (outcome.kind === 'refused' && !isUnavailable(outcome));

const sumOf = (refunds: readonly GatewayRefund[], status: GatewayRefund['status']): Paise =>
  addPaise(
    ...refunds.filter((refund) => refund.status === status).map(({ amountPaise }) => amountPaise),
  );

const readRefunds = (
  payment: HeldPayment,
  refunds: readonly GatewayRefund[],
  reference: string | undefined,
): RefundState => {
  const isNamed = refunds.some((refund) => refund.refundId === reference);
  const paidBack = sumOf(refunds, 'PROCESSED');
  if (paidBack >= payment.amountPaise) return { kind: 'PAID_BACK', isNamed };
  // A part that went back is no longer held whole, and not all has gone back either.
  const isUnderWay = addPaise(paidBack, sumOf(refunds, 'PENDING')) > 0n;
  return { kind: isUnderWay ? 'UNDER_WAY' : 'HELD', isNamed };
};

/** Finds out whether a gateway took the capture back itself: the payment reads otherwise then. */
const fetchCapture = async (
  gateway: PaymentGateway,
  { gatewayOrderId, gatewayPaymentId }: HeldPayment,
): Promise<RefundState> => {
  if (gatewayOrderId === null) return { kind: 'HELD', isNamed: false };
  const listed = await gateway.listPayments(gatewayOrderId);
  if (!hasAnswered(listed)) return { kind: 'NO_ANSWER' };
  const payments = listed.kind === 'done' ? listed.value : [];
  const found = payments.find((known) => known.gatewayPaymentId === gatewayPaymentId);
  const isGone = found?.status === 'REFUNDED' || found?.status === 'FAILED';
  return { kind: isGone ? 'PAID_BACK' : 'HELD', isNamed: false };
};

const fetchRefundState = async (
  { gateways }: Pick<PaymentsDeps, 'gateways'>,
  payment: HeldPayment,
  reference?: string,
): Promise<RefundState> => {
  const gateway = gateways.get(payment.gateway);
  if (gateway === undefined) return { kind: 'NOT_ASKED' };
  const refunds = await gateway.getRefunds(payment.gatewayPaymentId);
  if (!hasAnswered(refunds)) return { kind: 'NO_ANSWER' };
  const state = readRefunds(payment, refunds.kind === 'done' ? refunds.value : [], reference);
  return state.kind === 'HELD' ? fetchCapture(gateway, payment) : state;
};

/** Creates what the resolution of an order's review asks of its payments, and does to them. */
export const createHeldPayments = (deps: Pick<PaymentsDeps, 'clock' | 'logger' | 'gateways'>) => ({
  /** Lists the captured payments of an order that were not paid back, oldest first. */
  list: (db: Db, orderId: string): Promise<HeldPayment[]> => listHeldPayments(db, orderId),

  /** Asks the gateway where the money is; outside any transaction. */
  fetchRefundState: (payment: HeldPayment, reference?: string): Promise<RefundState> =>
    fetchRefundState(deps, payment, reference),

  /** Records that this money went back, in the transaction that resolves the order, locked. */
  async markRefunded(db: Db, payment: HeldPayment, reference: string): Promise<void> {
    const isRecorded = await markPaymentRefunded(db, payment.id, reference, deps.clock.now());
    invariant(isRecorded, `payment ${payment.id} was refunded by another`);
  },

  /** Lets this money pay for the order, in the transaction that lets it be allocated. */
  async markApplied(db: Db, payment: HeldPayment): Promise<void> {
    const isRecorded = await markPaymentApplied(db, payment.id, deps.clock.now());
    invariant(isRecorded, `payment ${payment.id} can not pay its order`);
  },

  /** Marks the payment orders REFUNDED, in the transaction in which their order fails. */
  async refundPaymentOrders(
    db: Db,
    orderId: string,
    cause: { readonly cause: string; readonly actor: string },
  ): Promise<void> {
    for (const { id } of await listPaymentOrders(db, [orderId])) {
      const order = await lockPaymentOrder(db, id);
      if (order?.status !== 'PAID' && order?.status !== 'MANUAL_REVIEW') continue;
      await transitionPaymentOrder(deps, db, order, { ...cause, to: 'REFUNDED' });
    }
  },
});

export type HeldPayments = ReturnType<typeof createHeldPayments>;
