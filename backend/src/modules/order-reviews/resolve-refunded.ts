import type { Db } from '../../platform/db/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import {
  findMoneyDoubt,
  listHeldPayments,
  recordRefund,
  refundPaymentOrders,
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
  askGateways,
  endReview,
  isUnplaced,
  lockReviewed,
  noFit,
  requireDecided,
  undecided,
  type AskedPayment,
  type Resolution,
  type Resolve,
  type ReviewDeps,
} from './resolution.ts';

/** Returns true for money that its gateway has paid back, or is about to, even without an event. */
const isGoingAway = ({ state }: AskedPayment): boolean =>
  state.kind === 'PAID_BACK' || state.kind === 'UNDER_WAY';

/** Finds the payment that the operator paid back, by the gateway's own answer where it has one. */
const findPaidBack = (asked: readonly AskedPayment[]): HeldPayment => {
  const named = asked.find(({ state }) => 'isNamed' in state && state.isNamed);
  if (named?.state.kind === 'UNDER_WAY') throw undecided('The refund is not complete.');
  if (named?.state.kind === 'PAID_BACK') return named.payment;
  const of = (kind: RefundState['kind']) => asked.filter(({ state }) => state.kind === kind);
  const paidBack = of('PAID_BACK');
  // Takes the operator's word where no gateway says it, for the one payment that it can be.
  const stated = [...of('NOT_ASKED'), ...of('NOT_REPORTED')];
  const [only, ...others] = paidBack.length === 0 ? stated : paidBack;
  if (only !== undefined && others.length === 0) return only.payment;
  throw noFit('The gateway knows of no such refund of a payment of this order.');
};

/** Changes the order's state to the one where it belongs once that money is gone. */
const endRefunded = async (
  deps: ReviewDeps,
  tx: Db,
  order: GoldOrder,
  asked: Resolution,
  { left, goingIds }: { left: readonly HeldPayment[]; goingIds: ReadonlySet<string> },
): Promise<void> => {
  // More money waits for a person: the review goes on.
  if (left.some(isUnplaced)) return;
  // So does money that went away or failed: it is not what was paid back here. No gold is bought
  // either with money that is about to go, or of which no event has reported it.
  const isGoing = !hasGold(order) && left.some(({ id }) => goingIds.has(id));
  const doubt = (await findMoneyDoubt(tx, order.id)) ?? (isGoing ? 'PAYMENT_REVERSED' : undefined);
  if (doubt !== undefined) return changeReviewCode(deps, tx, order, doubt);
  const cause = 'resolve.refunded';
  if (hasGold(order)) return endReview(deps, tx, asked, { to: 'ALLOCATED', cause });
  if (left.length > 0) {
    await endReview(deps, tx, asked, { to: 'PAID', cause });
    return enqueue(tx, allocationJob(order.id));
  }
  await refundPaymentOrders(deps, tx, order.id, { cause, actor: asked.by.actor });
  const refundReference = asked.reference ?? '';
  const failed = { refundReference, failureCode: 'REFUNDED', nextAttemptAt: null };
  return endReview(deps, tx, asked, { to: 'FAILED', cause }, failed);
};

/** Ends the review of a buy whose money, or a part of it, was paid back: `REFUNDED`. */
export const resolveRefunded: Resolve = async (deps, order, asked) => {
  const { db, inTransaction } = deps;
  await requireDecided(db, order.id);
  const payments = await listHeldPayments(db, order.id);
  if (payments.length === 0) {
    // Another operator may have ended the review since the order was read: say where it is now.
    const now = await findOrder(db, order.id);
    throw noFit('No payment of this order is held.', now);
  }
  const answers = await askGateways(deps, payments, asked.reference ?? '');
  const payment = findPaidBack(answers);
  const goingIds = new Set(answers.filter(isGoingAway).map((one) => one.payment.id));
  if (hasGold(order) && !isUnplaced(payment)) {
    throw noFit('The gold of this payment is in the account: KEEP or RECOVER it.');
  }
  await inTransaction(async (tx) => {
    const locked = await lockReviewed(tx, order.id);
    await requireDecided(tx, order.id);
    const now = await listHeldPayments(tx, order.id);
    const target = now.find(({ id }) => id === payment.id);
    if (target === undefined || hasGold(locked) !== hasGold(order)) {
      throw noFit('The order has changed meanwhile.');
    }
    await recordRefund(deps, tx, target, asked.reference ?? '');
    const left = now.filter(({ id }) => id !== payment.id);
    await endRefunded(deps, tx, locked, asked, { left, goingIds });
    await asked.audit(tx, locked);
  });
};
