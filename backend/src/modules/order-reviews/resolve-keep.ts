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
  isUnapplied,
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
  /** The second payment, if it replaces the refunded payment for the gold. */
  readonly replacement?: { readonly refunded: HeldPayment; readonly second: HeldPayment };
}

const isPaidBack = ({ state }: QueriedPayment): boolean => state.kind === 'PAID_BACK';

const toRefunded = ({ payment, state }: QueriedPayment) => ({
  payment,
  reference: 'reference' in state ? state.reference : undefined,
});

/**
 * Decides whether the order may keep its gold (contract: states > Resolutions). Every other payment
 * must have been refunded. Only if the payment for the gold was refunded, one other payment may be
 * held, and replaces it. Throws if the order may not keep its gold.
 */
const planKeep = (queried: readonly QueriedPayment[]): KeepPlan => {
  const others = queried.filter(({ payment }) => isUnapplied(payment));
  const refunded = others.filter(isPaidBack).map(toRefunded);
  const [second, ...more] = others.filter((entry) => !isPaidBack(entry));
  if (second === undefined) return { refunded };
  const gold = queried.find(({ payment }) => !isUnapplied(payment));
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
    replacement: { refunded: gold.payment, second: second.payment },
  };
};

/**
 * Ends the review so that the customer keeps the gold, as the resolution `KEEP` (contract: states >
 * Resolutions). The house bears the loss of money that was reversed.
 */
export const resolveKeep: Resolve = async (deps, order, request) => {
  const { db, inTransaction, clock, portfolios } = deps;
  requireGold(order);
  const payments = await listHeldPayments(db, order.id);
  const plan: KeepPlan = payments.some(isUnapplied)
    ? planKeep(await queryGateways(deps, payments))
    : { refunded: [] };
  await inTransaction(async (tx) => {
    const locked = await lockReviewed(tx, order.id);
    requireGold(locked);
    const current = await listHeldPayments(tx, order.id);
    requireSamePayments(payments, current);
    for (const { payment, reference } of plan.refunded) {
      await recordRefund(deps, tx, payment, reference ?? request.reference ?? 'unnamed');
    }
    const { replacement } = plan;
    if (replacement !== undefined) {
      await replacePayment(deps, tx, replacement.refunded, replacement.second);
    }
    for (const payment of current) await resolveDoubts(deps, tx, payment);
    await endReview(deps, tx, request, { to: 'ALLOCATED', cause: 'resolve.keep' });
    await releaseReview(tx, { orderId: order.id, userId: order.userId, at: clock.now() });
    await request.audit(tx, locked);
  });
  await portfolios.drop(order.userId);
};
