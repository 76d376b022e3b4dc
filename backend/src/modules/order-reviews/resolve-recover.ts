import { addPaise, formatGrams } from '../../money/index.ts';
import { recoverReserved } from '../holdings/index.ts';
import {
  listHeldPayments,
  recordRefund,
  markPaymentOrdersRefunded,
  type HeldPayment,
} from '../payments/index.ts';
import {
  queryGateway,
  endReview,
  isUnplaced,
  lockReviewed,
  recordUnreported,
  illegalTransition,
  requireGold,
  requireSamePayments,
  type Resolve,
  type ReviewDeps,
} from './resolution.ts';

/** Returns the payment for the gold if it is the order's only payment and was reversed. */
const reversedPayment = (payments: readonly HeldPayment[]): HeldPayment => {
  if (payments.some(isUnplaced)) {
    throw illegalTransition('Another payment is held for this order: pay it back first.');
  }
  const [payment] = payments;
  if (payment?.reversals.some(({ isOpen }) => isOpen) !== true) {
    throw illegalTransition('The payment of this order was not reversed.');
  }
  return payment;
};

const isGone = ({ amountPaise, reversals }: HeldPayment): boolean =>
  addPaise(...reversals.map((reversal) => reversal.amountPaise)) >= amountPaise;

/**
 * Returns the reference of a payment that was paid back in full. Queries the gateway if no event
 * reported the refund.
 */
const requireGone = async (deps: ReviewDeps, payment: HeldPayment): Promise<string | undefined> => {
  const reported = payment.reversals.findLast(({ reference }) => reference !== null);
  if (isGone(payment)) return reported?.reference ?? undefined;
  const state = await queryGateway(deps, payment);
  if (state.kind === 'PAID_BACK') return state.reference;
  throw illegalTransition(
    'A part of the payment is still held: pay the rest back first, or keep the order.',
  );
};

/**
 * Moves the remaining gold of a reversed payment to the house, and fails the order, as the
 * resolution `RECOVER` (contract: states > Resolutions). All of the money must be reversed,
 * including unreported payments, since an order is never FAILED while some of its money is held.
 */
export const resolveRecover: Resolve = async (deps, order, request) => {
  const { db, inTransaction, clock, random, portfolios } = deps;
  requireGold(order);
  await recordUnreported(deps, order.id);
  const payments = await listHeldPayments(db, order.id);
  const payment = reversedPayment(payments);
  const refundReference = (await requireGone(deps, payment)) ?? request.reference ?? 'unnamed';
  await inTransaction(async (tx) => {
    const locked = await lockReviewed(tx, order.id);
    requireGold(locked);
    const now = await listHeldPayments(tx, order.id);
    requireSamePayments(payments, now);
    await recordRefund(deps, tx, reversedPayment(now), refundReference);
    const cause = 'resolve.recover';
    await markPaymentOrdersRefunded(deps, tx, order.id, { cause, actor: request.by.actor });
    const at = clock.now();
    const { id: orderId, userId } = order;
    const grams = await recoverReserved(tx, { movementId: random.uuid(), orderId, userId, at });
    const detail = { ...request.by.detail, recovered_grams: formatGrams(grams) };
    await endReview(
      deps,
      tx,
      { ...request, by: { ...request.by, detail } },
      { to: 'FAILED', cause },
      { refundReference, failureCode: 'RECOVERED', recoveredAt: at, nextAttemptAt: null },
    );
    await request.audit(tx, locked);
  });
  await portfolios.drop(order.userId);
};
