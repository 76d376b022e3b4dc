import type { Db } from '../../platform/db/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import {
  findMoneyDoubt,
  listHeldPayments,
  recordRefund,
  markPaymentOrdersRefunded,
  type HeldPayment,
  type RefundState,
} from '../payments/index.ts';
import {
  allocationJob,
  changeReviewCode,
  findOrder,
  hasGold,
  type GoldOrder,
} from '../orders/index.ts';
import {
  queryGateways,
  endReview,
  isUnplaced,
  lockReviewed,
  illegalTransition,
  recordUnreported,
  requireDecided,
  undecided,
  type QueriedPayment,
  type Resolution,
  type Resolve,
  type ReviewDeps,
} from './resolution.ts';

/** Returns true for money that its gateway has paid back, or is about to, even without an event. */
const isGoingAway = ({ state }: QueriedPayment): boolean =>
  state.kind === 'PAID_BACK' || state.kind === 'UNDER_WAY';

/** Finds the payment that the operator refunded, by the gateway's response if there is one. */
const findPaidBack = (queried: readonly QueriedPayment[]): HeldPayment => {
  const named = queried.find(({ state }) => 'isNamed' in state && state.isNamed);
  if (named?.state.kind === 'UNDER_WAY') throw undecided('The refund is not complete.');
  if (named?.state.kind === 'PAID_BACK') return named.payment;
  const of = (kind: RefundState['kind']) => queried.filter(({ state }) => state.kind === kind);
  const paidBack = of('PAID_BACK');
  // Accepts the operator's reference if no gateway reports the refund, for the only payment to
  // which it can apply.
  const stated = [...of('NOT_ASKED'), ...of('NOT_REPORTED')];
  const [only, ...others] = paidBack.length === 0 ? stated : paidBack;
  if (only !== undefined && others.length === 0) return only.payment;
  throw illegalTransition('The gateway knows of no such refund of a payment of this order.');
};

/** Changes the order to the state that follows once the payment is refunded. */
const endRefunded = async (
  deps: ReviewDeps,
  tx: Db,
  order: GoldOrder,
  request: Resolution,
  { left, goingIds }: { left: readonly HeldPayment[]; goingIds: ReadonlySet<string> },
): Promise<void> => {
  // Another payment waits for an operator, so the review continues.
  if (left.some(isUnplaced)) return;
  // The review also continues if another payment was reversed or failed. No gold is bought with a
  // payment whose refund is under way, or whose reversal no event has reported.
  const isGoing = !hasGold(order) && left.some(({ id }) => goingIds.has(id));
  const doubt = (await findMoneyDoubt(tx, order.id)) ?? (isGoing ? 'PAYMENT_REVERSED' : undefined);
  if (doubt !== undefined) return changeReviewCode(deps, tx, order, doubt);
  const cause = 'resolve.refunded';
  if (hasGold(order)) return endReview(deps, tx, request, { to: 'ALLOCATED', cause });
  if (left.length > 0) {
    await endReview(deps, tx, request, { to: 'PAID', cause });
    return enqueue(tx, allocationJob(order.id));
  }
  await markPaymentOrdersRefunded(deps, tx, order.id, { cause, actor: request.by.actor });
  const refundReference = request.reference ?? '';
  const failed = { refundReference, failureCode: 'REFUNDED', nextAttemptAt: null };
  return endReview(deps, tx, request, { to: 'FAILED', cause }, failed);
};

/**
 * Ends the review of a buy whose money, or a part of it, was refunded, as the resolution `REFUNDED`
 * (contract: states > Resolutions).
 */
export const resolveRefunded: Resolve = async (deps, order, request) => {
  const { db, inTransaction } = deps;
  await requireDecided(db, order.id);
  await recordUnreported(deps, order.id);
  const payments = await listHeldPayments(db, order.id);
  if (payments.length === 0) {
    // Another operator may have ended the review since the order was read, so the order's current
    // status is reported.
    const now = await findOrder(db, order.id);
    throw illegalTransition('No payment of this order is held.', now);
  }
  const queried = await queryGateways(deps, payments, request.reference ?? '');
  const payment = findPaidBack(queried);
  const goingIds = new Set(queried.filter(isGoingAway).map((one) => one.payment.id));
  if (hasGold(order) && !isUnplaced(payment)) {
    throw illegalTransition('The gold of this payment is in the account: KEEP or RECOVER it.');
  }
  await inTransaction(async (tx) => {
    const locked = await lockReviewed(tx, order.id);
    await requireDecided(tx, order.id);
    const now = await listHeldPayments(tx, order.id);
    const target = now.find(({ id }) => id === payment.id);
    if (target === undefined || hasGold(locked) !== hasGold(order)) {
      throw illegalTransition('The order has changed meanwhile.');
    }
    await recordRefund(deps, tx, target, request.reference ?? '');
    const left = now.filter(({ id }) => id !== payment.id);
    await endRefunded(deps, tx, locked, request, { left, goingIds });
    await request.audit(tx, locked);
  });
};
