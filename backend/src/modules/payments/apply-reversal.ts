import { formatGrams, formatRupees, type Grams, type Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  addToReviewReason,
  lockPayableOrder,
  sendBuyToReview,
  type BuyStatus,
  type CausedBy,
  type PayableOrder,
} from '../orders/index.ts';
import { reserveForReview } from '../holdings/index.ts';
import type {
  RecordedPayment,
  ReversalKind,
  PaymentOrder,
  PaymentsDeps,
  RecordedReversal,
  ReversalReport,
} from './payments.types.ts';
import {
  findRecordedPayment,
  insertReversal,
  listReversals,
  markReversalsResolved,
} from './gateway-payments.store.ts';
import { lockPaymentOrder } from './payment-orders.store.ts';

interface ReversalFacts {
  /** The payment as earlier reports recorded it, or undefined if no report has arrived yet. */
  readonly payment: Pick<RecordedPayment, 'status' | 'disposition'> | undefined;
  readonly order: { readonly status: BuyStatus };
}

/**
 * WAIT: the payment is not captured yet. The reversal is applied with the capture. RESOLVED: an
 * operator has accounted for this money already. NOTE: the order is already under review, and the
 * reversal is added to the reason. REVIEW: the order goes to review.
 */
type ReversalDecision = 'WAIT' | 'RESOLVED' | 'NOTE' | 'REVIEW';

/**
 * Decides what a refund or a lost dispute does to the order of its payment (contract: states >
 * Reversed payments). Captured money that fits no order (a second, late or wrong amount) has
 * already put its order under review. So only a reversal of the payment for the gold puts an order
 * under review here.
 */
export const decideReversal = ({ payment, order }: ReversalFacts): ReversalDecision => {
  if (payment?.status === 'REFUNDED') return 'RESOLVED';
  if (payment?.status !== 'CAPTURED' || payment.disposition === 'UNMATCHED') return 'WAIT';
  return order.status === 'MANUAL_REVIEW' ? 'NOTE' : 'REVIEW';
};

/**
 * Lists the reversals that the gateway has and we lack. A recorded reversal without an id matches
 * any reversal of the same amount.
 */
export const findLackingReversals = <
  T extends { kind: ReversalKind; reference: string; amountPaise: Paise },
>(
  atGateway: readonly T[],
  recorded: readonly {
    readonly kind: ReversalKind;
    readonly reference: string | null;
    readonly amountPaise: Paise;
  }[],
): T[] => {
  const named = new Set(recorded.map(({ kind, reference }) => `${kind} ${reference ?? ''}`));
  const unnamed = recorded.filter(({ reference }) => reference === null);
  return atGateway.filter(({ kind, reference, amountPaise }) => {
    if (named.has(`${kind} ${reference}`)) return false;
    const same = unnamed.findIndex((one) => one.kind === kind && one.amountPaise === amountPaise);
    if (same >= 0) unnamed.splice(same, 1);
    return same < 0;
  });
};

/**
 * Returns true if a report has no id and polling has already recorded a reversal of the same amount
 * with an id. If the report is of another reversal of that amount, polling finds it later.
 */
const isRecordedByName = (
  { kind, reference, amountPaise }: ReversalReport,
  recorded: readonly RecordedReversal[],
): boolean =>
  reference === undefined &&
  recorded.some(
    (one) => one.kind === kind && one.amountPaise === amountPaise && one.reference !== null,
  );

const words: Readonly<Record<ReversalKind, string>> = {
  REFUND: 'was refunded at the gateway',
  DISPUTE: 'was lost in a dispute',
};

/** Describes a reversal for the operator who looks into its order. */
const describeReversal = (
  reversal: {
    readonly kind: ReversalKind;
    readonly reference: string | null;
    readonly amountPaise: Paise;
  },
  of: {
    readonly payment: { readonly amountPaise: Paise; readonly currency: string };
    /** True if this payment pays for the order's gold. */
    readonly isGoldsPayment: boolean;
    readonly status: BuyStatus;
    /** The reserved and the ordered grams, or undefined if there is no gold to reserve. */
    readonly grams: { readonly reserved: Grams; readonly ordered: Grams } | undefined;
  },
): string => {
  const { currency, amountPaise } = of.payment;
  const gone = `${currency} ${formatRupees(reversal.amountPaise)}`;
  const whole = `${currency} ${formatRupees(amountPaise)}`;
  const named = reversal.reference === null ? '' : ` (${reversal.reference})`;
  const payment = of.isGoldsPayment ? 'the payment' : 'a further payment';
  const when = of.status === 'MANUAL_REVIEW' ? '' : ` when the order was ${of.status}`;
  const what = `${gone} of ${payment} of ${whole} ${words[reversal.kind]}${named}${when}.`;
  if (of.grams === undefined) return what;
  const { reserved, ordered } = of.grams;
  return `${what} ${formatGrams(reserved)} g of its ${formatGrams(ordered)} g are reserved.`;
};

type ApplyDeps = Pick<PaymentsDeps, 'clock' | 'random' | 'logger' | 'notify'>;

/** The effect of a reversal. `changed` is false if the reversal was already recorded. */
interface AppliedReversal {
  readonly changed: boolean;
  readonly decision: ReversalDecision | 'ALREADY_KNOWN';
}

/** Reserves the gold of the order that the customer still has, if this payment paid for it. */
const reserve = async (
  { clock, random }: ApplyDeps,
  tx: Db,
  order: PayableOrder,
  payment: RecordedPayment,
) => {
  const ordered = order.allocatedGrams;
  if (ordered === null || payment.disposition !== 'APPLIED') return undefined;
  const { id: orderId, userId } = order;
  const at = clock.now();
  const wanted = { id: random.uuid(), orderId, userId, grams: ordered, at };
  return { ordered, reserved: await reserveForReview(tx, wanted) };
};

/** Reserves gold and sends the order to review for new reversals of a payment, under the locks. */
const follow = async (
  deps: ApplyDeps,
  tx: Db,
  order: PayableOrder,
  reversed: {
    readonly payment: RecordedPayment | undefined;
    /** The reversals that have not been applied to the order yet. */
    readonly reversals: readonly RecordedReversal[];
    readonly cause: CausedBy;
  },
): Promise<ReversalDecision> => {
  const { payment, reversals, cause } = reversed;
  const decision = decideReversal({ payment, order });
  if (payment === undefined || decision === 'WAIT') return decision;
  if (decision === 'RESOLVED') {
    deps.logger.info(
      { paymentId: payment.id },
      'a payment that was refunded here was reported as reversed',
    );
    await markReversalsResolved(tx, payment, deps.clock.now());
    return decision;
  }
  const isGoldsPayment = payment.disposition === 'APPLIED';
  const isHeld = isGoldsPayment && order.status !== 'PENDING' && order.status !== 'FAILED';
  invariant(decision === 'NOTE' || isHeld, `money of order ${order.id} is held or under review`);
  const grams = await reserve(deps, tx, order, payment);
  const about = { payment, isGoldsPayment, status: order.status, grams };
  const reason = reversals.map((reversal) => describeReversal(reversal, about)).join(' ');
  if (decision === 'NOTE') await addToReviewReason(deps, tx, order, reason);
  else await sendBuyToReview(deps, tx, order, { code: 'PAYMENT_REVERSED', reason }, cause);
  return decision;
};

/**
 * Applies a refund or a lost dispute that a gateway reported of one payment, by an event or when
 * queried. A repeated report has no effect. A reversal that is reported before its capture is
 * applied with the capture. Runs in the caller's transaction, under the order's lock (contract:
 * states > Reversed payments).
 * @throws every error of changing the order. The transaction must then roll back.
 */
export const applyReversal = async (
  deps: ApplyDeps,
  tx: Db,
  target: PaymentOrder,
  { report, cause }: { readonly report: ReversalReport; readonly cause: CausedBy },
): Promise<AppliedReversal> => {
  const order = await lockPayableOrder(tx, target.orderId);
  invariant(await lockPaymentOrder(tx, target.id), `payment order ${target.id} is gone`);
  const id = deps.random.uuid();
  const isKnown = isRecordedByName(report, await listReversals(tx, report));
  if (isKnown || !(await insertReversal(tx, id, report))) {
    return { changed: false, decision: 'ALREADY_KNOWN' };
  }
  const payment = await findRecordedPayment(tx, report.gateway, report.gatewayPaymentId);
  const { kind, reference = null, amountPaise } = report;
  const reversals = [{ id, kind, reference, amountPaise, isOpen: true }];
  return { changed: true, decision: await follow(deps, tx, order, { payment, reversals, cause }) };
};

/**
 * Applies the reversals that were reported before the capture of their payment, in the transaction
 * that has just applied the capture. `order` is the order after the capture.
 */
export const applyEarlierReversals = async (
  deps: ApplyDeps,
  tx: Db,
  order: PayableOrder,
  captured: {
    readonly gateway: string;
    readonly gatewayPaymentId: string;
    readonly cause: CausedBy;
  },
): Promise<void> => {
  const { gateway, gatewayPaymentId, cause } = captured;
  const reversals = (await listReversals(tx, captured)).filter(({ isOpen }) => isOpen);
  if (reversals.length === 0) return;
  const payment = await findRecordedPayment(tx, gateway, gatewayPaymentId);
  await follow(deps, tx, order, { payment, reversals, cause });
};
