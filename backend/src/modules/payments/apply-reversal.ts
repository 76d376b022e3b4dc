import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { reserveForReview } from '../holdings/index.ts';
import { lockPayableOrder, type CausedBy, type PayableOrder } from '../orders/index.ts';
import { findRecordedPayment } from './gateway-payments.store.ts';
import { insertReversal, listReversals, resolveReversals } from './payment-reversals.store.ts';
import { lockPaymentOrder } from './payment-orders.store.ts';
import { decideReversal, describeReversal, type ReversalDecision } from './reversals.rules.ts';
import type {
  PaymentOrder,
  PaymentsDeps,
  RecordedPayment,
  RecordedReversal,
  ReversalReport,
} from './payments.types.ts';

type ApplyDeps = Pick<PaymentsDeps, 'clock' | 'random' | 'logger' | 'orders'>;

/** The effect of a reversal; `changed` is false for one that is known already. */
export interface AppliedReversal {
  readonly changed: boolean;
  readonly decision: ReversalDecision | 'ALREADY_KNOWN';
}

/** Reserves what is still there of the order's gold, where this payment bought it. */
const reserve = async (
  { clock, random }: ApplyDeps,
  db: Db,
  order: PayableOrder,
  payment: RecordedPayment,
) => {
  const ordered = order.allocatedGrams;
  if (ordered === null || payment.disposition !== 'APPLIED') return undefined;
  const { id: orderId, userId } = order;
  const at = clock.now();
  const wanted = { id: random.uuid(), orderId, userId, grams: ordered, at };
  return { ordered, reserved: await reserveForReview(db, wanted) };
};

/** Makes what follows of reversals of one payment, all read under the locks. */
const follow = async (
  deps: ApplyDeps,
  db: Db,
  order: PayableOrder,
  reversed: {
    readonly payment: RecordedPayment | undefined;
    readonly news: readonly RecordedReversal[];
    readonly cause: CausedBy;
  },
): Promise<ReversalDecision> => {
  const { payment, news, cause } = reversed;
  const decision = decideReversal({ payment, order });
  if (payment === undefined || decision === 'WAIT') return decision;
  if (decision === 'RESOLVED') {
    deps.logger.info({ paymentId: payment.id }, 'money that was paid back here is reported gone');
    await resolveReversals(db, payment, deps.clock.now());
    return decision;
  }
  const isGoldsPayment = payment.disposition === 'APPLIED';
  const isHeld = isGoldsPayment && order.status !== 'PENDING' && order.status !== 'FAILED';
  invariant(decision === 'NOTE' || isHeld, `money of order ${order.id} is held or under review`);
  const grams = await reserve(deps, db, order, payment);
  const about = { payment, isGoldsPayment, status: order.status, grams };
  const reason = news.map((reversal) => describeReversal(reversal, about)).join(' ');
  if (decision === 'NOTE') await deps.orders.addToReason(db, order, reason);
  else await deps.orders.sendToReview(db, order, 'PAYMENT_REVERSED', reason, cause);
  return decision;
};

/**
 * Applies a refund or a lost dispute that a gateway reported of one payment, by an event or when
 * asked. It is recorded once; one that comes before its capture waits for it. Runs in the caller's
 * transaction, under the order's lock (contract: states > Reversed payments).
 * @throws what changing the order throws; the transaction must then roll back
 */
export const applyReversal = async (
  deps: ApplyDeps,
  db: Db,
  target: PaymentOrder,
  { report, cause }: { readonly report: ReversalReport; readonly cause: CausedBy },
): Promise<AppliedReversal> => {
  const order = await lockPayableOrder(db, target.orderId);
  invariant(await lockPaymentOrder(db, target.id), `payment order ${target.id} is gone`);
  const id = deps.random.uuid();
  if (!(await insertReversal(db, id, report))) return { changed: false, decision: 'ALREADY_KNOWN' };
  const payment = await findRecordedPayment(db, report.gateway, report.gatewayPaymentId);
  const { kind, reference = null, amountPaise } = report;
  const news = [{ id, kind, reference, amountPaise, isOpen: true }];
  return { changed: true, decision: await follow(deps, db, order, { payment, news, cause }) };
};

/**
 * Applies the reversals that came before the capture of their payment, in the transaction that has
 * just applied the capture; `order` is as the capture left it.
 */
export const applyEarlierReversals = async (
  deps: ApplyDeps,
  db: Db,
  order: PayableOrder,
  captured: {
    readonly gateway: string;
    readonly gatewayPaymentId: string;
    readonly cause: CausedBy;
  },
): Promise<void> => {
  const { gateway, gatewayPaymentId, cause } = captured;
  const news = (await listReversals(db, captured)).filter(({ isOpen }) => isOpen);
  if (news.length === 0) return;
  const payment = await findRecordedPayment(db, gateway, gatewayPaymentId);
  await follow(deps, db, order, { payment, news, cause });
};
