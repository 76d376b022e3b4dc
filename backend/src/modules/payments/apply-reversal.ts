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
 * The effect of a reversal on its order. WAIT: no capture of the payment for this order is recorded
 * yet. The reversal is applied with the capture. RESOLVED: an operator has already recorded the
 * payment as refunded. NOTE: the order is already under review, and the reversal is added to the
 * reason. REVIEW: the order goes to review.
 */
type ReversalDecision = 'WAIT' | 'RESOLVED' | 'NOTE' | 'REVIEW';

/**
 * Decides the effect of a refund or a lost dispute on the order of its payment (contract: states >
 * Reversed payments). A second, late or mismatched capture has already put its order under review.
 * So only a reversal of the payment for the gold puts an order under review here.
 */
export const decideReversal = ({ payment, order }: ReversalFacts): ReversalDecision => {
  if (payment?.status === 'REFUNDED') return 'RESOLVED';
  if (payment?.status !== 'CAPTURED' || payment.disposition === 'UNMATCHED') return 'WAIT';
  return order.status === 'MANUAL_REVIEW' ? 'NOTE' : 'REVIEW';
};

/**
 * Returns the gateway's reversals that are not recorded yet. A recorded reversal without an id
 * stands for one reversal of the same kind and amount.
 */
export const findUnrecordedReversals = <
  T extends { kind: ReversalKind; reference: string; amountPaise: Paise },
>(
  atGateway: readonly T[],
  recorded: readonly {
    readonly kind: ReversalKind;
    readonly reference: string | null;
    readonly amountPaise: Paise;
  }[],
): T[] => {
  const keys = new Set(recorded.map(({ kind, reference }) => `${kind} ${reference ?? ''}`));
  const unnamed = recorded.filter(({ reference }) => reference === null);
  return atGateway.filter(({ kind, reference, amountPaise }) => {
    if (keys.has(`${kind} ${reference}`)) return false;
    const index = unnamed.findIndex(
      (other) => other.kind === kind && other.amountPaise === amountPaise,
    );
    if (index >= 0) unnamed.splice(index, 1);
    return index < 0;
  });
};

/**
 * Returns true if a report has no id and polling has already recorded a reversal of the same kind
 * and amount with an id. If the report is of another such reversal, polling finds that one later.
 */
const isRecordedByName = (
  { kind, reference, amountPaise }: ReversalReport,
  recorded: readonly RecordedReversal[],
): boolean =>
  reference === undefined &&
  recorded.some(
    (other) => other.kind === kind && other.amountPaise === amountPaise && other.reference !== null,
  );

const predicates: Readonly<Record<ReversalKind, string>> = {
  REFUND: 'was refunded at the gateway',
  DISPUTE: 'was lost in a dispute',
};

/** Describes a reversal for the operator who reviews its order. */
const describeReversal = (
  reversal: {
    readonly kind: ReversalKind;
    readonly reference: string | null;
    readonly amountPaise: Paise;
  },
  context: {
    readonly payment: { readonly amountPaise: Paise; readonly currency: string };
    /** True if this payment pays for the order's gold. */
    readonly isGoldsPayment: boolean;
    readonly status: BuyStatus;
    /** The reserved and the ordered grams, or undefined if there is no gold to reserve. */
    readonly grams: { readonly reserved: Grams; readonly ordered: Grams } | undefined;
  },
): string => {
  const { isGoldsPayment, status, grams } = context;
  const { currency, amountPaise } = context.payment;
  const reversedAmount = `${currency} ${formatRupees(reversal.amountPaise)}`;
  const paidAmount = `${currency} ${formatRupees(amountPaise)}`;
  const payment = isGoldsPayment ? 'the payment' : 'a further payment';
  const predicate = predicates[reversal.kind];
  const reference = reversal.reference === null ? '' : ` (${reversal.reference})`;
  const state = status === 'MANUAL_REVIEW' ? '' : ` when the order was ${status}`;
  const sentence = `${reversedAmount} of ${payment} of ${paidAmount} ${predicate}${reference}${state}.`;
  if (grams === undefined) return sentence;
  const { reserved, ordered } = grams;
  return `${sentence} ${formatGrams(reserved)} g of its ${formatGrams(ordered)} g are reserved.`;
};

type ApplyDeps = Pick<PaymentsDeps, 'clock' | 'random' | 'logger' | 'notify'>;

/** The effect of a reversal. `changed` is false if the reversal was already recorded. */
interface AppliedReversal {
  readonly changed: boolean;
  readonly decision: ReversalDecision | 'ALREADY_KNOWN';
}

/**
 * Reserves the order's gold that the customer still has. Returns undefined if this payment did not
 * pay for the gold, or the gold is not allocated.
 */
const reserveGold = async (
  { clock, random }: ApplyDeps,
  tx: Db,
  order: PayableOrder,
  payment: RecordedPayment,
) => {
  const ordered = order.allocatedGrams;
  if (ordered === null || payment.disposition !== 'APPLIED') return undefined;
  const { id: orderId, userId } = order;
  const at = clock.now();
  const reservation = { id: random.uuid(), orderId, userId, grams: ordered, at };
  return { ordered, reserved: await reserveForReview(tx, reservation) };
};

/**
 * Applies new reversals of a payment to its order, under the locks: reserves the gold and puts the
 * order under review.
 */
const applyToOrder = async (
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
  const grams = await reserveGold(deps, tx, order, payment);
  const context = { payment, isGoldsPayment, status: order.status, grams };
  const reason = reversals.map((reversal) => describeReversal(reversal, context)).join(' ');
  if (decision === 'NOTE') await addToReviewReason(deps, tx, order, reason);
  else await sendBuyToReview(deps, tx, order, { code: 'PAYMENT_REVERSED', reason }, cause);
  return decision;
};

/**
 * Applies a gateway's report of a refund or a lost dispute, from an event or a poll (contract:
 * states > Reversed payments). A repeated report has no effect. A reversal that is reported before
 * its capture is applied with the capture. Runs in the caller's transaction, under the order's lock.
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
  const decision = await applyToOrder(deps, tx, order, { payment, reversals, cause });
  return { changed: true, decision };
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
  await applyToOrder(deps, tx, order, { payment, reversals, cause });
};
