import { releaseReview } from '../holdings/index.ts';
import {
  listHeldPayments,
  recordRefund,
  replacePayment,
  resolveDoubts,
  type HeldPayment,
} from '../payments/index.ts';
import {
  queryGateways,
  endReview,
  isUnplaced,
  lockReviewed,
  illegalTransition,
  requireGold,
  requireSamePayments,
  type QueriedPayment,
  type Resolve,
} from './resolution.ts';

/** The effect of KEEP on an order's payments. */
interface KeepPlan {
  /** The payments that the gateway reports as already refunded. */
  readonly refunded: readonly {
    readonly payment: HeldPayment;
    readonly reference: string | undefined;
  }[];
  /** The payment that pays for the gold from now on, in place of the refunded payment. */
  readonly replacement?: { readonly of: HeldPayment; readonly by: HeldPayment };
}

const isPaidBack = ({ state }: QueriedPayment): boolean => state.kind === 'PAID_BACK';

const toRefunded = ({ payment, state }: QueriedPayment) => ({
  payment,
  reference: 'reference' in state ? state.reference : undefined,
});

/**
 * Decides whether the order may keep its gold. Every other payment must have been refunded, unless
 * it replaces the payment for the gold because that was refunded (contract: states > Resolutions).
 */
const planKeep = (queried: readonly QueriedPayment[]): KeepPlan => {
  const others = queried.filter(({ payment }) => isUnplaced(payment));
  const refunded = others.filter(isPaidBack).map(toRefunded);
  const [second, ...more] = others.filter((entry) => !isPaidBack(entry));
  if (second === undefined) return { refunded };
  const gold = queried.find(({ payment }) => !isUnplaced(payment));
  if (gold === undefined || !isPaidBack(gold) || more.length > 0) {
    throw illegalTransition('Another payment is held for this order: pay it back first.');
  }
  // If a part of the second payment were refunded, it would no longer cover the order.
  if (second.state.kind === 'UNDER_WAY' || !second.payment.isAsRequested) {
    throw illegalTransition(
      "The captured amount differs from the order's amount: pay it back first.",
    );
  }
  if (second.state.kind === 'NOT_REPORTED') {
    throw illegalTransition(
      'The gateway cannot say whether the other payment is held: pay it back first.',
    );
  }
  return {
    refunded: [...refunded, toRefunded(gold)],
    replacement: { of: gold.payment, by: second.payment },
  };
};

/**
 * Leaves the gold to the customer. Missing money is the house's loss. This is the resolution `KEEP`
 * (contract: states > Resolutions).
 */
export const resolveKeep: Resolve = async (deps, order, request) => {
  const { db, inTransaction, clock, portfolios } = deps;
  requireGold(order);
  const payments = await listHeldPayments(db, order.id);
  const plan: KeepPlan = payments.some(isUnplaced)
    ? planKeep(await queryGateways(deps, payments))
    : { refunded: [] };
  await inTransaction(async (tx) => {
    const locked = await lockReviewed(tx, order.id);
    requireGold(locked);
    const now = await listHeldPayments(tx, order.id);
    requireSamePayments(payments, now);
    for (const { payment, reference } of plan.refunded) {
      await recordRefund(deps, tx, payment, reference ?? request.reference ?? 'unnamed');
    }
    const { replacement } = plan;
    if (replacement !== undefined) {
      await replacePayment(deps, tx, replacement.of, replacement.by);
    }
    for (const payment of now) await resolveDoubts(deps, tx, payment);
    await endReview(deps, tx, request, { to: 'ALLOCATED', cause: 'resolve.keep' });
    await releaseReview(tx, { orderId: order.id, userId: order.userId, at: clock.now() });
    await request.audit(tx, locked);
  });
  await portfolios.drop(order.userId);
};
