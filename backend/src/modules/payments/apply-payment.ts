import { readOf, readTogether, sql, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { inSpan } from '../../platform/observability/index.ts';
import { readStillCustomer } from '../identity/index.ts';
import { applyEarlierReversals } from './apply-reversal.ts';
import { markFailedAfterCapture } from './doubted-payments.store.ts';
import { readEarlierPayments, recordPayment } from './gateway-payments.store.ts';
import {
  addToReviewReason,
  lockPayableOrder,
  markOrderFailed,
  markOrderPaid,
  sendBuyToReview,
  type CausedBy,
  type PayableOrder,
} from '../orders/index.ts';
import { lockPaymentOrder } from './payment-orders.store.ts';
import {
  decideCapture,
  decideFailure,
  type CaptureDecision,
  type FailureDecision,
} from './decide-payment.ts';
import { notifyDebited } from './payments.notifications.ts';
import { expirePaymentOrders, transitionPaymentOrder } from './payments.states.ts';
import {
  paymentMethods,
  type PaymentOrder,
  type PaymentReport,
  type PaymentsDeps,
  type RecordedPayment,
} from './payments.types.ts';

type ApplyDeps = Pick<PaymentsDeps, 'clock' | 'random' | 'logger' | 'notify'>;

/** The effect of a report of a payment. `changed` is false if the report changed nothing. */
export interface AppliedPayment {
  readonly changed: boolean;
  readonly decision: CaptureDecision['kind'] | FailureDecision['kind'];
}

/** A report of a payment, with the facts that decide its effect. The facts are read under locks. */
interface ReportedPayment {
  readonly report: PaymentReport;
  readonly cause: CausedBy;
  readonly order: PayableOrder;
  readonly paymentOrder: PaymentOrder;
  readonly known: RecordedPayment | undefined;
  readonly hasOtherCapture: boolean;
  readonly hasEarlierReversal: boolean;
  /**
   * True if the customer was deleted, so that no account can hold the gold. For a failed payment it
   * is not checked, and always false.
   */
  readonly isCustomerDeleted: boolean;
}

/** Stands in for `readStillCustomer`: a failed payment credits nothing, so it locks no customer. */
const skipCustomerCheck = readOf(sql`SELECT true AS found`, () => true);

/**
 * Locks the order, then the payment order, and reads the facts of a report under these locks. Every
 * transaction takes the two locks in this order.
 */
const readUnderLocks = async (
  tx: Db,
  target: PaymentOrder,
  { report, cause }: Pick<ReportedPayment, 'report' | 'cause'>,
): Promise<ReportedPayment> => {
  const order = await lockPayableOrder(tx, target.orderId);
  const paymentOrder = await lockPaymentOrder(tx, target.id);
  invariant(paymentOrder, `payment order ${target.id} is gone`);
  const isCapture = report.kind === 'captured';
  const { isStillCustomer, ...earlier } = await readTogether(tx, {
    ...readEarlierPayments(order.id, report),
    isStillCustomer: isCapture ? readStillCustomer(order.userId) : skipCustomerCheck,
  });
  const { known } = earlier;
  const recordedUnder = known?.paymentOrderId ?? paymentOrder.id;
  invariant(
    recordedUnder === paymentOrder.id,
    `payment ${known?.id} belongs to payment order ${recordedUnder}`,
  );
  const isCustomerDeleted = !isStillCustomer;
  return { report, cause, order, paymentOrder, ...earlier, isCustomerDeleted };
};

/** Returns the reported instrument if it is one of `paymentMethods`. */
const methodOf = ({ method: reported }: PaymentReport) => {
  const method = paymentMethods.find((each) => each === reported);
  return method === undefined ? {} : { method };
};

const applyCapture = async (
  deps: ApplyDeps,
  tx: Db,
  payment: ReportedPayment,
): Promise<AppliedPayment> => {
  const { report, cause, order, paymentOrder } = payment;
  const decision = decideCapture({ ...payment, payment: report });
  if (decision.kind === 'ALREADY_KNOWN') return { changed: false, decision: decision.kind };
  const capturedPaymentId = await recordPayment(tx, report, {
    id: deps.random.uuid(),
    paymentOrderId: paymentOrder.id,
    disposition: decision.disposition,
  });
  invariant(capturedPaymentId, 'a capture was recorded by another under the order lock');
  if (decision.paymentOrderTo !== undefined) {
    await transitionPaymentOrder(deps, tx, paymentOrder, {
      ...cause,
      to: decision.paymentOrderTo,
      capturedPaymentId,
      ...(decision.paymentOrderTo === 'PAID' && { paidAt: report.learnedAt }),
      ...methodOf(report),
    });
  }
  // An installment can be paid through an earlier checkout. Its later checkout must then be closed.
  if (order.type === 'SIP_INSTALLMENT') {
    await expirePaymentOrders(deps, tx, order.id, cause.cause);
  }
  // The customer is notified in every case, since the money has left their account.
  if (paymentOrder.debitDueAt !== null) await notifyDebited(tx, deps.notify, order, report);
  if (decision.kind === 'PAY') await markOrderPaid(deps, tx, order, cause);
  else await sendBuyToReview(deps, tx, order, decision, cause);
  const status = decision.kind === 'PAY' ? 'PAID' : 'MANUAL_REVIEW';
  if (payment.hasEarlierReversal) {
    await applyEarlierReversals(deps, tx, { ...order, status }, { ...report, cause });
  }
  return { changed: true, decision: decision.kind };
};

const applyFailure = async (
  deps: ApplyDeps,
  tx: Db,
  payment: ReportedPayment,
): Promise<AppliedPayment> => {
  const { report, cause, order, paymentOrder, known } = payment;
  const decision = decideFailure(payment);
  if (decision.kind === 'ALREADY_KNOWN') return { changed: false, decision: decision.kind };
  if (decision.kind === 'REVIEW' || decision.kind === 'NOTE') {
    invariant(known, 'only a payment that was recorded has failed after its capture');
    const isRecorded = await markFailedAfterCapture(tx, known.id, report.learnedAt);
    invariant(isRecorded, `the failure of payment ${known.id} was recorded by another`);
    if (decision.kind === 'NOTE') await addToReviewReason(deps, tx, order, decision.reason);
    else await sendBuyToReview(deps, tx, order, decision, cause);
    return { changed: true, decision: decision.kind };
  }
  await recordPayment(tx, report, {
    id: deps.random.uuid(),
    paymentOrderId: paymentOrder.id,
    disposition: 'NONE',
  });
  if (decision.kind === 'FAIL') {
    await transitionPaymentOrder(deps, tx, paymentOrder, { ...cause, to: 'FAILED' });
    if (decision.failOrder) await markOrderFailed(deps, tx, order, cause);
  }
  return { changed: true, decision: decision.kind };
};

/**
 * Applies a gateway's report of one payment, from a webhook, the customer's checkout or a poll. The
 * facts are read again under the locks, so that concurrent reports have one effect. Runs in the
 * caller's transaction.
 * @throws every error of changing the order. The transaction must then roll back.
 */
export const applyPayment = async (
  deps: ApplyDeps,
  tx: Db,
  target: PaymentOrder,
  reported: Pick<ReportedPayment, 'report' | 'cause'>,
): Promise<AppliedPayment> => {
  // One purchase is one trace, although the gateway's event arrives in a separate request.
  const { traceparent } = target;
  return inSpan(
    { name: 'apply payment', kind: 'consumer', ...(traceparent !== null && { traceparent }) },
    async () => {
      const payment = await readUnderLocks(tx, target, reported);
      return reported.report.kind === 'captured'
        ? applyCapture(deps, tx, payment)
        : applyFailure(deps, tx, payment);
    },
  );
};

/** Records a payment for an unknown order, so that its money is visible to operators. */
export const recordUnmatchedPayment = async (
  { random }: Pick<PaymentsDeps, 'random'>,
  tx: Db,
  report: PaymentReport,
): Promise<void> => {
  await recordPayment(tx, report, {
    id: random.uuid(),
    paymentOrderId: undefined,
    disposition: report.kind === 'captured' ? 'UNMATCHED' : 'NONE',
  });
};
