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
  isUnapplied,
  lockReviewed,
  illegalTransition,
  recordUnreported,
  requireDecided,
  outcomeUndecided,
  type QueriedPayment,
  type Resolution,
  type Resolve,
  type ReviewDeps,
} from './resolution.ts';

/** Returns true for a payment that its gateway has paid back, or is about to pay back. */
const isBeingReversed = ({ state }: QueriedPayment): boolean =>
  state.kind === 'PAID_BACK' || state.kind === 'UNDER_WAY';

/**
 * Returns the payment that the operator refunded, by the gateways' responses. If no gateway reports
 * the refund, the operator's reference is accepted for the only payment to which it can apply.
 */
const requirePaidBack = (queried: readonly QueriedPayment[]): HeldPayment => {
  const namedPayment = queried.find(({ state }) => 'isNamed' in state && state.isNamed);
  if (namedPayment?.state.kind === 'UNDER_WAY')
    throw outcomeUndecided('The refund is not complete.');
  if (namedPayment?.state.kind === 'PAID_BACK') return namedPayment.payment;
  const listByState = (kind: RefundState['kind']) =>
    queried.filter(({ state }) => state.kind === kind);
  const paidBack = listByState('PAID_BACK');
  const unreported = [...listByState('NOT_ASKED'), ...listByState('NOT_REPORTED')];
  const [only, ...others] = paidBack.length === 0 ? unreported : paidBack;
  if (only !== undefined && others.length === 0) return only.payment;
  throw illegalTransition('The gateway knows of no such refund of a payment of this order.');
};

/**
 * Changes the order to the state that follows the refund. `remaining` are its other held payments,
 * and `reversedIds` the ids of those that its gateways have paid back or are about to pay back.
 */
const endRefunded = async (
  deps: ReviewDeps,
  tx: Db,
  order: GoldOrder,
  request: Resolution,
  {
    remaining,
    reversedIds,
  }: { remaining: readonly HeldPayment[]; reversedIds: ReadonlySet<string> },
): Promise<void> => {
  // Another payment waits for an operator, so the review continues.
  if (remaining.some(isUnapplied)) return;
  // The review also continues if the remaining payment was reversed or failed. No gold is bought with
  // a payment whose refund is under way, or whose reversal no event has reported.
  const isReversed = !hasGold(order) && remaining.some(({ id }) => reversedIds.has(id));
  const doubt =
    (await findMoneyDoubt(tx, order.id)) ?? (isReversed ? 'PAYMENT_REVERSED' : undefined);
  if (doubt !== undefined) return changeReviewCode(deps, tx, order, doubt);
  const cause = 'resolve.refunded';
  if (hasGold(order)) return endReview(deps, tx, request, { to: 'ALLOCATED', cause });
  if (remaining.length > 0) {
    await endReview(deps, tx, request, { to: 'PAID', cause });
    return enqueue(tx, allocationJob(order.id));
  }
  await markPaymentOrdersRefunded(deps, tx, order.id, { cause, actor: request.by.actor });
  const refundReference = request.reference ?? '';
  const changes = { refundReference, failureCode: 'REFUNDED', nextAttemptAt: null };
  return endReview(deps, tx, request, { to: 'FAILED', cause }, changes);
};

/**
 * Records the refund of a payment and ends the review if no other problem remains, as the resolution
 * `REFUNDED` (contract: states > Resolutions).
 */
export const resolveRefunded: Resolve = async (deps, order, request) => {
  const { db, inTransaction } = deps;
  await requireDecided(db, order.id);
  await recordUnreported(deps, order.id);
  const payments = await listHeldPayments(db, order.id);
  if (payments.length === 0) {
    // Another operator may have ended the review since the order was read, so the order's current
    // status is reported.
    const current = await findOrder(db, order.id);
    throw illegalTransition('No payment of this order is held.', current);
  }
  const queried = await queryGateways(deps, payments, request.reference ?? '');
  const payment = requirePaidBack(queried);
  const reversedIds = new Set(queried.filter(isBeingReversed).map((each) => each.payment.id));
  if (hasGold(order) && !isUnapplied(payment)) {
    throw illegalTransition('The gold of this payment is in the account: KEEP or RECOVER it.');
  }
  await inTransaction(async (tx) => {
    const locked = await lockReviewed(tx, order.id);
    await requireDecided(tx, order.id);
    const current = await listHeldPayments(tx, order.id);
    const target = current.find(({ id }) => id === payment.id);
    if (target === undefined || hasGold(locked) !== hasGold(order)) {
      throw illegalTransition('The order has changed meanwhile.');
    }
    await recordRefund(deps, tx, target, request.reference ?? '');
    const remaining = current.filter(({ id }) => id !== payment.id);
    await endRefunded(deps, tx, locked, request, { remaining, reversedIds });
    await request.audit(tx, locked);
  });
};
