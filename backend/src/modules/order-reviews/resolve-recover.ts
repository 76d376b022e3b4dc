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
  isUnapplied,
  lockReviewed,
  recordUnreported,
  illegalTransition,
  requireGold,
  requireSamePayments,
  type Resolve,
  type ReviewDeps,
} from './resolution.ts';

/** Returns the order's payment. Throws unless it is the only payment and was reversed. */
const requireReversedPayment = (payments: readonly HeldPayment[]): HeldPayment => {
  if (payments.some(isUnapplied)) {
    throw illegalTransition('Another payment is held for this order: pay it back first.');
  }
  const [payment] = payments;
  if (payment?.reversals.some(({ isOpen }) => isOpen) !== true) {
    throw illegalTransition('The payment of this order was not reversed.');
  }
  return payment;
};

const isFullyReversed = ({ amountPaise, reversals }: HeldPayment): boolean =>
  addPaise(...reversals.map((reversal) => reversal.amountPaise)) >= amountPaise;

/**
 * Returns the reference of the refund of a fully reversed payment, if a reference is known. Queries
 * the gateway if no event reported the full amount. Throws if a part of the payment is held.
 */
const requireFullyReversed = async (
  deps: ReviewDeps,
  payment: HeldPayment,
): Promise<string | undefined> => {
  const reported = payment.reversals.findLast(({ reference }) => reference !== null);
  if (isFullyReversed(payment)) return reported?.reference ?? undefined;
  const state = await queryGateway(deps, payment);
  if (state.kind === 'PAID_BACK') return state.reference;
  throw illegalTransition(
    'A part of the payment is still held: pay the rest back first, or keep the order.',
  );
};

/**
 * Transfers the remaining gold of a reversed payment to the house, and fails the order, as the
 * resolution `RECOVER` (contract: states > Resolutions). All of the money must be reversed,
 * including unreported payments, because an order is never FAILED while some of its money is held.
 */
export const resolveRecover: Resolve = async (deps, order, request) => {
  const { db, inTransaction, clock, random, portfolios } = deps;
  requireGold(order);
  await recordUnreported(deps, order.id);
  const payments = await listHeldPayments(db, order.id);
  const payment = requireReversedPayment(payments);
  const reference = await requireFullyReversed(deps, payment);
  const refundReference = reference ?? request.reference ?? 'unnamed';
  await inTransaction(async (tx) => {
    const locked = await lockReviewed(tx, order.id);
    requireGold(locked);
    const current = await listHeldPayments(tx, order.id);
    requireSamePayments(payments, current);
    await recordRefund(deps, tx, requireReversedPayment(current), refundReference);
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
