import type { Db, InTransaction } from '../../platform/db/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import type { HeldPayment, RefundState, HeldPayments } from '../payments/index.ts';
import {
  type BuyStatus,
  type GoldOrder,
  type OrderChanges,
  type TransitionBuy,
  allocationJob,
} from '../orders/index.ts';
import {
  lockReviewed,
  noFit,
  notAnswered,
  requireDecided,
  undecided,
  type Resolution,
  type Resolve,
} from './resolution.ts';

/** Tells money that is captured for an order beside, or instead of, what pays for it. */
const isUnplaced = ({ disposition }: HeldPayment): boolean => disposition !== 'APPLIED';

export interface ReviewDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly transitionBuy: TransitionBuy;
  readonly payments: { readonly held: HeldPayments };
}

/** Creates `KEEP` and `REFUNDED`: they end the review of a buy without buying anything. */
export const createResolveReview = (
  deps: ReviewDeps,
): { readonly keep: Resolve; readonly refunded: Resolve } => {
  const { db, inTransaction, transitionBuy } = deps;
  const { held } = deps.payments;

  const end = (
    tx: Db,
    { by, orderId: id }: Resolution,
    { to, cause }: { readonly to: BuyStatus; readonly cause: string },
    more: OrderChanges = {},
  ): Promise<void> => {
    const changes = { manualReviewCode: null, manualReviewReason: null, ...more };
    return transitionBuy(tx, { id, status: 'MANUAL_REVIEW' }, { ...by, to, cause, changes });
  };

  /** Finds the payment that the operator paid back, by the gateway's own answer. */
  const findPaidBack = async (
    payments: readonly HeldPayment[],
    reference: string,
  ): Promise<HeldPayment> => {
    const asked: { payment: HeldPayment; state: RefundState }[] = [];
    for (const payment of payments) {
      const state = await held.fetchRefundState(payment, reference);
      if (state.kind === 'NO_ANSWER') throw notAnswered('The payment gateway');
      asked.push({ payment, state });
    }
    const named = asked.find(({ state }) => 'isNamed' in state && state.isNamed);
    if (named?.state.kind === 'UNDER_WAY') throw undecided('The refund is not complete.');
    if (named?.state.kind === 'PAID_BACK') return named.payment;
    const of = (kind: RefundState['kind']) => asked.filter(({ state }) => state.kind === kind);
    const paidBack = of('PAID_BACK');
    const [only] = paidBack.length === 0 ? of('NOT_ASKED') : paidBack;
    const isOne = paidBack.length === 1 || (paidBack.length === 0 && asked.length === 1);
    if (only !== undefined && isOne) return only.payment;
    throw noFit('The gateway knows of no such refund of a payment of this order.');
  };

  /** Changes the order's state to the one where it belongs once that money is gone. */
  const endRefunded = async (
    tx: Db,
    order: GoldOrder,
    asked: Resolution,
    left: readonly HeldPayment[],
  ): Promise<void> => {
    // More money waits for a person: the review goes on.
    if (left.some(isUnplaced)) return;
    const cause = 'resolve.refunded';
    if (order.allocatedAt !== null) return end(tx, asked, { to: 'ALLOCATED', cause });
    if (left.length > 0) {
      await end(tx, asked, { to: 'PAID', cause });
      return enqueue(tx, allocationJob(order.id));
    }
    await held.refundPaymentOrders(tx, order.id, { cause, actor: asked.by.actor });
    const refundReference = asked.reference ?? '';
    const failed = { refundReference, failureCode: 'REFUNDED', nextAttemptAt: null };
    return end(tx, asked, { to: 'FAILED', cause }, failed);
  };

  return {
    async keep(order, asked) {
      if (order.allocatedAt === null) throw noFit('The order has no gold to keep.');
      await inTransaction(async (tx) => {
        const locked = await lockReviewed(tx, order.id);
        const payments = await held.list(tx, order.id);
        if (payments.some(isUnplaced)) {
          throw noFit('A second payment is held for this order: pay it back first.');
        }
        await end(tx, asked, { to: 'ALLOCATED', cause: 'resolve.keep' });
        await asked.audit(tx, locked);
      });
    },

    async refunded(order, asked) {
      await requireDecided(db, order.id);
      const payments = await held.list(db, order.id);
      if (payments.length === 0) throw noFit('No payment of this order is held.');
      const payment = await findPaidBack(payments, asked.reference ?? '');
      if (order.allocatedAt !== null && !isUnplaced(payment)) {
        throw noFit('The gold of this payment is in the account.');
      }
      await inTransaction(async (tx) => {
        const locked = await lockReviewed(tx, order.id);
        await requireDecided(tx, order.id);
        const now = await held.list(tx, order.id);
        const target = now.find(({ id }) => id === payment.id);
        if (
          target === undefined ||
          (locked.allocatedAt === null) !== (order.allocatedAt === null)
        ) {
          throw noFit('The order has changed meanwhile.');
        }
        await held.markRefunded(tx, target, asked.reference ?? '');
        const left = now.filter(({ id }) => id !== payment.id);
        await endRefunded(tx, locked, asked, left);
        await asked.audit(tx, locked);
      });
    },
  };
};
